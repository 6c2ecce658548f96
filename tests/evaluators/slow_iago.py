"""Iago's formula by walking over the squares, in NumPy: independent of the core's sets of bits."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Bits = npt.NDArray[np.uint64]
Squares = npt.NDArray[np.bool_]
STEPS = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1) if (down, right) != (0, 0)]


def slow_iago(weights: npt.NDArray[np.float64], black: Bits, white: Bits) -> npt.NDArray[np.float64]:
    """64 weights of squares, then base and slope of the four coefficients."""
    blacks, whites = _on_squares(black), _on_squares(white)
    move = (blacks | whites).sum(axis=(1, 2)) - 4
    positional, early, late, potential = (base + slope * move for base, slope in weights[64:].reshape(4, 2))
    on_board = weights[:64].reshape(8, 8)
    held = (np.where(blacks, on_board, 0) - np.where(whites, on_board, 0)).sum(axis=(1, 2))
    moves = _share(legal(blacks, whites), legal(whites, blacks))
    chances = _share(beside(whites, ~blacks & ~whites), beside(blacks, ~blacks & ~whites))
    mobility = np.where(move < 25, early, late)
    return np.asarray(positional * held / np.abs(on_board).sum() + mobility * moves + potential * chances)


def legal(own: Squares, other: Squares) -> Squares:
    """Where `own` may play: an empty square, then discs of `other`, then one of `own`, along a line."""
    found = np.zeros_like(own)
    owns, others = _with_margin(own), _with_margin(other)
    for step in STEPS:
        passed = _seen(others, step, 1).copy()
        for distance in range(2, 8):
            found |= passed & _seen(owns, step, distance)
            passed &= _seen(others, step, distance)
    return found & ~own & ~other


def beside(other: Squares, empty: Squares) -> Squares:
    """Empty squares that touch a disc of `other`."""
    others = _with_margin(other)
    return np.asarray(empty & np.logical_or.reduce([_seen(others, step, 1) for step in STEPS]))


def _with_margin(discs: Squares) -> Squares:
    return np.pad(discs, ((0, 0), (7, 7), (7, 7)))


def _seen(discs: Squares, step: tuple[int, int], distance: int) -> Squares:
    """For each square: is there a disc so many steps away? Takes boards with a margin."""
    down, right = 7 + distance * step[0], 7 + distance * step[1]
    return discs[:, down : down + 8, right : right + 8]


def _share(black: Squares, white: Squares) -> npt.NDArray[np.float64]:
    blacks, whites = black.sum(axis=(1, 2)), white.sum(axis=(1, 2))
    return np.asarray((blacks - whites) / (blacks + whites + 2))


def _on_squares(discs: Bits) -> Squares:
    places = np.arange(64, dtype=np.uint64)
    return ((discs[:, None] >> places) & np.uint64(1)).astype(bool).reshape(-1, 8, 8)
