"""A game move by move: the score of each position, and the loss of each move.

>>> from outflank import Game, named_player
>>> judge = named_player("all-rounder,depth=2")
>>> judged = list(judge_game(Game.from_transcript("f5d6c3d3"), judge, Solver()))
>>> [str(move.square) for move in judged], min(move.loss for move in judged) >= 0
(['f5', 'd6', 'c3', 'd3'], True)

Until the ending a player estimates every move of a position in one search, so that a loss compares values
of the same depth. With few enough empty squares the exact solver takes over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from outflank.board import Board, Colour, Square
from outflank.games.game import Game
from outflank.players.engines.player import is_external
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import named_player, split_name, with_one_ply_search
from outflank.players.plugin_player import PluginPlayer
from outflank.players.search import SearchPlayer
from outflank.players.solver import Solver

SOLVE_FROM = 20  # empty squares; a whole ending takes about half a second on two cores
MISTAKE, BLUNDER = 4.0, 10.0  # discs
SIDES: tuple[Colour, Colour] = ("black", "white")


@dataclass(frozen=True)
class JudgedGameMove:
    """A move of a game beside the best one. Scores are Black's, in discs where `is_in_discs`."""

    number: int
    mover: Colour
    square: Square
    is_after_pass: bool
    best: Square  # the move itself if none is better
    best_score_for_black: float  # what the position was worth: with the best move
    score_for_black: float  # with the move played
    exact: bool  # both scores are solved; otherwise estimated
    is_in_discs: bool = True

    @property
    def loss(self) -> float:
        """Discs that the mover gave away."""
        lost = self.best_score_for_black - self.score_for_black
        return max(0.0, lost if self.mover == "black" else -lost)

    @property
    def mark(self) -> str:
        """`?` for a loss of 4 discs or more, `??` for 10 or more."""
        if not self.is_in_discs:
            return ""
        return "??" if self.loss >= BLUNDER else "?" if self.loss >= MISTAKE else ""

    @property
    def turn(self) -> tuple[str, str] | None:
        """The result before and after for the mover, if the move gave away a win or a draw.

        Only scores in discs say who wins; an estimate must also lose as much as a mistake, since near a
        draw its sign says little.
        """
        if not self.is_in_discs:
            return None
        sign = 1 if self.mover == "black" else -1
        before, after = _result(sign * self.best_score_for_black), _result(sign * self.score_for_black)
        if before == after or not (self.exact or self.mark):
            return None
        return before, after

    def report(self) -> dict[str, Any]:
        """As plain JSON values."""
        derived = {"loss": self.loss, "mark": self.mark, "turn": self.turn}
        names = {"square": str(self.square), "best": str(self.best)}
        return asdict(self) | names | derived


def _result(score: float) -> str:
    return "won" if score > 0 else "lost" if score < 0 else "drawn"


@dataclass(frozen=True)
class SideSummary:
    """The losses of one side. Moves without a value in discs are left out."""

    moves: int
    loss: float
    exact_moves: int
    exact_loss: float
    mistakes: int  # marked ?
    blunders: int  # marked ??

    @property
    def average_loss(self) -> float | None:
        return self.loss / self.moves if self.moves else None


@dataclass(frozen=True)
class GameAnalysis:
    """The judged moves of a game: all of them, or those before an interruption."""

    game: Game
    moves: tuple[JudgedGameMove, ...]

    @property
    def is_complete(self) -> bool:
        return len(self.moves) == len(self.game.moves)

    @property
    def scores_for_black(self) -> tuple[float, ...]:
        """Before the first move and after each; NaN if not known in discs."""
        scores = [m.best_score_for_black if m.is_in_discs else float("nan") for m in self.moves]
        if not self.moves:
            return ()
        last = self.moves[-1]
        if self.is_complete and self.game.final.is_over:
            return (*scores, float(final_score(self.game.final)))
        return (*scores, last.score_for_black if last.is_in_discs else float("nan"))

    @property
    def exact(self) -> tuple[bool, ...]:
        """Which of these scores are exact."""
        if not self.moves:
            return ()
        is_over = self.is_complete and self.game.final.is_over
        return (*(move.exact for move in self.moves), is_over or self.moves[-1].exact)

    @property
    def turning_points(self) -> tuple[JudgedGameMove, ...]:
        return tuple(move for move in self.moves if move.turn is not None)

    def summary(self, colour: Colour) -> SideSummary:
        judged = [move for move in self.moves if move.mover == colour and move.is_in_discs]
        exact = [move for move in judged if move.exact]
        marks = [move.mark for move in judged]
        return SideSummary(
            len(judged), _total(judged), len(exact), _total(exact), marks.count("?"), marks.count("??")
        )

    def report(self) -> dict[str, Any]:
        """As plain JSON values."""
        sides = {colour: self.summary(colour) for colour in SIDES}
        return {
            "start": self.game.start.text,
            "transcript": self.game.transcript,
            "disc_differences": list(self.game.disc_differences),
            "is_over": self.game.final.is_over,
            "partial": not self.is_complete,
            "moves": [move.report() for move in self.moves],
            "sides": {c: asdict(side) | {"average_loss": side.average_loss} for c, side in sides.items()},
            "turning_points": [move.number for move in self.turning_points],
        }


def _total(moves: Sequence[JudgedGameMove]) -> float:
    return sum(move.loss for move in moves)


def final_score(board: Board) -> int:
    """Black's discs minus White's at the end; empty squares go to the winner, as the solver counts."""
    difference = board.disc_difference
    empty = 64 - board.discs
    return difference + (empty if difference > 0 else -empty if difference < 0 else 0)


def judge_game(
    game: Game, player: SearchPlayer, solver: Solver, solve_from: int = SOLVE_FROM
) -> Iterator[JudgedGameMove]:
    """The moves of a game one after the other, evaluated by the player or solved.

    A position with `solve_from` or fewer empty squares is solved, however long it takes.
    """
    solved: tuple[Board, float, Square] | None = None
    for number, (square, before, after) in enumerate(
        zip(game.moves, game.boards[:-1], game.boards[1:], strict=True), start=1
    ):
        board = before.settled()
        if 64 - board.discs > solve_from:
            best, best_score, score, exact, in_discs = _estimated(board, square, player)
            if in_discs and after.is_over:  # a search counts the discs alone, a result the empty squares too
                is_best = best_score == score
                score = float(final_score(after))
                best_score = score if is_best else best_score
        else:
            known = solved if solved is not None and solved[0] == board else _solved(board, solver)
            solved = _solved(after.settled(), solver)
            (_, best_score, best), (_, score, _) = known, solved
            exact = in_discs = True
        yield JudgedGameMove(
            number, board.mover, square, board != before, square if best_score == score else best,
            best_score, score, exact, in_discs,
        )  # fmt: skip


def _solved(board: Board, solver: Solver) -> tuple[Board, float, Square]:
    """A board, its exact score for Black, and a best move (any square if the game is over)."""
    if board.is_over:
        return board, float(final_score(board)), Square(0)
    solution = solver.solve(board)
    assert solution.best is not None
    sign = 1 if board.mover == "black" else -1
    return board, float(sign * solution.score_for_mover), solution.best


def _estimated(board: Board, square: Square, player: SearchPlayer) -> tuple[Square, float, float, bool, bool]:
    """The best move, its score and that of the move played for Black, exact or not, in discs or not."""
    analysis = player.analyze(board, all_moves=True)
    # Not simply the first: a search out of time has searched some moves deeper than others.
    best = max(analysis.moves, key=lambda move: move.value_for_mover)
    played = next(move for move in analysis.moves if move.square == square)
    sign = 1 if board.mover == "black" else -1
    exact = best.exact and played.exact
    return (
        best.square, sign * best.value_for_mover, sign * played.value_for_mover, exact,
        exact or analysis.is_in_discs,
    )  # fmt: skip


def analyst(name: str, threads: int) -> SearchPlayer:
    """A player that can evaluate all moves of a board, on this many threads unless its name says otherwise.

    >>> analyst("all-rounder,depth=6", threads=2).threads
    2
    """
    if is_external(name):
        raise ValueError(
            f"{name} is an external engine that reports moves, not their values; analyse with another player"
        )
    player = named_player(name)
    if isinstance(player, GreedyPlayer):
        player = with_one_ply_search(player)
    if isinstance(player, PluginPlayer) and player.gives_values:
        player = SearchPlayer(player, name=name)
    if not isinstance(player, SearchPlayer) or not _gives_values(player):
        raise ValueError(f"{name} has no evaluator, so it cannot evaluate moves; analyse with another player")
    threads = player.threads if "threads" in split_name(name)[1] else threads
    return replace(player, threads=threads, name=name)


def _gives_values(player: SearchPlayer) -> bool:
    inner = player.inner
    return isinstance(inner, GreedyPlayer) or (isinstance(inner, PluginPlayer) and inner.gives_values)
