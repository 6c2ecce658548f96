"""Tournaments: pairs that do not depend on the rest, results that survive, standings that add up."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, pairwise, permutations
from pathlib import Path

import numpy as np
import pytest

from outflank import (
    Board,
    Match,
    Standings,
    Tally,
    Tournament,
    TournamentSettings,
    named_player,
    read_start_positions,
)
from outflank.games.batch import Forfeit
from outflank.games.tournaments.folder import TournamentFolder
from outflank.games.tournaments.standings import PairResult
from outflank.games.tournaments.tournament import pair_seed, pairs

SETTINGS = TournamentSettings(double_games=150, epsilon=0.1, seed=5)
NAMES = ("all-2", "standard-heuristic", "random", "all-2,view=negation")
WON = Tally(150, 0, 50, (10, 0, 30, 0, 60))


def tournament(
    *names: str, settings: TournamentSettings = SETTINGS, threads: int | None = None
) -> Tournament:
    return Tournament([named_player(name) for name in names], settings, threads=threads)


def test_pairs_do_not_depend_on_order_company_or_threads() -> None:
    whole = tournament(*NAMES, threads=2)
    standings = whole.play()
    for names in (tuple(reversed(NAMES)), NAMES[1:], NAMES[:2]):
        other = tournament(*names, threads=1)
        other.play()
        assert other.results == {pair: whole.results[pair] for pair in other.results}
    reordered = tournament(*reversed(NAMES)).play()
    assert reordered.report() == standings.report()
    assert reordered.table_csv() == standings.table_csv()
    assert reordered.matrix_csv() == standings.matrix_csv()


def test_a_pair_is_a_match_with_a_seed_of_its_own() -> None:
    played = tournament("random", "all-2")
    played.play()
    seed = pair_seed(5, "all-2", "random")
    twin = Match(named_player("all-2"), named_player("random"), double_games=150, epsilon=0.1, seed=seed)
    assert played.results["all-2", "random"].tally == twin.play()
    seeds = {pair_seed(s, a, b) for s in (1, 2) for a, b in permutations(NAMES, 2)}
    assert len(seeds) == 2 * 6
    assert pair_seed(1, "a,b", "c") != pair_seed(1, "a", "b,c")


@pytest.mark.parametrize("steps", [1, 2, 4, 7])
def test_taken_up_after_any_step_it_ends_the_same(steps: int) -> None:
    settings = replace(SETTINGS, double_games=400)
    unbroken = tournament(*NAMES, settings=settings)
    unbroken.play()
    first = tournament(*NAMES, settings=settings)
    list(islice(first.steps(), steps))
    assert 0 < first.games_left < 6 * 800
    players = [named_player(name) for name in NAMES]
    second = Tournament(players, settings, results=first.results.values())
    assert second.games_left == first.games_left
    second.play()
    assert second.results == unbroken.results


def test_players_that_have_played_can_always_be_compared() -> None:
    assert pairs(["c", "a", "b"]) == [("a", "c"), ("b", "c"), ("a", "b")]
    partial = tournament(*NAMES)
    for _ in partial.steps():
        assert len(partial.standings().rows) >= 2


def test_starts_are_taken_in_turn(shared: Path) -> None:
    boards = read_start_positions(shared / "positions" / "lucas-boards.txt")[:20]
    settings = TournamentSettings(double_games=20, epsilon=0.0, starts=boards)
    names = ("all-2", "standard-heuristic")
    seed = pair_seed(1, *names)
    match = Match(*map(named_player, names), double_games=20, starts=boards, seed=seed)
    played = tournament(*names, settings=settings)
    played.play()
    assert played.results[names].tally == match.play()


def test_the_matrix_of_the_published_players(shared: Path) -> None:
    """A round robin on record: 1,000 Lucas boards, no forced random moves, the row's % against the column."""
    files = {
        "JaskowskiSzubert2015CoCMAES-4,inversion": [70.4, 67.0, 69.1, 78.3, 85.8, 77.4],
        "SzubertJaskowskiKrawiec2013CTDL,negation": [50.8, 55.3, 60.9, 95.0, 76.0],
        "JaskowskiSzubert2015CoCMAES-2,inversion": [49.0, 60.3, 87.4, 72.5],
        "Manning2010Nash70,negation": [54.4, 76.9, 79.7],
        "Burrow2011ETDL,negation": [92.3, 82.7],
        "Jaskowski2014All2,inversion": [90.8],
    }
    names = [str(shared / "players" / "{}.player,view={}".format(*file.rsplit(",", 1))) for file in files] + [
        "standard-heuristic"
    ]
    boards = read_start_positions(shared / "positions" / "lucas-boards.txt")
    standings = tournament(*names, settings=TournamentSettings(1000, 0.0, boards)).play()
    for first, on_record in zip(names, files.values(), strict=False):
        for second, percent in zip(names[-len(on_record) :], on_record, strict=True):
            # Both runs break ties at random; 2 % is three standard errors of a difference.
            assert standings.results[first, second].tally.score == pytest.approx(percent / 100, abs=0.02)
    assert standings.rows[0].player == names[0]


def test_rows_add_up() -> None:
    standings = tournament(*NAMES).play()
    rows = {row.player: row for row in standings.rows}
    assert sum(row.points for row in rows.values()) == 6 * 300
    for player, row in rows.items():
        own = [result for (first, _), result in standings.results.items() if first == player]
        assert row.tally.games == 900
        assert row.tally.wins == sum(result.tally.wins for result in own)
        assert row.score == pytest.approx(np.mean([result.tally.score for result in own]))
        assert row.ci95[0] < row.score < row.ci95[1]
    # All pairs played as much, so ratings order players as points do.
    assert [row.points for row in standings.rows] == sorted(
        (row.points for row in rows.values()), reverse=True
    )
    matrix = standings.matrix
    off_diagonal = ~np.eye(4, dtype=bool)
    np.testing.assert_allclose((matrix + matrix.T)[off_diagonal], 1)
    assert np.isnan(np.diagonal(matrix)).all()


def test_score_intervals_cover() -> None:
    """Against opponents of very different strength: their difference is no chance, so it is left out."""
    random = np.random.default_rng(2)
    chances = {"weak": 0.95, "even": 0.5, "strong": 0.1}
    covered, widths = 0, []
    for _ in range(300):
        results = [
            PairResult("me", name, Tally.of_disc_differences(np.where(random.random(200) < chance, 1, -1)))
            for name, chance in chances.items()
        ]
        (row,) = (row for row in Standings.of(results).rows if row.player == "me")
        low, high = row.ci95
        covered += int(low <= np.mean(list(chances.values())) <= high)
        widths.append(high - low)
    assert 0.91 < covered / 300 < 0.99  # 3 standard errors of 0.95 over 300
    assert np.mean(widths) < 0.8 * np.diff(sum((r.tally for r in results), Tally()).ci95)[0]


def test_rock_paper_scissors() -> None:
    legs = [("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")]
    results = [PairResult(*leg, WON) for leg in legs] + [PairResult("rock", "well", WON)]
    (cycle,) = Standings.of(results).cycles
    assert cycle.is_significant
    assert cycle.scores == (0.75, 0.75, 0.75)
    assert set(pairwise(cycle.players * 2)) == set(legs)
    close = Tally(101, 0, 99, (1, 0, 97, 0, 2))
    (cycle,) = Standings.of([*results[:2], PairResult("paper", "rock", close)]).cycles
    assert not cycle.is_significant
    even = Tally(100, 0, 100, (0, 0, 100, 0, 0))
    assert Standings.of([*results[:2], PairResult("paper", "rock", even)]).cycles == ()


def test_cycles_are_those_of_a_slow_search() -> None:
    random = np.random.default_rng(4)
    names = [f"p{i}" for i in range(7)]
    score = {}
    results = []
    for a, b in pairs(names):
        tally = Tally.of_disc_differences(random.choice([-1, 0, 1], size=60))
        results.append(PairResult(a, b, tally))
        score[a, b], score[b, a] = tally.score, 1 - tally.score
    expected = {
        frozenset(three)
        for three in permutations(names, 3)
        if all(score[three[i], three[(i + 1) % 3]] > 0.5 for i in range(3))
    }
    standings = Standings.of(results)
    assert {frozenset(cycle.players) for cycle in standings.cycles} == expected
    assert len(standings.cycles) == len(expected) > 0
    places = [standings.players.index(cycle.players[0]) for cycle in standings.cycles]
    assert all(
        place == min(map(standings.players.index, cycle.players))
        for place, cycle in zip(places, standings.cycles, strict=True)
    )
    marks = [cycle.is_significant for cycle in standings.cycles]
    assert marks == sorted(marks, reverse=True)


def test_names_with_commas_and_quotes_come_back_from_csv() -> None:
    names = ("td-all-rounder,depth=4,solve=12", 'gtp:my "engine", really', "plain")
    results = [PairResult(a, b, WON) for a, b in pairs(names)]
    standings = Standings.of(results)
    table = list(csv.DictReader(io.StringIO(standings.table_csv())))
    assert sorted(row["player"] for row in table) == sorted(names)
    assert {row["player"]: float(row["score"]) for row in table} == {
        row.player: row.score for row in standings.rows
    }
    header, *rows = csv.reader(io.StringIO(standings.matrix_csv()))
    assert tuple(header[1:]) == tuple(row[0] for row in rows) == standings.players
    assert [row[i + 1] for i, row in enumerate(rows)] == ["", "", ""]


def test_forfeits_are_counted_and_listed() -> None:
    forfeits = (Forfeit(3, "broken", "it died", False), Forfeit(8, "broken", "illegal move z9", False))
    results = [
        PairResult("a", "b", WON),
        PairResult("a", "broken", WON, forfeits),
        PairResult("b", "broken", WON),
    ]
    standings = Standings.of(results)
    assert {row.player: row.forfeits for row in standings.rows} == {"a": 0, "b": 0, "broken": 2}
    assert {row.player: row.forfeits_of_opponents for row in standings.rows} == {"a": 2, "b": 0, "broken": 0}
    with_b, with_broken = results[0].tally, results[1].tally
    (best,) = (row for row in standings.rows if row.player == "a")
    assert best.finished.games == best.tally.games - 2
    assert best.finished.wins == with_b.wins + with_broken.wins - 2
    assert (best.finished.losses, best.finished.draws) == (best.tally.losses, best.tally.draws)
    assert standings.report()["forfeits"] == [
        {"player": "broken", "opponent": "a", "game": 3, "reason": "it died"},
        {"player": "broken", "opponent": "a", "game": 8, "reason": "illegal move z9"},
    ]


@pytest.mark.parametrize(
    ("names", "settings", "sentence"),
    [
        (("all-2",), SETTINGS, "at least two players, got all-2"),
        ((), SETTINGS, "at least two players, got none"),
        (("all-2", "random", "all-2"), SETTINGS, "all-2 is named twice"),
        (("all-2", "random"), replace(SETTINGS, epsilon=1.5), "epsilon must be within 0..1"),
        (("all-2", "random"), replace(SETTINGS, double_games=0), "at least one double game"),
        (("all-2", "random"), replace(SETTINGS, starts=()), "at least one start position"),
    ],
)
def test_what_makes_no_tournament(
    names: tuple[str, ...], settings: TournamentSettings, sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence):
        tournament(*names, settings=settings)
    with pytest.raises(ValueError, match="a seed is a whole number"):
        TournamentSettings(seed=1 << 64)
    with pytest.raises(ValueError, match="no game has been played"):
        Standings.of([PairResult("a", "b")])


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[TournamentFolder]:
    place = TournamentFolder(tmp_path / "t")
    with place.alone():
        place.write_settings(NAMES, replace(SETTINGS, starts=(Board(), Board.from_transcript("f5"))))
        yield place


def test_a_folder_keeps_everything(folder: TournamentFolder) -> None:
    assert folder.players() == list(NAMES)
    settings = folder.settings()
    assert (settings.double_games, settings.epsilon, settings.seed) == (150, 0.1, 5)
    assert settings.starts == (Board(), Board.from_transcript("f5"))
    assert list(folder.results()) == []
    saved = PairResult("all-2", "all-2,view=negation", WON, (Forfeit(2, "all-2", "hung, then\ndied", True),))
    folder.save(saved)
    assert list(folder.results()) == [saved]


def test_damaged_folders_are_clear_errors(folder: TournamentFolder) -> None:
    folder.save(PairResult("all-2", "random", WON))
    (pair,) = (folder.path / "pairs").iterdir()
    good = json.loads(pair.read_text())
    for broken in (
        "", "{", "[]", json.dumps(good | {"wins": -1}), json.dumps(good | {"wins": 151}),
        json.dumps(good | {"double_games": [0, 0, 40, 0, 60]}), json.dumps(good | {"second": "somebody"}),
        json.dumps(good | {"double_games": [1, 2]}), json.dumps(good | {"wins": "many"}),
        json.dumps(good | {"forfeits": [{"game": 1, "player": "somebody", "reason": ""}]}),
        json.dumps(good | {"forfeits": [{"game": 1, "player": "random", "reason": ""}] * 2}),
    ):  # fmt: skip
        pair.write_text(broken)
        with pytest.raises(ValueError, match=rf"{pair.name} is damaged"):
            list(folder.results())
    (folder.path / "tournament.json").write_text('{"players": 3}')
    with pytest.raises(ValueError, match=r"tournament.json is damaged at players"):
        folder.players()


def test_other_settings_and_changed_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "my.player"
    file.write_text(" ".join(["0.5"] * 64))
    place = TournamentFolder(tmp_path / "t")
    names = ["all-2", f"{file},view=negation"]
    with place.alone():
        place.write_settings(names, SETTINGS)
    place.check_same([*names, "random"], {"epsilon": 0.1, "double_games": 150, "seed": 5})
    place.check_same([], {})
    for wanted, sentence in (
        ({"epsilon": 0.2}, "its epsilon is 0.1, not 0.2"),
        ({"double_games": 1500}, "its double games are 150, not 1,500"),
        ({"seed": 6}, "its seed is 5, not 6"),
        ({"starts": (Board.from_transcript("f5"),)}, "its starts are other boards"),
    ):
        with pytest.raises(ValueError, match=sentence):
            place.check_same(names, wanted)
    with pytest.raises(ValueError, match="has one more player, all-2"):
        place.check_same(names[1:], {})
    file.write_text(" ".join(["0.25"] * 64))
    with pytest.raises(ValueError, match="its file has changed"):
        place.check_same(names, {})


def test_one_process_at_a_time(folder: TournamentFolder) -> None:
    with pytest.raises(ValueError, match="another process is playing"), TournamentFolder(folder.path).alone():
        pass
