"""The league on the web: an API, pages, and a board to play on."""
