"""Commands that measure: `score`, `match`, `tournament`, `games`, `bench`."""
