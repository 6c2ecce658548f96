"""The tables of a deep network for a page: 16 bits per number, and symmetric entries once.

The core reads the tables as whole numbers of 16 bits times a power of two (core/evaluators/deep_network.cpp);
a page stores these numbers, from which the core reads the same ones again. Where a symmetry of the board maps
the squares of a tuple onto themselves, learning keeps an entry equal to its mirror image: one is stored.
Entries that no game has met are zero, and are one bit of a bitmap.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from outflank.board import symmetric_square
from outflank.evaluators.deep_network import DeepNetwork
from outflank.evaluators.storage import read_player

LEAST = -32768  # its step would be read as twice as large


@dataclass(frozen=True)
class FilteredTables:
    """`filtered`: the file's header, a bitmap of entries that are not zero, the low and the high bytes of
    their numbers, the layers. A number is worth 2 ** exponent. Tied tables have symmetric entries once."""

    filtered: bytes
    exponent: int
    is_tied: list[bool]


def filtered_tables(content: bytes, header: int) -> FilteredTables | None:
    """Of a safetensors file of 32-bit floats; None if it is not a deep network, or needs all its bits."""
    network = read_player(content).evaluator
    if not isinstance(network, DeepNetwork):
        return None
    tables = network.weights[: network.table_weights].reshape(-1, network.vector)
    exponent = math.frexp(float(np.abs(tables).max()))[1] - 15
    numbers = np.minimum(np.rint(np.ldexp(tables, -exponent)), 32767).astype(np.int32)
    if exponent < -100 or (numbers == LEAST).any():
        return None
    kept, is_tied = [], []
    first = 0
    for placements in network.placements:
        same = _first_of_same(placements[0])
        entries = numbers[first : first + len(same)]
        first += len(same)
        is_tied.append(bool((entries == entries[same]).all()))
        kept.append(entries[same == np.arange(len(same))] if is_tied[-1] else entries)
    entries = np.concatenate(kept)
    is_there = entries.any(axis=1)
    bitmap: bytes = np.packbits(is_there, bitorder="little").tobytes()
    planes: bytes = entries[is_there].astype("<i2").view(np.uint8).reshape(-1, 2).T.tobytes()
    layers = content[header + 4 * network.table_weights :]
    return FilteredTables(content[:header] + bitmap + planes + layers, exponent, is_tied)


def _first_of_same(tuple_squares: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """For each entry of a table the first of those that are the same under the symmetries of its squares."""
    squares = [int(square) for square in tuple_squares]
    worth = 3 ** np.arange(len(squares) - 1, -1, -1)
    entries = np.arange(3 ** len(squares))
    digits = entries[:, None] // worth % 3
    first = entries
    for turn in range(8):
        image = [int(symmetric_square(square, turn)) for square in squares]
        if set(image) == set(squares):
            first = np.minimum(first, digits[:, [squares.index(square) for square in image]] @ worth)
    return first
