"""The league of the CEC 2006 competition, with players of the kinds of its twelve finalists: Tables I-III.

Entries were weight matrices or multi-layer perceptrons (section III-C); except for two finalists their
authors and methods are unknown, and their weights are lost. So ours are matrices and perceptrons made in
twelve ways. Each seed makes its own league: all that is learned is learned afresh.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from outflank.games.statistics import Tally
from outflank.games.tournaments.standings import PairResult, Standings
from outflank.players.names import NamedPlayer, named_player
from outflank.plots.tournaments import draw_tournament
from outflank.studies.claims import lies_above
from outflank.studies.experiment import find_experiments
from outflank.studies.kim_2007.hybrid import SEED_PLAYER, champion_settings
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import SCORES, Finding, Measured, Outcome, ResultTable, mean_of_runs

EVOLVED, SEED = "evolved", "seed of the evolved"
PRELIMINARY_EPSILON = 0.1  # section III-C: a thousand games against the standard heuristic


@dataclass(frozen=True)
class League:
    """One league of twelve, and what came before it."""

    standings: Standings
    preliminary: Mapping[str, Tally]  # against the standard heuristic
    duel: Tally  # the evolved one against its seed, more games of it

    def score(self, name: str) -> float:
        return next(row.score for row in self.standings.rows if row.player == name)

    def rank(self, name: str) -> float:
        """1 for the most points; ties share the mean of their ranks."""
        return mean_rank([row.score for row in self.standings.rows], self.score(name))

    def interval(self, name: str) -> tuple[float, float]:
        return next(row.ci95 for row in self.standings.rows if row.player == name)


def mean_rank(scores: Sequence[float], own: float) -> float:
    """The rank of a score among all, itself included.

    >>> mean_rank([0.9, 0.5, 0.5, 0.1], 0.5)
    2.5
    """
    higher, equal = sum(score > own for score in scores), sum(score == own for score in scores)
    return higher + (equal + 1) / 2


def rank_interval(intervals: Sequence[tuple[float, float]], own: tuple[float, float]) -> tuple[float, float]:
    """The possible ranks of a player: others are surely above or below if their whole interval is.

    >>> rank_interval([(0.8, 0.9), (0.4, 0.6), (0.5, 0.7), (0.1, 0.2)], (0.4, 0.6))
    (2.0, 3.0)
    """
    surely_above = sum(low > own[1] for low, _ in intervals)
    surely_below = sum(high < own[0] for _, high in intervals)
    return float(1 + surely_above), float(len(intervals) - surely_below)


def table(lab: Laboratory) -> Outcome:
    """A league of twelve at the experiment's share of random moves, once for each seed."""
    fields = _fields(lab)
    leagues = [_league(lab, seed, field) for seed, field in fields.items()]
    epsilon = lab.settings["epsilon"]
    title = f"Scores with {epsilon:.0%} random moves, the league of seed {lab.seeds[0]}"
    results = [result for result in leagues[0].standings.results.values() if result.first < result.second]
    return Outcome(
        _findings(leagues),
        [lab.draw("league", "Who scored what against whom, and the ratings that follow.", draw_league,
                  results, title)],
        [_standings_table(lab, leagues)],
    )  # fmt: skip


def draw_league(results: Sequence[PairResult], title: str) -> Figure:
    """The heat map of a tournament, as wide as all figures."""
    figure = draw_tournament(Standings.of(results), title)
    figure.set_size_inches(8, 8 * figure.get_figheight() / figure.get_figwidth())
    return figure


def _fields(lab: Laboratory) -> dict[int, list[NamedPlayer]]:
    """The twelve players of each league, by its seed."""
    players = find_experiments(["kim-2007/table-1"])[0].settings(lab.scale)["players"]
    learned: dict[str, tuple[str, Mapping[str, Any]]] = {EVOLVED: champion_settings(lab.scale)}
    learned |= {
        name: (how["preset"], {key: value for key, value in how.items() if key != "preset"})
        for name, how in players.items()
        if "preset" in how
    }
    runs = lab.learn_all(learned)
    fields: dict[int, list[NamedPlayer]] = {}
    for number, seed in enumerate(lab.seeds):
        field = [runs[EVOLVED][number].player("best", name=EVOLVED)]
        field.append(runs[EVOLVED][number].player(SEED_PLAYER, name=SEED))
        field += [runs[name][number].player("last", name=name) for name in learned if name != EVOLVED]
        field += [
            replace(named_player(how["built_in"]), name=name)
            for name, how in players.items()
            if "built_in" in how
        ]
        fields[seed] = field
    return fields


def _league(lab: Laboratory, seed: int, field: Sequence[NamedPlayer]) -> League:
    s = lab.settings
    standings = lab.tournament(
        f"league {seed}", field, double_games=s["double_games"], epsilon=s["epsilon"], seed=seed
    )
    heuristic = named_player("standard-heuristic")
    preliminary = {
        player.name: lab.match(
            f"preliminary {seed} {player.name}", player, heuristic,
            double_games=s["preliminary_double_games"], epsilon=PRELIMINARY_EPSILON, seed=seed,
        )
        for player in field
    }  # fmt: skip
    duel = lab.match(
        f"duel {seed}", field[0], field[1],
        double_games=s["duel_double_games"], epsilon=s["epsilon"], seed=seed,
    )  # fmt: skip
    return League(standings, preliminary, duel)


def _findings(leagues: Sequence[League]) -> dict[str, Finding]:
    first = leagues[0]
    intervals = [row.ci95 for row in first.standings.rows]
    found: dict[str, Finding] = {}
    for key, name in {"evolved": EVOLVED, "seed": SEED}.items():
        alone = rank_interval(intervals, first.interval(name))
        found[f"rank of {key}"] = _over(
            [league.rank(name) for league in leagues], alone, (1.0, len(intervals))
        )
        scores = [league.score(name) for league in leagues]
        found[f"score of {key}"] = _over(scores, first.interval(name), SCORES)
    found["duel"] = duel = _over([league.duel.score for league in leagues], first.duel.ci95, SCORES)
    found["beats its seed"] = lies_above("score against its seed", duel, 0.5)
    leads = [league.score(EVOLVED) - league.score(SEED) for league in leagues]
    lead = _over(leads, _apart(leads[0], first.interval(EVOLVED), first.interval(SEED)))
    found["above its seed"] = lies_above("lead over its seed in the league", lead, 0.0)
    leads = [league.preliminary[SEED].score - league.preliminary[EVOLVED].score for league in leagues]
    before = _over(leads, _apart(leads[0], first.preliminary[SEED].ci95, first.preliminary[EVOLVED].ci95))
    found["behind before"] = lies_above("the seed's lead in the preliminary league", before, 0.0)
    return found


def _over(
    samples: Sequence[float], alone: tuple[float, float], within: tuple[float, float] = (-1.0, 1.0)
) -> Measured:
    return mean_of_runs(samples, alone, "league", within)


def _apart(lead: float, a: tuple[float, float], b: tuple[float, float]) -> tuple[float, float]:
    """The interval of a lead, the difference of two independent scores with these intervals."""
    reach = float(np.hypot(a[1] - a[0], b[1] - b[0])) / 2
    return lead - reach, lead + reach


def _standings_table(lab: Laboratory, leagues: Sequence[League]) -> ResultTable:
    """The paper's table beside ours, rank by rank, best mean score first."""
    names = sorted(leagues[0].standings.players, key=lambda name: -_mean(leagues, name))
    rows = []
    for place, name in enumerate(names):
        published = lab.settings["paper"][place]
        ranks = ", ".join(f"{league.rank(name):g}" for league in leagues)
        before = float(np.mean([league.preliminary[name].score for league in leagues]))
        rows.append(
            (str(place + 1), published[0], " ".join(map(str, published[1:])), name,
             f"{_mean(leagues, name):.3f}", ranks, f"{before:.3f}")
        )  # fmt: skip
    header = ("rank", "paper", "win draw loss", "ours", "mean score", "rank in each league",
              "score against the heuristic")  # fmt: skip
    games = leagues[0].standings.rows[0].tally.games
    return ResultTable(f"The paper's league, and ours of {games:,} games per player", header, rows)


def _mean(leagues: Sequence[League], name: str) -> float:
    return float(np.mean([league.score(name) for league in leagues]))
