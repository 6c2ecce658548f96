"""Matches: threads, batches and players that live in Python give the same games."""

from __future__ import annotations

import numpy as np
import pytest

from outflank import Board, Game, GreedyPlayer, Match, RandomPlayer, _core, named_player
from outflank.games.match import Batch

HEURISTIC, ALL_2 = named_player("standard-heuristic"), named_player("all-2")


def records(match: Match, record: bool = True) -> tuple[list[int], list[list[int]]]:
    batches = list(match.batches(record=record))
    differences = [int(d) for batch in batches for d in batch.disc_differences]
    moves = [row.tolist() for batch in batches if batch.moves is not None for row in batch.moves]
    return differences, moves


def test_threads_do_not_change_the_games() -> None:
    played = [
        records(Match(ALL_2, HEURISTIC, double_games=300, epsilon=0.1, seed=9, threads=threads))
        for threads in (1, 2, 8)
    ]
    assert played[0] == played[1] == played[2]


def test_records_do_not_change_the_games_and_batches_join() -> None:
    match = Match(ALL_2, HEURISTIC, double_games=200, epsilon=(0.1, 0.3))
    with_moves, without = records(match), records(match, record=False)
    assert with_moves[0] == without[0]
    one = match._play_batch(0, 400, record=True)
    assert one.disc_differences.tolist() == with_moves[0]
    later = match._play_batch(250, 30, record=True)
    assert later.disc_differences.tolist() == with_moves[0][250:280]


def test_a_game_by_the_rules_of_epsilon_othello() -> None:
    """An independent twin of the game loop, drawing from the same streams."""
    epsilons = (0.25, 0.1)
    match = Match(ALL_2, HEURISTIC, double_games=30, epsilon=epsilons, seed=77)
    for number, game in enumerate(match.games()):
        assert game == _twin(number, (ALL_2, HEURISTIC), epsilons, seed=77)


def _twin(number: int, players: tuple[object, ...], epsilons: tuple[float, float], seed: int) -> Game:
    draws = iter(_core.stream_numbers(seed, number, 200).tolist())
    board, moves = Board(), []
    while not board.is_over:
        if not board.has_moves:
            board = board.pass_turn()  # no draw on a pass
        turn = 0 if (board.mover == "black") == (number % 2 == 0) else 1
        legal = list(board.legal_moves)
        if (next(draws) >> 11) * 2.0**-53 < epsilons[turn]:
            candidates = legal
        else:
            player = players[turn]
            assert isinstance(player, GreedyPlayer)
            judged = player.judge(board)
            best = max(value for _, value in judged)
            candidates = [move for move, value in judged if value >= best - 1e-6]
            if len(candidates) == 1:
                moves.append(candidates[0])
                board = board.play(candidates[0])
                continue
        choice = candidates[(next(draws) >> 32) * len(candidates) >> 32]
        moves.append(choice)
        board = board.play(choice)
    return Game(tuple(moves))


def test_forced_moves_are_uniform_over_all_legal_moves() -> None:
    """With epsilon 1 the first move is uniform: a chi-square bound that fails once in 10,000 seeds."""
    from scipy.stats import chisquare

    games = Match(ALL_2, HEURISTIC, double_games=5000, epsilon=1.0, seed=5).games()
    squares, counts = np.unique([game.moves[0] for game in games], return_counts=True)
    assert squares.tolist() == [19, 26, 37, 44]
    assert chisquare(counts).pvalue > 1e-4


def test_epsilon_follows_the_player_not_the_colour() -> None:
    """A player that is always forced plays as the random player does."""
    forced = Match(ALL_2, HEURISTIC, double_games=4000, epsilon=(1.0, 0.0), seed=2).play()
    random = Match(RandomPlayer(), HEURISTIC, double_games=4000, seed=3).play()
    assert abs(forced.score - random.score) < 4 * (forced.standard_error**2 + random.standard_error**2) ** 0.5
    assert forced.score < 0.3


def test_ties_are_broken_uniformly() -> None:
    """To the symmetric heuristic all four first moves are best; the same chi-square bound."""
    from scipy.stats import chisquare

    games = list(Match(HEURISTIC, ALL_2, double_games=3000, seed=8).games())
    _, counts = np.unique([game.moves[0] for game in games[::2]], return_counts=True)
    assert len(counts) == 4
    assert chisquare(counts).pvalue > 1e-4


class FirstMove:
    """A player object that knows nothing of evaluators."""

    name = "first-move"

    def choose(self, board: Board) -> int:
        return board.legal_moves[0]


def test_any_player_object_can_play() -> None:
    match = Match(FirstMove(), ALL_2, double_games=10, epsilon=0.1)
    games = list(match.games())
    assert len(games) == 20
    assert all(game.final.is_over for game in games)
    assert match.play().games == 20


def test_an_illegal_choice_names_the_player() -> None:
    class Cheat(FirstMove):
        name = "cheat"

        def choose(self, board: Board) -> int:  # noqa: ARG002
            return 0

    with pytest.raises(ValueError, match="cheat chose 0, which is not a legal move"):
        Match(Cheat(), ALL_2, double_games=1).play()


def test_starts_are_shared_by_a_double_game() -> None:
    starts = [Board.from_transcript("f5d6"), Board.from_transcript("f5f6e6")]
    match = Match(ALL_2, HEURISTIC, double_games=5, starts=starts, epsilon=0.2)
    assert [game.start for game in match.games()] == [starts[i] for i in (0, 0, 1, 1, 0, 0, 1, 1, 0, 0)]
    assert all(game.final.is_over for game in match.games())


def test_disc_differences_along_the_games() -> None:
    match = Match(ALL_2, HEURISTIC, double_games=20, epsilon=0.1)
    batch = match._play_batch(0, 40, record=True)
    trajectories = match.disc_differences(batch)
    assert trajectories.shape == (40, 61)
    for trajectory, game in zip(trajectories, match.games(), strict=True):
        differences = list(game.disc_differences)
        assert trajectory[: len(differences)].tolist() == differences
        assert (trajectory[len(differences) :] == differences[-1]).all()
    with pytest.raises(ValueError, match="without records"):
        match.disc_differences(Batch(0, batch.disc_differences, None))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"epsilon": 1.5}, "epsilon must be within 0..1, got 1.5"),
        ({"epsilon": (0.1, -0.1)}, "epsilon must be within 0..1, got -0.1"),
        ({"epsilon": float("nan")}, "epsilon must be within 0..1, got nan"),
        ({"double_games": 0}, "at least one double game"),
        ({"starts": []}, "at least one start"),
        ({"seed": -1}, "a seed is a whole number"),
        ({"threads": -1}, "threads must be within"),
    ],
)
def test_bad_arguments(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Match(ALL_2, HEURISTIC, **({"double_games": 1} | arguments))  # type: ignore[arg-type]
