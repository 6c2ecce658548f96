r"""The NBoard protocol, versions 1 and 2: our players as engines in NBoard and programs like it.

>>> from outflank import named_player
>>> engine = NBoardEngine(named_player("all-2"))
>>> "".join(engine.answers("ping 3\n"))
'pong 3\n'

Specification: Chris Welty's Protocol.htm, in the instructions of NTest. A value is for the player to
move; a line that is not understood is ignored; `go` does not play, it waits for the move to be told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from outflank import _core
from outflank.board import Board, Square
from outflank.games.formats import ggf
from outflank.games.game import Problem
from outflank.interfaces.engines.verdict import Verdict, best_verdicts, verdict_on
from outflank.players.greedy import Player
from outflank.players.search import DEEPEST, SearchPlayer

_MOVE = re.compile(r"([a-h][1-8]|pa(?:ss)?)(?:/.*)?", re.IGNORECASE)


class NBoardEngine:
    """A player's side of an NBoard conversation."""

    def __init__(self, player: Player) -> None:
        self.finished = False
        self._player = player
        self._boards: list[Board] | None = [Board()]  # of the game, passes too; None if it is not known

    def answers(self, line: str) -> Iterator[str]:
        """Piece by piece: what is thought of goes out before the thinking is over."""
        command, _, rest = line.strip().partition(" ")
        try:
            yield from (f"{answer}\n" for answer in self._answers(command, rest.strip()))
        except Exception as error:  # a player may fail in any way; the program must hear of it
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
            self._play(command)  # version 1: a move without the word

    def _set(self, what: str, value: str) -> Iterator[str]:
        """`set depth` limits a search by nodes or time; a fixed depth in the player's name stays. `set
        contempt` changes nothing."""
        if what == "depth":
            if isinstance(self._player, SearchPlayer) and value.isdigit():
                self._player = self._player.with_depth(max(1, min(int(value), DEEPEST)))
            yield f"set myname outflank {self._player.name}"
        elif what == "game":
            self._boards = None
            self._boards = _boards_of(value)

    def _game(self) -> list[Board]:
        if self._boards is None:
            raise ValueError("the game is not known after the last error; set it anew")
        return self._boards

    def _play(self, text: str) -> None:
        boards = self._game()
        self._boards = None  # a move that cannot be played leaves us without the program's board
        match = _MOVE.fullmatch(text)
        if match is None:
            raise ValueError(f"{text[:20]!r} is not a move; moves are a1 to h8 and PA")
        self._boards = [*boards, _after(boards[-1], match[1])]

    def _go(self) -> Iterator[str]:
        board = self._game()[-1]
        yield "status thinking"
        verdict = verdict_on(self._player, board)
        if verdict.value_for_mover is not None and verdict.move is not None:
            yield _search_line(verdict)
        yield from _node_line(verdict)
        value = "" if verdict.value_for_mover is None else f"{verdict.value_for_mover:.2f}"
        yield f"=== {verdict.name}/{value}/{verdict.seconds:.2f}"
        yield "status"

    def _hint(self, count: int) -> Iterator[str]:
        board = self._game()[-1]
        yield "status analyzing"
        verdicts = best_verdicts(self._player, board, count)
        for verdict in verdicts:
            yield _search_line(verdict)
        yield from _node_line(verdicts[0])
        yield "status"

    def _analyze(self) -> Iterator[str]:
        """From the end of the game back to its start; passes count as moves."""
        boards = self._game()
        yield "status analyzing"
        for number in range(len(boards) - 1, -1, -1):
            verdict = verdict_on(self._player, boards[number])
            if verdict.value_for_mover is not None:
                yield f"analysis {number} {verdict.value_for_mover:.2f}"
        yield "status"


def _search_line(verdict: Verdict) -> str:
    value = 0.0 if verdict.value_for_mover is None else verdict.value_for_mover
    return f"search {verdict.line} {value:.2f} 0 {verdict.depth}"


def _node_line(verdict: Verdict) -> Iterator[str]:
    if verdict.nodes:
        yield f"nodestats {verdict.nodes} {verdict.seconds:.2f}"


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
