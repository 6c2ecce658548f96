"""Game files: WTHOR, GGF, SGF, PGN, transcripts and JSON lines."""
