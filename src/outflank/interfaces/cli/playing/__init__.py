"""Commands to play and study with: `play`, `analyze`, `solve`, `tune`, `book`, `engine`."""
