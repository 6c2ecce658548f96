"""Caches of the league table, the standings, and the responses made from them."""
