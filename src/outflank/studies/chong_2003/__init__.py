"""Chong, Ku, Lim, Tan and White 2003: spatial networks that co-evolve, watched by two computer players."""
