"""Commands of the league: `league-table`, `serve`, `worker`, `backup`, `register`, `submit`."""
