"""The Othello League's text format: n-tuple networks and weighted piece counters as plain numbers.

Numbers in ASCII, separated by white space, commas or semicolons; braces may group them and must then be
balanced. Number of tables; then for each table: tuple length n, number of placements m, m lists of n
different squares (0..63, row by row), and the 3^n weights that the placements share. The placements are used
as listed. A piece counter is 64 numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from outflank import _core
from outflank.evaluators.ntuple_network import NTupleNetwork
from outflank.evaluators.piece_counter import PieceCounter


class PlayerFileError(ValueError):
    """A player file that cannot be read; the message names the file and the position."""


@dataclass(frozen=True)
class SizeLimits:
    """The largest network that a reader accepts; checked before it is built, which takes far longer."""

    weights: int
    placements: int

    def check(self, weights: int, placements: int, source: str) -> None:
        for size, most, what in (
            (weights, self.weights, "weights"),
            (placements, self.placements, "placements"),
        ):
            if size > most:
                raise PlayerFileError(f"{source} has {size:,} {what}; at most {most:,} are accepted")


def read_league_text(
    text: str | bytes, source: str = "player", limits: SizeLimits | None = None
) -> NTupleNetwork | PieceCounter:
    """The evaluator in a text; `source` is its name in error messages.

    >>> read_league_text("{ 1 { 1 2 { 0 } { 63 } { -1 0 1 } } }").tables
    (((0,), (63,)),)
    """
    try:
        tables, weights = _core.parse_league_text(text.encode() if isinstance(text, str) else text)
    except ValueError as error:
        raise PlayerFileError(f"{source}, {error}") from None
    if limits is not None:
        limits.check(weights.size, sum(len(table) for table in tables), source)
    if not tables:
        return PieceCounter(weights)
    return NTupleNetwork([table.tolist() for table in tables], weights)


def write_league_text(evaluator: object) -> str:
    """The evaluator in the League's format; reading it back gives exactly the same weights."""
    if isinstance(evaluator, PieceCounter):
        return "\n".join(_spaced(row) for row in evaluator.square_weights.reshape(8, 8)) + "\n"
    if not isinstance(evaluator, NTupleNetwork):
        raise ValueError(
            "the League's text format holds n-tuple networks and piece counters only; save to .safetensors"
        )
    if evaluator.stages > 1:
        raise ValueError("the League's text format has no game stages; save to .safetensors instead")
    lines = [f"{{ {len(evaluator.tables)}"]
    for table, weights in evaluator.table_weights():
        lines.append(f"  {{ {len(table[0])} {len(table)}")
        lines += [f"    {{ {' '.join(map(str, placement))} }}" for placement in table]
        lines.append(f"    {{ {_spaced(weights)} }}")
        lines.append("  }")
    return "\n".join([*lines, "}"]) + "\n"


def _spaced(weights: Iterable[float]) -> str:
    return " ".join(repr(float(weight)) for weight in weights)
