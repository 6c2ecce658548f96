"""Kim, Choi and Cho 2007, Hybrid of Evolution and Reinforcement Learning for Othello Players: its tables and
figures."""
