r"""The NBoard protocol, versions 1 and 2: our players as engines in NBoard and programs like it.

>>> from outflank import named_player
>>> engine = NBoardEngine(named_player("all-2"))
>>> "".join(engine.answers("ping 3\n"))
'pong 3\n'

Specification: Chris Welty's Protocol.htm, in the instructions of NTest. A value is for the player to
move; unknown lines are ignored; `go` does not play the move, the program sends it back by `move`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from outflank import _core
from outflank.board import Board, Square
from outflank.games.formats import ggf
from outflank.games.game import Problem
from outflank.players.analysis import analyze
from outflank.players.greedy import Player
from outflank.players.search import DEEPEST, SearchPlayer

_MOVE = re.compile(r"([a-h][1-8]|pa(?:ss)?)(?:/.*)?", re.IGNORECASE)


@dataclass(frozen=True)
class _Candidate:
    """A move with the play expected after it, as NBoard writes it; PA is a pass."""

    moves: str
    value_for_mover: float  # NaN if unknown
    depth: str  # 100% is an exact solution
    nodes: int
    seconds: float

    @property
    def value(self) -> str:
        return "" if math.isnan(self.value_for_mover) else f"{self.value_for_mover:.2f}"

    @property
    def search_line(self) -> str:
        return f"search {self.moves} {self.value or '0.00'} 0 {self.depth}"


class NBoardEngine:
    """A player's side of an NBoard conversation."""

    def __init__(self, player: Player) -> None:
        self.finished = False
        self._player = player
        self._boards: list[Board] | None = [Board()]  # after each move and pass; None after an error

    def answers(self, line: str) -> Iterator[str]:
        """Piece by piece: the first lines go out before the search is over."""
        command, _, rest = line.strip().partition(" ")
        try:
            yield from (f"{answer}\n" for answer in self._answers(command, rest.strip()))
        except Exception as error:  # a player may fail in any way; the program must be informed
            yield f"status outflank: {_one_line(error)}\n"

    def _answers(self, command: str, rest: str) -> Iterator[str]:
        if command == "nboard":
            yield f"set myname outflank {self._player.name}"
        elif command == "set":
            yield from self._set(*rest.partition(" ")[::2])
        elif command == "move":
            self._play(rest)
        elif command == "go":
            yield from self._go()
        elif command == "hint":
            yield from self._hint(int(rest) if rest.isdigit() else 1)
        elif command == "analyze":
            yield from self._analyze()
        elif command == "ping":
            yield f"pong {rest}"
        elif command == "learn":
            yield "learned"
        elif command == "quit":
            self.finished = True
        elif _MOVE.fullmatch(command):
            self._play(command)  # version 1 sends the move alone

    def _set(self, what: str, value: str) -> Iterator[str]:
        """`set depth` limits a search by nodes or time; a fixed depth in the player's name stays.
        `set contempt` changes nothing."""
        if what == "depth":
            if isinstance(self._player, SearchPlayer) and value.isdigit():
                self._player = self._player.with_depth(max(1, min(int(value), DEEPEST)))
            yield f"set myname outflank {self._player.name}"
        elif what == "game":
            self._boards = None
            self._boards = _boards_of(value)

    def _game(self) -> list[Board]:
        if self._boards is None:
            raise ValueError("the game is unknown after the last error; send set game again")
        return self._boards

    def _play(self, text: str) -> None:
        boards = self._game()
        self._boards = None  # after an illegal move we no longer know the program's board
        match = _MOVE.fullmatch(text)
        if match is None:
            raise ValueError(f"{text[:20]!r} is not a move; moves are a1 to h8 and PA")
        self._boards = [*boards, _after(boards[-1], match[1])]

    def _go(self) -> Iterator[str]:
        board = self._game()[-1]
        yield "status thinking"
        (best,) = _candidates(self._player, board)
        if best.value and board.has_moves:
            yield best.search_line
        yield from _node_line(best)
        yield f"=== {best.moves.partition('-')[0]}/{best.value}/{best.seconds:.2f}"
        yield "status"

    def _hint(self, count: int) -> Iterator[str]:
        board = self._game()[-1]
        yield "status analyzing"
        candidates = _candidates(self._player, board, max(1, count))
        yield from (candidate.search_line for candidate in candidates)
        yield from _node_line(candidates[0])
        yield "status"

    def _analyze(self) -> Iterator[str]:
        """From the end of the game back to its start; passes count as moves."""
        boards = self._game()
        yield "status analyzing"
        for number in range(len(boards) - 1, -1, -1):
            (best,) = _candidates(self._player, boards[number])
            if best.value:
                yield f"analysis {number} {best.value}"
        yield "status"


def _candidates(player: Player, board: Board, count: int = 1) -> list[_Candidate]:
    """The best moves, best first, or the pass; as many as asked for, or as the player has values for."""
    if board.is_over:
        difference = board.disc_difference if board.mover == "black" else -board.disc_difference
        return [_Candidate("PA", float(difference), "100%", 0, 0.0)]
    if not board.has_moves:
        (after,) = _candidates(player, board.pass_turn())
        return [replace(after, moves="PA", value_for_mover=-after.value_for_mover)]
    found = analyze(player, board, all_moves=count > 1)
    return [
        _Candidate(
            "-".join(str(square).upper() for square in move.line), move.value_for_mover,
            "100%" if move.exact else str(found.depth), found.nodes, found.seconds,
        )
        for move in found.moves[:count]
    ]  # fmt: skip


def _node_line(candidate: _Candidate) -> Iterator[str]:
    if candidate.nodes:
        yield f"nodestats {candidate.nodes} {candidate.seconds:.2f}"


def _boards_of(text: str) -> list[Board]:
    """The boards of a game in GGF, from its start."""
    games = list(ggf.read(text))
    if len(games) != 1:
        raise ValueError(f"set game takes one game in GGF, got {len(games)}")
    game = games[0]
    if isinstance(game, Problem):
        raise ValueError(f"the game cannot be read: {game.reason}")
    boards = [game.start]
    for entry in game.entries:
        boards.append(_after(boards[-1], "pa" if entry == _core.WRITTEN_PASS else str(Square(entry))))
    return boards


def _after(board: Board, move: str) -> Board:
    """The board after a move; the pass before it may be left out."""
    if move.lower() in ("pa", "pass"):
        return board.pass_turn()
    return board.settled().play(move)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
