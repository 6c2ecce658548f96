"""Evaluators: position -> number."""
