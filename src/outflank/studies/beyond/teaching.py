"""What a teacher's settings are worth, one change at a time: static error on solved boards of another
player's games, and the score at one ply and with search against the player that it started from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from outflank import _core
from outflank.evaluators.protocol import CoreEvaluator
from outflank.games.positions import random_openings
from outflank.games.statistics import score_text
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import named_player
from outflank.studies.laboratory import FinishedRun, Laboratory
from outflank.studies.verdicts import Claim, Outcome, ResultTable

Floats = npt.NDArray[np.float64]
BASE = "as the preset"


@dataclass(frozen=True)
class SolvedBoards:
    """Boards, seen with the side that moved last as Black, and their exact scores for that side."""

    black: npt.NDArray[np.uint64]
    white: npt.NDArray[np.uint64]
    scores: Floats

    @classmethod
    def of(cls, player: GreedyPlayer, games: int, empties: int, seed: int) -> SolvedBoards:
        """One board from each of many games of a player, with random openings and forced random moves."""
        settings = _core.LabelSettings()
        settings.random_plies, settings.seed, settings.solved = 16, seed, empties
        settings.fewest_empties = settings.most_empties = empties
        assert isinstance(player.evaluator, CoreEvaluator)
        black, white, discs = _core.label_games(player.evaluator.core, settings, 0, games)
        return cls(black, white, discs.astype(np.float64))

    def errors(self, evaluator: CoreEvaluator) -> Floats:
        """Scores minus values."""
        return self.scores - evaluator.values(self.black, self.white)


def teaching(lab: Laboratory) -> Outcome:
    """Every variant of the teacher, and the player it starts from."""
    s = lab.settings
    changes: Mapping[str, Mapping[str, Any]] = s["variants"]
    runs = lab.learn_all(
        {name: (s["preset"], {**s["shared"], **changed}) for name, changed in changes.items()}
    )
    start = named_player(s["start"])
    assert isinstance(start, GreedyPlayer)
    boards = SolvedBoards.of(start, s["boards"], s["empties"], s["boards_seed"])
    errors = {name: _errors(boards, of_name) for name, of_name in runs.items()}
    rows = [_row(lab, name, changes[name], runs[name][0], boards, errors[name]) for name in changes]
    even, nothing, stages = (s["claims"][key] for key in ("even depth", "from nothing", "fewer stages"))
    return Outcome(
        {
            "even depth": _less_bias(errors[BASE], errors[even]),
            "from nothing": _less_error(errors[BASE], errors[nothing]),
            "fewer stages": _less_error(errors[BASE], errors[stages]),
        },
        [],
        [
            ResultTable(
                f"{len(boards.scores):,} boards with {s['empties']} empty squares; discs",
                ["variant", "changes", "mean error", "bias", "slope", "correlation",
                 f"one ply against {s['start']}", f"depth {s['depth']} against the same"],
                rows,
            )
        ],
    )  # fmt: skip


def _errors(boards: SolvedBoards, runs: list[FinishedRun]) -> Floats:
    """Of each board, the mean over runs."""
    evaluators = [_evaluator(run) for run in runs]
    return np.asarray(np.mean([boards.errors(one) for one in evaluators], axis=0))


def _evaluator(run: FinishedRun) -> CoreEvaluator:
    player = run.player()
    assert isinstance(player, GreedyPlayer)
    assert isinstance(player.evaluator, CoreEvaluator)
    return player.evaluator


def _row(
    lab: Laboratory,
    name: str,
    changed: Mapping[str, Any],
    run: FinishedRun,
    boards: SolvedBoards,
    errors: Floats,
) -> list[str]:
    s = lab.settings
    values = boards.scores - errors
    slope = float(np.polyfit(values, boards.scores, 1)[0])
    correlation = float(np.corrcoef(values, boards.scores)[0, 1])
    scores = []
    for depth, double_games in ((1, s["double_games"]), (s["depth"], s["searched_double_games"])):
        options = "" if depth == 1 else f"depth={depth}"
        opponent = named_player(f"{s['start']},{options}".rstrip(","))
        starts = random_openings(s["plies"], double_games, seed=3)
        tally = lab.match(f"{name}, depth {depth}", run.player(options=options), opponent,
                          double_games=double_games, starts=starts)  # fmt: skip
        scores.append(score_text(tally.score, tally.ci95))
    return [
        name, ", ".join(f"{key} = {value}" for key, value in changed.items()) or "nothing",
        f"{np.abs(errors).mean():.2f}", f"{errors.mean():+.2f}", f"{slope:.2f}", f"{correlation:.3f}",
        *scores,
    ]  # fmt: skip


def _less_error(first: Floats, second: Floats) -> Claim:
    return _paired(np.abs(first), np.abs(second), "mean errors")


def _less_bias(first: Floats, second: Floats) -> Claim:
    """The mean of the first is nearer to zero: they have one sign, or nearly."""
    sign = np.sign(second.mean())
    return _paired(sign * first, sign * second, "biases")


def _paired(first: Floats, second: Floats, what: str) -> Claim:
    """The first mean is lower, by the 95 % interval of the difference on the same boards.

    >>> _paired(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.1]), "errors")
    Claim(holds=True, evidence='errors 2.00 and 5.03 discs, difference -3.03 (-3.10 to -2.97)')
    """
    difference = first - second
    reach = 1.96 * float(difference.std(ddof=1)) / len(difference) ** 0.5
    low, high = float(difference.mean()) - reach, float(difference.mean()) + reach
    holds = True if high < 0 else False if low > 0 else None
    return Claim(
        holds,
        f"{what} {first.mean():.2f} and {second.mean():.2f} discs, difference {difference.mean():+.2f} "
        f"({low:+.2f} to {high:+.2f})",
    )
