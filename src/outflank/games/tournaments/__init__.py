"""Tournaments of all against all: their games, their folder and their table."""
