"""Games, matches, records and their statistics."""
