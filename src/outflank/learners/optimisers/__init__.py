"""Optimisers: ask for a generation of weight vectors, tell how fit each of them is."""
