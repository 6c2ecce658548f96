"""Files that are players by their form, and cost those who play with them far more than they look like."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from outflank import Mlp
from outflank.evaluators.storage import StoredPlayer, save_player


def many_placements(path: Path, count: int = 1_000_000, seed: int = 1) -> Path:
    """A tuple of 5 squares, 243 weights, and a million placements in 14 MB of text: 0.3 s per game."""
    chance = np.random.default_rng(seed)
    steps = chance.integers(1, 13, size=(count, 5))  # 48 at most from the first square to the last
    squares = (np.cumsum(steps, axis=1) + chance.integers(0, 64, size=(count, 1))) % 64
    rows = "\n".join(" ".join(map(str, row)) for row in squares.tolist())
    path.write_text(
        f"1 5 {count}\n{rows}\n{' '.join(map(str, chance.integers(-9, 9, size=243)))}\n", encoding="utf-8"
    )
    return path


def wide_mlp(path: Path, hidden: int = 4096, seed: int = 1) -> Path:
    weights = np.random.default_rng(seed).normal(size=Mlp(hidden=hidden).weights.size).astype(np.float32)
    save_player(StoredPlayer(Mlp(weights, hidden=hidden), "inversion"), path)
    return path


def many_weights(path: Path, tables: int = 4, seed: int = 1) -> Path:
    """Tables of 13 squares: 6.4 million weights in 13 MB of text."""
    chance = np.random.default_rng(seed)
    parts = [f"{tables}"]
    for table in range(tables):
        weights = chance.integers(0, 10, size=3**13).astype(np.uint8)
        digits = np.full(2 * len(weights), ord(" "), dtype=np.uint8)
        digits[::2] = weights + ord("0")
        squares = " ".join(str((5 * table + square) % 64) for square in range(13))
        parts.append(f"13 1 {squares}\n{digits.tobytes().decode()}")
    path.write_text("\n".join(parts), encoding="utf-8")
    return path
