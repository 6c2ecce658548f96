"""How fast outflank is, against what, in one run: `outflank bench`."""
