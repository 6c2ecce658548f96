"""Kim 2007: its tables as they are printed, the champion that all experiments share, who meets whom."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from outflank import Board, Game, Match
from outflank.learners.runs.folder import RunFolder
from outflank.players.opening_book import OpeningBook
from outflank.studies.experiment import SCALES, Experiment, experiment_names, find_experiments
from outflank.studies.game_analysis import SIDES
from outflank.studies.kim_2007.advantages import JudgedGame, moves_in_book, of_games
from outflank.studies.kim_2007.competition import mean_rank, rank_interval
from outflank.studies.kim_2007.hybrid import SEED_PLAYER, evolved_champion, weights_of
from outflank.studies.kim_2007.version_matches import play_populations
from outflank.studies.kim_2007.versions import (
    VERSIONS,
    Runs,
    evolved_versions,
    generations_in_equal_time,
    population_of,
    seconds_along,
)
from outflank.studies.laboratory import Laboratory

OF_VERSIONS = ("table-4", "table-5", "table-6", "figure-5", "figure-6", "figure-7", "figure-8", "figure-9")


def experiment(name: str) -> Experiment:
    return find_experiments([f"kim-2007/{name}"])[0]


def test_every_table_and_figure_of_the_text_is_there() -> None:
    names = {name.partition("/")[2] for name in experiment_names() if name.startswith("kim-2007/")}
    assert names == {f"figure-{n}" for n in range(1, 10)} | {f"table-{n}" for n in range(1, 7)}


@pytest.mark.parametrize(("name", "games"), [("table-1", 2), ("table-2", 20), ("table-3", 20)])
def test_the_leagues_are_printed_as_they_can_have_been(name: str, games: int) -> None:
    """Nobody plays more or fewer games than the caption says, and every win is somebody's loss."""
    table = [row[1:] for row in experiment(name).settings("paper")["paper"]]
    assert [sum(row) for row in table] == [games * 11] * 12
    wins, draws, losses = np.sum(table, axis=0)
    assert wins == losses
    assert draws % 2 == 0


@pytest.mark.parametrize("name", ["table-5", "table-6"])
def test_the_meetings_are_those_of_800_games(name: str) -> None:
    found = experiment(name)
    table: dict[str, list[int]] = found.settings("paper")["paper"]
    assert {sum(row) for row in table.values()} == {800}
    numbers = {row.key: row.paper for row in found.rows if row.key in table}
    shares = {pair: (wins + draws / 2) / 800 for pair, (wins, draws, _) in table.items()}
    assert numbers == pytest.approx(shares, abs=1e-4)


@pytest.mark.parametrize("name", ["table-1", "table-2", "table-3"])
def test_the_rows_of_the_leagues_are_those_of_their_tables(name: str) -> None:
    found = experiment(name)
    table = {row[0]: (place, row[1:]) for place, row in enumerate(found.settings("paper")["paper"], start=1)}
    numbers = {row.key: row.paper for row in found.rows}
    for key, player in (("evolved", "kjkim-mlp-3"), ("seed", "mlp-again2")):
        place, (wins, draws, losses) = table[player]
        assert numbers[f"rank of {key}"] == place
        assert numbers[f"score of {key}"] == pytest.approx(
            (wins + draws / 2) / (wins + draws + losses), abs=1e-4
        )


def test_the_experiments_with_the_four_versions_share_their_runs() -> None:
    for scale in SCALES:
        settings = [experiment(name).settings(scale) for name in OF_VERSIONS]
        assert len({str([s[key] for key in ("preset", "changes", "generations")]) for s in settings}) == 1
        assert len({experiment(name).seeds(scale) for name in OF_VERSIONS}) == 1


def test_the_paper_s_generations_follow_from_its_times() -> None:
    seconds = {"EV": 864.0, "EV_E": 259200 / 327, "EV_O": 259200 / 597, "EV_O_E": 259200 / 770}
    assert generations_in_equal_time(seconds, 300) == {"EV": 300, "EV_E": 327, "EV_O": 597, "EV_O_E": 770}


def test_the_champion_is_the_same_run_whoever_asks(tmp_path: Path) -> None:
    first = evolved_champion(Laboratory(experiment("figure-4"), "quick", tmp_path, seeds=2))
    made = (first.path / "last.safetensors").stat().st_mtime_ns
    again = evolved_champion(Laboratory(find_experiments(["lucas-2007/figure-9"])[0], "quick", tmp_path))
    assert again.path == first.path
    assert (again.path / "last.safetensors").stat().st_mtime_ns == made
    seed, evolved = weights_of(first.player(SEED_PLAYER)), weights_of(first.player("last"))
    steps = np.abs(evolved - seed)
    assert seed.size == 2113  # the paper's count
    assert steps.max() > 0
    assert np.allclose(steps / 0.01, np.round(steps / 0.01), atol=1e-3)  # moved by whole steps of 0.01


def test_ranks() -> None:
    assert mean_rank([3.0, 1.0, 2.0], 3.0) == 1
    assert mean_rank([1.0, 1.0, 1.0], 1.0) == 2
    assert rank_interval([(0.6, 0.7), (0.3, 0.4)], (0.6, 0.7)) == (1, 1)
    assert rank_interval([(0.5, 0.7), (0.4, 0.6)], (0.4, 0.6)) == (1, 2)


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    return evolved_versions(Laboratory(experiment("table-6"), "quick", tmp_path_factory.mktemp("versions")))


def test_a_version_is_evolved_with_its_own_knowledge(versions: Runs) -> None:
    styles = {name: population_of(name, runs[0]).style for name, runs in versions.items()}
    knowledge = {name: (bool(style.book), style.solve) for name, style in styles.items()}
    assert knowledge == {"EV": (False, 0), "EV_E": (False, 3), "EV_O": (True, 0), "EV_O_E": (True, 3)}
    assert {(style.depth, style.book_best) for style in styles.values()} == {(2, 3)}


def test_a_population_is_that_of_its_checkpoint(versions: Runs) -> None:
    run = versions["EV_O"][0]
    saved = RunFolder.open(run.path).load_checkpoint()
    assert saved is not None
    assert (population_of("EV_O", run).weights == saved[0]["optimiser parents"]).all()
    times = seconds_along(run)
    assert times == sorted(times)
    assert len(times) == 4


def test_everyone_meets_everyone_with_both_colours(versions: Runs) -> None:
    """Without a book nothing is left to chance, so that a plain match of each pair says the same."""
    first, second = (population_of(name, versions[name][0]) for name in ("EV", "EV_E"))
    outcomes = play_populations(first, second)
    for number, outcome in enumerate(outcomes.tolist()):
        tally = Match(first.player(number // 4), second.player(number % 4), double_games=1).play()
        assert outcome == [tally.wins, tally.draws, tally.losses]
    turned = play_populations(second, first).reshape(4, 4, 3).transpose(1, 0, 2)[..., ::-1]
    assert (outcomes.reshape(4, 4, 3) == turned).all()


def test_the_opening_ends_when_its_owner_no_longer_knows_the_board() -> None:
    book = OpeningBook.open("default")
    line = Game(tuple(move.square for move in book.main_line(Board())))
    assert moves_in_book(line, book, SIDES) == len(line.moves)  # to its last move somebody knew the board
    length, stray = next(
        (length, square)
        for length, board in enumerate(line.boards)
        for square in board.legal_moves
        if board.play(square) not in book
    )
    strays = Game((*line.moves[:length], stray, line.boards[length].play(stray).legal_moves[0]))
    knows_no_more, knows = strays.boards[length + 1].mover, line.boards[length].mover
    assert moves_in_book(strays, book, [knows_no_more]) == length + 1
    assert moves_in_book(strays, book, [knows]) == length + 2
    assert moves_in_book(strays, book, []) == len(strays.moves)


def test_a_mean_of_runs_is_one_of_their_means() -> None:
    def game(advantage: float) -> JudgedGame:
        return JudgedGame([advantage] * 61, 0, (0.0, 0.0))

    found = of_games([[game(1.0), game(3.0)], [game(6.0)]], lambda g: g.advantages[-1])
    assert (found.value, found.of) == (4.0, "2 runs")
    alone = of_games([[game(1.0), game(3.0)]], lambda g: g.advantages[-1])
    assert alone.value == 2.0
    assert alone.ci95[0] < 1.0 < 3.0 < alone.ci95[1]
    assert [game(x).result for x in (-4.0, 0.0, 2.0)] == [0.0, 0.5, 1.0]


def test_the_versions_are_those_of_the_paper_s_order() -> None:
    assert list(VERSIONS) == list(experiment("table-4").settings("paper")["paper"])
