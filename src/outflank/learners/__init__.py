"""Learners: what changes weights."""
