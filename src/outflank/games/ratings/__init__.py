"""Ratings on the Elo scale: of players that met each other, and of one player on a ladder of known ones."""
