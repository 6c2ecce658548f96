from pathlib import Path
from typing import Any

import numpy as np
import pytest

from outflank import Board, PieceCounter
from outflank.board import Square
from outflank.learners.runs.evolution_run import EvolutionRun
from outflank.learners.runs.evolution_settings import EvolutionSettings
from outflank.learners.runs.folder import RunFolder
from outflank.learners.runs.settings import load_preset
from outflank.players.greedy import GreedyPlayer
from outflank.studies.chong_2003.iago import endgame_counts, over_groups
from outflank.studies.chong_2003.mobility import mobility_along
from outflank.studies.chong_2003.playing_style import play_counted
from outflank.studies.chong_2003.points import block_means, over_runs
from outflank.studies.chong_2003.runs import PDP, PSP, Generation, ReplayedRun, chosen, random_openings
from outflank.studies.laboratory import FinishedRun

MOVES = {"opening_plies": 6, "middle": [11, 40]}


def watched(generation: int, points: list[int], ends: list[list[int]]) -> dict[str, Any]:
    """A line of a log: points against both watchers, and how the first parent's games ended."""
    watch = {
        "watchers": [PDP, PSP],
        "points": points,
        "most_points": 20,
        "points_difference": points[1] - points[0],
        "plies_beaten": [[4] * won + [2] * (10 - won) for won in points],
        "best_discs": [[[2, 2], end] for end in ends],
    }
    return {"generation": generation, "watch": watch}


@pytest.fixture
def run(tmp_path: Path) -> FinishedRun:
    settings = load_preset("chong-2003").settings
    folder = RunFolder.create(tmp_path / "run", settings, seed=1)
    folder.rewrite_log(
        [
            watched(1, [9, 4], [[40, 24], [33, 31]]),
            watched(2, [0, 6], [[10, 54], [32, 32]]),
            watched(3, [5, 5], [[50, 14], [20, 44]]),
            watched(4, [10, 10], [[50, 14], [60, 4]]),
        ]
    )
    return FinishedRun(folder.path, 1)


def test_generations_are_chosen_within_their_window(run: FinishedRun) -> None:
    assert chosen([run], [1, 3], "most points").number == 1
    assert chosen([run], [1, 4], "most points").number == 4
    assert chosen([run], [1, 4], "greatest difference").number == 2
    assert chosen([run], [2, 3], "most points").number == 3


def test_the_narrowest_win_is_a_win_over_both_before_it_is_narrow(run: FinishedRun) -> None:
    assert chosen([run], [1, 4], "narrowest win").number == 1
    assert chosen([run], [2, 4], "narrowest win").number == 4  # generation 2 drew, but did not win


def test_numbers_of_a_generation(run: FinishedRun) -> None:
    generation = Generation(run, run.log()[0])
    assert (generation.points(PDP), generation.points(PSP), generation.all_points) == (9, 4, 13)
    assert (generation.difference, generation.parents, generation.margin(PSP)) == (-5, 10, 2)


def test_replayed_games_are_those_of_the_run(tmp_path: Path) -> None:
    settings = load_preset("chong-2003", {"generations": 2, "measure_double_games": 1}).settings
    assert isinstance(settings, EvolutionSettings)
    evolution = EvolutionRun.create(tmp_path / "run", settings, seed=2)
    for _ in evolution.steps():
        pass
    replayed = ReplayedRun(FinishedRun(tmp_path / "run", 2), [1, 2])
    for entry in evolution.folder.log():
        for opponent, discs in zip(settings.watch, entry["watch"]["best_discs"], strict=True):
            moves = [
                Square(int(m)) for m in replayed.benchmark_game(entry["generation"], opponent)[0] if m != 255
            ]
            board, counted = Board(), [[2, 2]]
            for move in moves:
                board = board.settled().play(move)
                counted.append([board.black.bit_count(), board.white.bit_count()])
            assert counted == discs


def test_the_last_moves_are_counted_for_black_in_first_and_white_in_second_games() -> None:
    start = Board("-OX-----" + 48 * "-" + "XO------" + " X")  # a1 makes White pass, c8 ends the game
    row = [Square("a1"), Square("c8")] + [255] * 58
    along = mobility_along(np.array([row, row], dtype=np.uint8), [start, start])
    counts = endgame_counts(along, first_move=1)
    assert counts["left"] == [0.0, 0.0]  # White never moved
    assert counts["one or none"] == [1.0, 1.0]
    assert counts["own"] == [1.5, 0.0]
    assert counts["by move"][:3] == [0.0, None, None]


def test_blocks_and_intervals_of_one_run() -> None:
    assert block_means(np.arange(6.0).reshape(2, 3), 2).tolist() == [[0.5], [3.5]]
    assert block_means(np.array([[4.0]]), 50).tolist() == [[4.0]]
    alone = over_runs(np.array([[0.2, 0.2, 0.4, 0.4]]), 2)
    assert alone.value == pytest.approx(0.3)
    assert alone.ci95[0] < 0.3 < alone.ci95[1]
    assert over_runs(np.array([[0.2, 0.4], [0.4, 0.6]]), 2).of == "2 runs"
    assert over_groups(np.array([[[1.0, 2.0], [3.0, 4.0]]])).value == 2.5


def test_players_who_change_seats_change_their_counts() -> None:
    openings = random_openings(4, 6, seed=2)
    weights = np.random.default_rng(4).normal(size=(2, 64))  # all different, so that no two moves are equal
    first, second = (GreedyPlayer(PieceCounter(row)) for row in weights)
    there, back = (
        np.array(play_counted(*pair, openings, MOVES)) for pair in ((first, second), (second, first))
    )
    assert there[4:6].tolist() == back[4:6][::-1].tolist()  # corners
    assert there[4:6].min() > 0
    assert there[8] + back[8] == there[9] == back[9] == 8  # points of eight games
    assert there[6] + back[6] == pytest.approx(there[7])  # shares of the discs
