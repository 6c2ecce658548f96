"""Other programs as players: their processes, GTP and NBoard."""
