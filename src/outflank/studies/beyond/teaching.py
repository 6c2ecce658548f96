"""What a teacher's settings are worth, one change at a time: static error on solved boards of another
player's games, and the score at one ply and with search against the player that it started from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from outflank.studies.agreement import of_runs, same_sign
from outflank.studies.claims import opposite, retested
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
    rows = [_row(lab, name, changes[name], runs[name], boards, errors[name]) for name in changes]
    even, nothing, stages = (s["claims"][key] for key in ("even depth", "from nothing", "fewer stages"))
    return Outcome(
        {
            "even depth": is_less("biases", _biases(errors[BASE]), _biases(errors[even])),
            "from nothing": is_less("mean errors", _means(errors[BASE]), _means(errors[nothing])),
            "fewer stages": is_less("mean errors", _means(errors[BASE]), _means(errors[stages])),
        },
        [],
        [
            ResultTable(
                f"{len(boards.scores):,} boards with {s['empties']} empty squares; discs, means of the runs;"
                " scores of the first run",
                ["variant", "changes", "mean error", "bias", "slope", "correlation",
                 f"one ply against {s['start']}", f"depth {s['depth']} against the same"],
                rows,
            )
        ],
    )  # fmt: skip


def _errors(boards: SolvedBoards, runs: list[FinishedRun]) -> Floats:
    """Of each board: [runs, boards]."""
    return np.array([boards.errors(_evaluator(run)) for run in runs])


def _evaluator(run: FinishedRun) -> CoreEvaluator:
    player = run.player()
    assert isinstance(player, GreedyPlayer)
    assert isinstance(player.evaluator, CoreEvaluator)
    return player.evaluator


def _row(
    lab: Laboratory,
    name: str,
    changed: Mapping[str, Any],
    runs: Sequence[FinishedRun],
    boards: SolvedBoards,
    errors: Floats,
) -> list[str]:
    s = lab.settings
    values = boards.scores - errors
    slope = float(np.mean([np.polyfit(row, boards.scores, 1)[0] for row in values]))
    correlation = float(np.mean([np.corrcoef(row, boards.scores)[0, 1] for row in values]))
    scores = []
    for depth, double_games in ((1, s["double_games"]), (s["depth"], s["searched_double_games"])):
        options = "" if depth == 1 else f"depth={depth}"
        opponent = named_player(f"{s['start']},{options}".rstrip(","))
        starts = random_openings(s["plies"], double_games, seed=3)
        tally = lab.match(f"{name}, depth {depth}", runs[0].player(options=options), opponent,
                          double_games=double_games, starts=starts)  # fmt: skip
        scores.append(score_text(tally.score, tally.ci95))
    return [
        name, ", ".join(f"{key} = {value}" for key, value in changed.items()) or "nothing",
        f"{np.abs(errors).mean():.2f}", f"{errors.mean():+.2f}", f"{slope:.2f}", f"{correlation:.3f}",
        *scores,
    ]  # fmt: skip


def _means(errors: Floats) -> list[float]:
    """Of each run, the mean size of an error."""
    found: list[float] = np.abs(errors).mean(axis=1).tolist()
    return found


def _biases(errors: Floats) -> list[float]:
    """Of each run, how far its mean error is from zero."""
    found: list[float] = np.abs(errors.mean(axis=1)).tolist()
    return found


@retested
def is_less(what: str, first: Sequence[float], second: Sequence[float]) -> Claim:
    """The first runs have lower values: Welch's 95 % interval of the difference lies below 0; above, it is
    refuted. One run says nothing about a setting, on however many boards.

    >>> is_less("errors", [1.0, 2.0, 3.0], [7.0, 8.0, 9.1])
    Claim(holds=True, evidence='errors 2.00 and 8.03 discs, difference -6.03 (-8.36 to -3.71), 3 runs each')
    >>> is_less("errors", [1.0], [9.0])
    Claim(holds=None, evidence='errors 1.00 and 9.00 discs; one run has no spread')
    """
    means = f"{what} {np.mean(first):.2f} and {np.mean(second):.2f} discs"
    if min(len(first), len(second)) < 2:
        return Claim(None, f"{means}; one run has no spread")
    found = of_runs(second, first)
    low, high = found.ci95
    return Claim(
        opposite(same_sign(found.ci95, 0)),
        f"{means}, difference {found.difference:+.2f} ({low:+.2f} to {high:+.2f}), {len(first)} runs each",
    )
