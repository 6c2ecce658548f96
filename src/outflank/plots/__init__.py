"""Figures of evaluators, games, tournaments and learning curves."""
