"""Jaskowski 2014, Systematic N-Tuple Networks for Position Evaluation: Exceeding 90% in the Othello League:
its tables and figures."""
