"""Game files: WTHOR, GGF, SGF, transcripts and JSON lines."""
