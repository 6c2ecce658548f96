"""Learning an opening book from games and from self-play (Buro, "Toward opening book learning", 1999).

>>> learner = BookLearner.new(plies=8, judge="td-all-rounder,depth=2")
>>> for step in learner.extend(games=10): pass
>>> step.games, step.positions > 20, step.waiting
(10, True, 0)

A book is a graph of positions. Each has its best deviation: the best move that leads out of the book, with
its value by a judge (a player that values moves in discs). Values propagate by negamax from the leaves to the
root. A book is extended by games that follow its good moves until they play a deviation; from there on the
judge plays both sides. So the most promising deviations are explored first.

Everything depends on the number of games and on the seed alone: a book that is interrupted and extended later
has the same bytes as one built without interruption, if the number of games is the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.board import Board, Square
from outflank.cores import available_cores
from outflank.files import write_whole
from outflank.games.game import GameRecord, matrix_of, moves_matrix
from outflank.players.greedy import GreedyPlayer, RandomPlayer
from outflank.players.names import named_player
from outflank.players.opening_book import OpeningBook
from outflank.players.search import SearchPlayer

DEFAULT_JUDGE = "td-all-rounder,depth=4"
DEFAULT_PLIES = 20
DEFAULT_VARIETY = 1.0
JUDGING_BATCH = 256
# Games in lockstep: an eighth of those played, at most 64; of large books, where propagation is most of the
# work, a 128th of them.
LARGEST_GAME_BATCH, LARGEST_GAME_SHARE = 64, 128
ATTEMPTS = 30  # to find a game that leaves the book before its last ply
IDLE_GAMES = 200  # games without a new position after which the book counts as complete

Judgement = list[tuple[Square, float]]  # all legal moves with their values for the mover, in discs


class Judge(Protocol):
    """Values moves in discs, for those that the book has not played out."""

    @property
    def name(self) -> str: ...

    def judge_moves(self, boards: Sequence[Board]) -> list[Judgement]: ...


@dataclass(frozen=True)
class PlayerJudge:
    """A named player's minimax values of moves, in discs where its evaluator's scale is known."""

    name: str
    player: SearchPlayer

    @classmethod
    def named(cls, name: str) -> PlayerJudge:
        player = named_player(name)
        if isinstance(player, GreedyPlayer):
            player = named_player(f"{name},depth=1")
        if not isinstance(player, SearchPlayer) or isinstance(player.inner, RandomPlayer):
            raise ValueError(f"{name} does not value moves, so it cannot judge a book's deviations")
        if not player.limits.is_fixed_depth:
            raise ValueError(f"{name}: a book's judge searches to a fixed depth, so that the same seed gives "
                             "the same book; leave out nodes and time")  # fmt: skip
        return cls(name, replace(player, threads=available_cores()))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know about the values."""
        if self.player.tuning is not None:
            return ()
        return (f"the scale of {self.name}'s values is unknown; they are taken as discs",)

    def judge_moves(self, boards: Sequence[Board]) -> list[Judgement]:
        return [
            [(square, self.player.in_discs(value, board)) for square, value in judged]
            for board, judged in zip(boards, self.player.judge_many(list(boards)), strict=True)
        ]


@dataclass(frozen=True)
class BookStep:
    """Progress of learning a book."""

    games: int
    positions: int
    waiting: int  # positions still to be judged


@dataclass
class _Line:
    """A game in progress, and whether it has left the book."""

    chance: np.random.Generator
    board: Board = field(default_factory=Board)
    moves: list[Square] = field(default_factory=list)
    is_new: bool = False
    attempts: int = 0

    def play(self, square: Square) -> None:
        self.moves.append(square)
        self.board = self.board.play(square).settled()

    def restart(self) -> None:
        self.board, self.moves = Board(), []
        self.attempts += 1


class BookLearner:
    """A growing book, its judge, and the settings of its random choices."""

    def __init__(
        self, core: _core.GrowingBook, judge: Judge, seed: int = 1, variety: float = DEFAULT_VARIETY
    ) -> None:
        if not variety >= 0:
            raise ValueError(f"variety is a number of discs, 0 or more, got {variety:g}")
        if not 0 <= seed < 1 << 64:
            raise ValueError(f"a seed is a whole number from 0 to 2^64 - 1, got {seed}")
        self.core = core
        self.judge = judge
        self.seed = seed
        self.variety = float(variety)

    @classmethod
    def new(
        cls,
        plies: int = DEFAULT_PLIES,
        judge: str = DEFAULT_JUDGE,
        seed: int = 1,
        variety: float = DEFAULT_VARIETY,
    ) -> BookLearner:
        if not 1 <= plies <= 60:
            raise ValueError(f"a book is 1 to 60 plies deep, got {plies}")
        return cls(_core.GrowingBook(plies), PlayerJudge.named(judge), seed, variety)

    @classmethod
    def load(cls, path: Path, judge: str | None = None) -> BookLearner:
        """Continue a book with the judge, seed and variety that its file names, or another judge."""
        book = OpeningBook.open(path)
        made = book.provenance
        named = judge or made.get("judge")
        if not isinstance(named, str):
            raise ValueError(f"{path} does not name the judge of its moves; name a player")
        seed, variety = made.get("seed", 1), made.get("variety", DEFAULT_VARIETY)
        if not isinstance(seed, int) or not isinstance(variety, float):
            raise ValueError(f"{path} has a note that contradicts itself: seed {seed!r}, variety {variety!r}")
        return cls(_core.GrowingBook.of(book.core), PlayerJudge.named(named), seed, variety)

    def save(self, path: Path) -> None:
        """Write the book; positions that are not judged yet are included, and judged first on extension."""
        self.core.propagate()
        made = {"judge": self.judge.name, "seed": self.seed, "variety": self.variety}
        write_whole(path, self.core.bytes(json.dumps(made, sort_keys=True)))

    @property
    def step(self) -> BookStep:
        return BookStep(self.core.games, len(self.core), len(self.core.not_judged()[0]))

    def add_games(self, records: Sequence[GameRecord], min_games: int = 1) -> int:
        """Add the positions that at least `min_games` of the recorded games reached, to be judged later.
        Returns the number of new positions."""
        if min_games < 1:
            raise ValueError(f"min_games must be 1 or more, got {min_games}")
        before = len(self.core)
        self._add(moves_matrix(records), [record.game.start for record in records])
        self.core.drop_rare(min_games)
        self.core.propagate()
        return len(self.core) - before

    def judge_waiting(self) -> Iterator[BookStep]:
        """Judge the waiting positions in batches, then propagate their values."""
        mover, opponent = (discs.tolist() for discs in self.core.not_judged())
        for at in range(0, len(mover), JUDGING_BATCH):
            end = at + JUDGING_BATCH
            boards = list(map(Board.from_discs, mover[at:end], opponent[at:end]))
            for board, judgement in zip(boards, self.judge.judge_moves(boards), strict=True):
                self._set_deviation(board, judgement)
            yield BookStep(self.core.games, len(self.core), len(mover) - at - len(boards))
        self.core.propagate()

    def extend(self, games: int) -> Iterator[BookStep]:
        """Play more games, each from the start along the book and out of it; stop early if the book is
        complete."""
        if games < 1:
            raise ValueError(f"a book is extended by at least one game, got {games}")
        yield from self.judge_waiting()
        end, idle = self.core.games + games, 0
        while self.core.games < end and idle < IDLE_GAMES:
            played = self.core.games
            most = max(LARGEST_GAME_BATCH, played // LARGEST_GAME_SHARE)
            count = min(end - played, max(1, played // 8), most)
            before = len(self.core)
            self._play(range(played, played + count))
            idle = idle + count if len(self.core) == before else 0
            yield BookStep(self.core.games, len(self.core), 0)

    def _play(self, numbers: range) -> None:
        """Play games in lockstep, so that the judge gets many boards at once."""
        lines = [_Line(np.random.default_rng([self.seed, number])) for number in numbers]
        judgements: dict[Board, Judgement] = {}
        claimed: set[Board] = set()  # boards whose deviation another of these games has taken
        unfinished = lines
        while unfinished:
            outside = [line for line in unfinished if not self._follow(line, claimed)]
            new = list(dict.fromkeys(line.board for line in outside if line.board not in judgements))
            judgements |= zip(new, self.judge.judge_moves(new), strict=True)
            for line in outside:
                line.play(_best(judgements[line.board])[0])
                line.is_new = True
            unfinished = [line for line in unfinished if not self._is_finished(line)]
        played = matrix_of([bytes(line.moves) for line in lines], _core.LONGEST_GAME)
        self._add(played, [Board()] * len(lines))
        for board, judgement in judgements.items():
            self._set_deviation(board, judgement)
        self.core.propagate()  # a deviation that was played is in the book now: the next best is needed
        for _ in self.judge_waiting():
            pass

    def _follow(self, line: _Line, claimed: set[Board]) -> bool:
        """Play a book move, worse ones less often. False if the board is not in the book."""
        moves = self.core.moves(line.board.mover_discs, line.board.opponent_discs)
        if not moves:
            return False
        open_moves = [move for move in moves if not (move[2] and line.board in claimed)] or moves
        square, _, is_deviation, _ = open_moves[_drawn(line.chance, open_moves, self.variety)]
        if is_deviation:
            claimed.add(line.board)
            line.is_new = True
        line.play(Square(square))
        return True

    def _is_finished(self, line: _Line) -> bool:
        if line.board.has_moves and line.board.discs < self.core.plies + 4:
            return False
        if line.is_new or line.attempts == ATTEMPTS:
            return True
        line.restart()
        return False

    def _set_deviation(self, board: Board, judgement: Judgement) -> None:
        out = self.core.moves_out(board.mover_discs, board.opponent_discs)
        moves_out = [(square, value) for square, value in judgement if out >> square & 1]
        if len(moves_out) != out.bit_count() or not all(np.isfinite(value) for _, value in moves_out):
            raise ValueError(f"{self.judge.name} does not give every legal move of {board!r} a value")
        square, value = _best(moves_out) if moves_out else (None, 0.0)
        self.core.set_deviation(board.mover_discs, board.opponent_discs, square, value)

    def _add(self, moves: npt.NDArray[np.uint8], starts: Sequence[Board]) -> None:
        self.core.add_games(
            np.array([start.black for start in starts], dtype=np.uint64),
            np.array([start.white for start in starts], dtype=np.uint64),
            np.array([start.mover == "black" for start in starts], dtype=bool),
            moves,
        )


def _best(judgement: Judgement) -> tuple[Square, float]:
    """The move of the highest value; of equals the first square."""
    return max(judgement, key=lambda judged: (judged[1], -judged[0]))


def _drawn(chance: np.random.Generator, moves: Sequence[tuple[int, float, bool, int]], variety: float) -> int:
    """The index of a move; the best is first. One that is `variety` discs worse is e times less likely."""
    if variety == 0:
        return 0
    values = np.array([value for _, value, _, _ in moves])
    weights = _core.exponentials((values - values[0]) / variety)
    return int(chance.choice(len(moves), p=weights / weights.sum()))
