"""`outflank bench`: how fast games are played, boards searched, players evolved and books looked up."""
