"""The Othello League: how players are measured and ranked."""
