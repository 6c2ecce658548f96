"""Replays many recorded games at once, in the core.

>>> replays = replay_records([GameRecord(Game.from_transcript("f5d6c3"))])
>>> bool(replays.over[0]), int(replays.disc_differences[0])
(False, 3)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.board import Board, Square
from outflank.games.game import LONGEST_RECORD, Game, GameRecord, ParsedGame, Problem, matrix_of

PASS: int = _core.WRITTEN_PASS
_SQUARES = tuple(Square(i) for i in range(64))
_GAMES_AT_A_TIME = 1 << 14


@dataclass(frozen=True)
class Replays:
    """The course of games, one element per game."""

    legal: npt.NDArray[np.uint8]  # how many entries from the start are legal
    passes: npt.NDArray[np.uint64]  # bit i: an unwritten pass before entry i (bit 63: or later)
    over: npt.NDArray[np.bool_]  # neither side can move
    black: npt.NDArray[np.int64]  # discs after the last legal move
    white: npt.NDArray[np.int64]

    @property
    def disc_differences(self) -> npt.NDArray[np.int64]:
        """Black's discs minus White's; empty squares do not count."""
        return self.black - self.white

    @property
    def winner_takes_empties(self) -> npt.NDArray[np.int64]:
        """Black's discs minus White's; empty squares go to the winner, as tournaments count."""
        difference = self.disc_differences
        return difference + np.sign(difference).astype(np.int64) * (64 - self.black - self.white)


def replay_records(records: Sequence[GameRecord]) -> Replays:
    """Replays records, whose moves need not be legal."""
    return replay_entries(
        [bytes(record.game.moves) for record in records], [record.game.start for record in records]
    )


def replay_entries(entries: Sequence[bytes], starts: Sequence[Board]) -> Replays:
    width = max(map(len, entries), default=0)
    legal, passes, over, black, white = _core.replay_records(
        matrix_of(entries, width),
        np.array([start.black for start in starts], dtype=np.uint64),
        np.array([start.white for start in starts], dtype=np.uint64),
        np.array([start.mover == "black" for start in starts], dtype=bool),
    )
    discs = (np.bitwise_count(side).astype(np.int64) for side in (black, white))
    return Replays(legal, passes, over.astype(bool), *discs)


def checked(parsed: Iterable[ParsedGame | Problem], source: str) -> Iterator[GameRecord | Problem]:
    """Records of the legal games, in order; a problem for each of the others."""
    waiting = iter(parsed)
    while batch := list(islice(waiting, _GAMES_AT_A_TIME)):
        games = [game for game in batch if isinstance(game, ParsedGame) and _is_sane(game)]
        replays = replay_entries([game.entries for game in games], [game.start for game in games])
        legal, passes = iter(replays.legal.tolist()), iter(replays.passes.tolist())
        for game in batch:
            if isinstance(game, Problem):
                yield game
            elif not _is_sane(game):
                reason = f"there are {len(game.entries)} moves, and a game has at most 60"
                yield Problem(game.number, game.where, reason)
            else:
                reason = _objection(game, next(legal), next(passes))
                yield Problem(game.number, game.where, reason) if reason else _record(game, source)


def _is_sane(game: ParsedGame) -> bool:
    return len(game.entries) <= LONGEST_RECORD


def _record(game: ParsedGame, source: str) -> GameRecord:
    squares = game.entries.replace(bytes([PASS]), b"") if PASS in game.entries else game.entries
    moves = tuple([_SQUARES[square] for square in squares])
    details: dict[str, Any] = game.details
    return GameRecord(Game(moves, game.start), source=source, number=game.number, **details)


def _objection(game: ParsedGame, legal: int, passes: int) -> str:
    """What is wrong with the moves; empty if nothing is."""
    if legal < len(game.entries):
        return _illegal(game, legal)
    # If the sides alternate and all passes are written, the movers are right.
    if game.movers and (passes or not _alternate(game.movers, game.start)):
        return _wrong_mover(game)
    return ""


def _illegal(game: ParsedGame, legal: int) -> str:
    board = _board_after(game.start, game.entries[:legal])
    entry, number = game.entries[legal], _move_number(game.entries, legal)
    if entry == PASS:
        return f"move {number} is a pass, but {board.mover} has a legal move"
    if board.is_over:
        return f"move {number} ({Square(entry)}) comes after the end of the game"
    return f"move {number} ({Square(entry)}) is not legal for {board.settled().mover}"


def _wrong_mover(game: ParsedGame) -> str:
    board = game.start
    for at, (entry, letter) in enumerate(zip(game.entries, game.movers or "", strict=True)):
        board = board if entry == PASS else board.settled()
        if letter != board.mover[0].upper():
            number = _move_number(game.entries, at)
            return f"move {number} is written as {letter}'s, but it is {board.mover}'s turn"
        board = _after(board, entry)
    return ""


def moves_by_colour(game: Game, passes: int) -> Iterator[tuple[str, Square | None]]:
    """B or W with each move, and with None for each pass; bit i of `passes`: one before move i."""
    mover, opponent = "BW" if game.start.mover == "black" else "WB"
    for i, move in enumerate(game.moves):
        if passes >> i & 1:
            yield mover, None
            mover, opponent = opponent, mover
        yield mover, move
        mover, opponent = opponent, mover


def _alternate(movers: str, start: Board) -> bool:
    turns = "BW" if start.mover == "black" else "WB"
    return (turns * len(movers)).startswith(movers)


def _move_number(entries: bytes, at: int) -> int:
    return at + 1 - entries.count(PASS, 0, at)


def _board_after(start: Board, entries: bytes) -> Board:
    board = start
    for entry in entries:
        board = _after(board if entry == PASS else board.settled(), entry)
    return board


def _after(board: Board, entry: int) -> Board:
    return board.pass_turn() if entry == PASS else board.play(entry)
