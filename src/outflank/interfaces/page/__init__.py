"""A static folder in which players can be played: no server, no requests to anywhere."""
