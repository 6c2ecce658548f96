"""The Othello League's text format: n-tuple networks and weighted piece counters as plain numbers.

Numbers apart by white space; braces count as spaces. Number of tables; then for each table: tuple
length n, number of placements m, m lists of n squares (0..63, row by row), and the 3^n weights that
the placements share. The placements are used as listed. A piece counter is 64 numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from outflank import _core
from outflank.evaluators.ntuple_network import NTupleNetwork
from outflank.evaluators.piece_counter import PieceCounter

_TOKEN = re.compile(r"[^\s{},;]+")


class PlayerFileError(ValueError):
    """A player file that cannot be read; the message names the file and the position."""


class _Numbers:
    """The numbers of a text one after another, with where each stands."""

    def __init__(self, text: str, source: str) -> None:
        self._text = text
        self._source = source
        self._tokens = list(_TOKEN.finditer(text))
        self._next = 0

    def __len__(self) -> int:
        return len(self._tokens)

    def at_end(self) -> bool:
        return self._next == len(self._tokens)

    def error(self, message: str, token: re.Match[str] | None = None) -> PlayerFileError:
        where = self._source
        if token is not None:
            line = self._text.count("\n", 0, token.start()) + 1
            column = token.start() - self._text.rfind("\n", 0, token.start())
            where += f", line {line}, column {column}"
        return PlayerFileError(f"{where}: {message}")

    def take(self, what: str) -> re.Match[str]:
        if self.at_end():
            raise self.error(f"the file ends where {what} should be; it may have been cut off")
        self._next += 1
        return self._tokens[self._next - 1]

    def whole(self, what: str, least: int, most: int) -> int:
        token = self.take(what)
        try:
            number = int(token[0])
        except ValueError:
            raise self.error(f"{what} should be a whole number, not {token[0][:40]!r}", token) from None
        if not least <= number <= most:
            raise self.error(f"{what} should be within {least}..{most}, got {number}", token)
        return number

    def weights(self, count: int, what: str) -> list[float]:
        return [self.weight(f"{what} (number {i + 1} of {count})") for i in range(count)]

    def weight(self, what: str) -> float:
        token = self.take(what)
        try:
            number = float(token[0])
        except ValueError:
            raise self.error(f"{what} should be a number, not {token[0][:40]!r}", token) from None
        if not np.isfinite(number):
            raise self.error(f"{what} is {token[0][:40]}; weights must be finite numbers", token)
        return number

    def end(self, what: str) -> None:
        if not self.at_end():
            token = self._tokens[self._next]
            raise self.error(
                f"{what} ends before this; {len(self) - self._next} numbers are left over", token
            )


def read_league_text(text: str, source: str = "player") -> NTupleNetwork | PieceCounter:
    """The evaluator written in a text; `source` is how errors name it.

    >>> read_league_text("{ 1 { 1 2 { 0 } { 63 } { -1 0 1 } } }").tables
    (((0,), (63,)),)
    """
    numbers = _Numbers(text, source)
    if len(numbers) == 0:
        raise numbers.error("there are no numbers in this file")
    if len(numbers) == 64:
        return PieceCounter(numbers.weights(64, "a weight of the piece counter"))
    return _read_network(numbers)


def _read_network(numbers: _Numbers) -> NTupleNetwork:
    tables = []
    weights: list[float] = []
    for number in range(1, numbers.whole("the number of tables", 1, 1_000_000) + 1):
        name = f"table {number}"
        length = numbers.whole(f"{name}: the tuple length", 1, _core.LONGEST_TUPLE)
        placements = numbers.whole(f"{name}: the number of placements", 1, 1_000_000)
        tables.append(
            [[numbers.whole(f"{name}: a square", 0, 63) for _ in range(length)] for _ in range(placements)]
        )
        weights += numbers.weights(3**length, f"{name}: a weight")
    numbers.end("the last table")
    return NTupleNetwork(tables, weights)


def write_league_text(evaluator: object) -> str:
    """The evaluator in the League's format; reading it back gives the same weights, bit for bit."""
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
