"""Game files: WTHOR, GGF, transcripts and JSON lines."""
