"""The learned system against a champion, while it learns: Table 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from outflank.games.statistics import Tally
from outflank.players.greedy import Player
from outflank.players.names import named_player
from outflank.studies.claims import lies_above
from outflank.studies.inference import share_interval
from outflank.studies.kim_2007.hybrid import evolved_champion
from outflank.studies.laboratory import FinishedRun, Laboratory
from outflank.studies.lucas_2007.learning_curve import AS_PRINTED, changes_of
from outflank.studies.verdicts import SCORES, Finding, Measured, Outcome, ResultTable, mean_of_runs

CHAMPION = "evolved MLP"
Runs = Mapping[tuple[str, int], Sequence[FinishedRun]]  # by named setting and number of games


def table_1(lab: Laboratory) -> Outcome:
    """Wins, draws and losses against the evolved network of Kim's hybrid after more and more games."""
    s = lab.settings
    champion = evolved_champion(lab).player("best", name=CHAMPION)
    runs = learned_stages(lab, s["self_play"])
    tallies = {stage: _matches(lab, stage, of_stage, champion) for stage, of_stage in runs.items()}
    early = tallies[AS_PRINTED, s["early"]]
    findings: dict[str, Finding] = {
        **{f"score at {games}": score_of(tallies[AS_PRINTED, games]) for games in s["self_play"]},
        "won early": won_share(early),
        "defeated": lies_above(f"score after {s['early']} games", score_of(early), 0.5),
    }
    tables = [_beside_the_paper(s, tallies)]
    published = lab.published.players()
    if published:
        tables.append(_against_published(lab, runs, published))
    heuristic = lab.match(f"{CHAMPION} - heuristic", champion, named_player("standard-heuristic"),
                          double_games=s["champion_double_games"], epsilon=s["epsilon"])  # fmt: skip
    remarks = [
        f"The {CHAMPION} itself scores {_describe(score_of([heuristic]))} against the standard heuristic."
    ]
    if not published:
        remarks.append("Matches against published players need their files; there were none.")
    return Outcome(findings, tables=tables, remarks=remarks)


def learned_stages(lab: Laboratory, stages: Sequence[int]) -> Runs:
    """Each named setting after each number of games. Learning depends on settings, seed and games alone, so a
    shorter run is a longer run stopped early."""
    s = lab.settings
    wanted = {
        f"{which} {games}": (s["preset"], changes_of(s, which, games))
        for which in s["curves"]
        for games in stages
    }
    found = lab.learn_all(wanted)
    return {(which, games): found[f"{which} {games}"] for which in s["curves"] for games in stages}


def score_of(tallies: Sequence[Tally]) -> Measured:
    """The mean score of the runs.

    >>> score_of([Tally(89, 5, 106, (40, 20, 20, 10, 10))]).value
    0.4575
    """
    return mean_of_runs([tally.score for tally in tallies], alone=tallies[0].ci95, within=SCORES)


def won_share(tallies: Sequence[Tally]) -> Measured:
    """The mean share of games won; draws do not count.

    >>> won_share([Tally(135, 6, 59)]).value
    0.675
    """
    first = tallies[0]
    shares = [tally.wins / tally.games for tally in tallies]
    return mean_of_runs(shares, alone=share_interval(first.wins, first.games), within=SCORES)


def _matches(
    lab: Laboratory, stage: tuple[str, int], runs: Sequence[FinishedRun], opponent: Player
) -> list[Tally]:
    """One match per run, each with its own games."""
    s = lab.settings
    name = f"{stage[0]} {stage[1]}"
    return [
        lab.match(f"{name} seed {run.seed} - {opponent.name}", run.player(name=name), opponent,
                  double_games=s["double_games"], epsilon=s["epsilon"], seed=run.seed)
        for run in runs
    ]  # fmt: skip


def _beside_the_paper(
    s: Mapping[str, Any], tallies: Mapping[tuple[str, int], Sequence[Tally]]
) -> ResultTable:
    """Mean wins, draws and losses of our runs, in as many games as the paper's."""
    rows = []
    for games, (won, drawn, lost) in zip(s["self_play"], s["printed"], strict=True):
        row = [f"{games:,}", f"{won} / {drawn} / {lost}", f"{(won + drawn / 2) / (won + drawn + lost):.3f}"]
        for which in s["curves"]:
            of_stage = tallies[which, games]
            counts = [sum(counts) / len(of_stage) for counts in
                      zip(*((t.wins, t.draws, t.losses) for t in of_stage), strict=True)]  # fmt: skip
            row += [" / ".join(f"{count:.0f}" for count in counts), _describe(score_of(of_stage))]
        rows.append(row)
    header = ["self-play games", "paper: won / drawn / lost", "paper: score"]
    for which in s["curves"]:
        header += [f"{which}: won / drawn / lost", f"{which}: score"]
    title = f"""Over {2 * s["double_games"]} games: the paper's against the CEC 2006 champion, \
ours (mean of the runs) against the {CHAMPION}"""
    return ResultTable(title, header, rows)


def _against_published(lab: Laboratory, runs: Runs, published: Sequence[Player]) -> ResultTable:
    s = lab.settings
    stages = [(which, games) for which in s["curves"] for games in s["against_published"]]
    rows = [
        [opponent.name,
         *(_describe(score_of(_matches(lab, stage, runs[stage], opponent))) for stage in stages)]
        for opponent in published
    ]  # fmt: skip
    header = ["published player", *(f"{which}, {games:,} games" for which, games in stages)]
    return ResultTable("Score against published players, in as many games each", header, rows)


def _describe(found: Measured) -> str:
    return f"{found.value:.3f} ({found.ci95[0]:.3f} to {found.ci95[1]:.3f})"
