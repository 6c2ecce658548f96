"""The Othello League: Table III, with players of our own in it."""

from __future__ import annotations

from outflank.games.statistics import Tally
from outflank.league.scoring import EPSILON, OPPONENT, TABLE_3, Row, published_rows, ranked, row_of
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import named_player
from outflank.studies.agreement import Z, of_measurements, same_sign
from outflank.studies.inference import share_interval
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import Claim, Finding, Measured, NotMeasured, Outcome, ResultTable

PRINTED = "all-2"  # the paper's best player, with its weights as Figure 7 prints them: a built-in player
LEAGUE_GAMES = 100  # the League's own 50 double games
BURROW = "Burrow2011ETDL"  # 15 tuples with 6,561 weights: prb_nt15_001 of Table III
SUBMITTED = "wj-1-2-3-tuples"
SUBMITTED_REACH = 0.0017  # of its score, III-E
IN_THE_LEAGUE = 0.94  # what it scored there, III-E
CEILING = 0.96  # "ca. 0.96 ... cannot be significantly improved at 1-ply", III-E


def table_3(lab: Laboratory) -> Outcome:
    """The League as published, and players scored here."""
    ours = [one_ply(name) for name in lab.settings["players"]]
    published = lab.published.player(BURROW)
    players = [*ours, *([] if published is None else [published])]
    tallies = {player.name: league_tally(lab, player) for player in players}
    rows = ranked([*published_rows(), *(row_of(player, tallies[player.name]) for player in players)])
    findings: dict[str, Finding] = {
        "all-2-inv": score_of(tallies[PRINTED]),
        "prb_nt15_001": NotMeasured(f"needs the published file {BURROW}.player")
        if published is None
        else score_of(tallies[BURROW]),
        "first": _above_all_others(tallies[PRINTED]),
        "with care": _with_care(),
        "ceiling": _ceiling({player.name: tallies[player.name] for player in ours}),
    }
    header = ("place", "player", "encoding", "weights", "score", "source")
    cells = [[str(place), *_cells(row)] for place, row in enumerate(rows, start=1)]
    return Outcome(findings, tables=[ResultTable("Table III with our players in it", header, cells)])


def _above_all_others(printed: Tally) -> Claim:
    """By the z-test against the best of the others, whose own interval is printed."""
    best = max(row.score for row in TABLE_3 if row.name != "all-2-inv")
    found = of_measurements(best, SUBMITTED_REACH / Z, printed.score, printed.standard_error)
    return Claim(
        same_sign(found.ci95, 0),
        f"{printed.score:.4f}; the next, {SUBMITTED}, {best:.4f} ± {SUBMITTED_REACH:.4f}; {found.test}",
    )


def _with_care() -> Claim:
    """The League's 100 games do not contradict the score of many games."""
    score = next(row.score for row in TABLE_3 if row.name == SUBMITTED)
    low, high = share_interval(IN_THE_LEAGUE * LEAGUE_GAMES, LEAGUE_GAMES)
    return Claim(
        low <= score <= high,
        f"{IN_THE_LEAGUE} of {LEAGUE_GAMES} games is {low:.3f} to {high:.3f}, and {score} lies in it",
    )


def _ceiling(tallies: dict[str, Tally]) -> Claim:
    """No player's interval lies above the ceiling, with Bonferroni's correction for several players; refuted
    if one does. Players below it prove nothing, so that the suspicion can only be refuted."""
    from scipy import special

    name = max(tallies, key=lambda one: tallies[one].score)
    low, high = tallies[name].ci95
    reach = float(special.ndtri(1 - 0.025 / len(tallies))) * tallies[name].standard_error
    return Claim(
        False if tallies[name].score - reach > CEILING else None,
        f"{name}: {tallies[name].score:.4f} ({low:.4f} to {high:.4f})",
    )


def league_tally(lab: Laboratory, player: GreedyPlayer) -> Tally:
    """The player's League match, of as many double games as the experiment's settings say."""
    return lab.match(
        f"{player.name} against {OPPONENT}", player, named_player(OPPONENT),
        double_games=lab.settings["double_games"], epsilon=EPSILON,
    )  # fmt: skip


def score_of(tally: Tally) -> Measured:
    return Measured(tally.score, tally.ci95, f"{tally.games // 2:,} double games", games=tally.games)


def _cells(row: Row) -> list[str]:
    score = f"{row.score:g}" if row.reach is None else f"**{row.score:.4f} ± {row.reach:.4f}**"
    return [row.name, row.encoding, f"{row.weights or 0:,}", score, row.source]


def one_ply(name: str) -> GreedyPlayer:
    player = named_player(name)
    assert isinstance(player, GreedyPlayer)
    return player
