"""Lucas 2007, Learning to Play Othello with N-Tuple Systems: its figures and its table."""
