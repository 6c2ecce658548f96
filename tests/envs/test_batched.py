"""Batches of games: the games of a match, the same on any number of threads, and clear refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from outflank import Board, Match, RandomPlayer, named_player
from outflank.envs import BatchedOthello, BatchStep
from outflank.games.positions import random_openings


def _finished(batch: BatchedOthello, games: int) -> dict[int, int]:
    """Disc differences of the first games for their first player, by number, with random moves."""
    numbers = np.arange(batch.games)
    found: dict[int, int] = {}
    while not all(number in found for number in range(games)):
        moved_black = batch.black_to_move
        step = batch.step(batch.random_actions())
        for slot in np.flatnonzero(step.terminated):
            is_first = bool(moved_black[slot]) == (numbers[slot] % 2 == 0)
            difference = int(step.disc_differences[slot])
            found[int(numbers[slot])] = difference if is_first else -difference
            numbers[slot] += batch.games
    return found


@pytest.mark.parametrize("opponent", [None, "random", "all-2"])
@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_a_batch_plays_the_games_of_a_match(opponent: str | None, epsilon: float) -> None:
    starts = random_openings(plies=4, count=3)
    batch = BatchedOthello(10, opponent=opponent, epsilon=epsilon, starts=starts, seed=5)
    second = named_player(opponent or "random")
    match = Match(RandomPlayer(), second, double_games=30, epsilon=epsilon, starts=starts, seed=5)
    expected = np.concatenate([part.disc_differences for part in match.batches()]).tolist()
    found = _finished(batch, 60)
    assert [found[number] for number in range(60)] == expected


def _steps(batch: BatchedOthello, steps: int) -> list[BatchStep]:
    return [batch.step(batch.random_actions()) for _ in range(steps)]


def test_threads_and_resets_do_not_change_the_games() -> None:
    one = BatchedOthello(600, opponent="all-2", epsilon=0.1, seed=3)
    three = BatchedOthello(600, opponent="all-2", epsilon=0.1, seed=8, threads=3, copy=False)
    three.reset(seed=3)
    for _ in range(40):
        actions = one.random_actions()
        assert (actions == three.random_actions()).all()
        for mine, theirs in zip(
            vars(one.step(actions)).values(), vars(three.step(actions)).values(), strict=True
        ):
            assert (mine == theirs).all()


def test_observations_follow_the_rules() -> None:
    batch = BatchedOthello(3, seed=1)
    boards = [Board()] * 3
    for step in range(200):
        mover, opponent = batch.bitboards
        masks, planes = batch.masks, batch.observations.reshape(3, 2, 64)
        for i, board in enumerate(boards):
            assert (int(mover[i]), int(opponent[i])) == (board.mover_discs, board.opponent_discs)
            assert tuple(np.flatnonzero(masks[i])) == board.legal_moves
            assert [sum(1 << int(s) for s in np.flatnonzero(plane)) for plane in planes[i]] == [
                board.mover_discs, board.opponent_discs]  # fmt: skip
            assert batch.black_to_move[i] == (board.mover == "black")
        actions = [
            board.legal_moves[(7 * step + i) % len(board.legal_moves)] for i, board in enumerate(boards)
        ]
        found = batch.step(actions)
        for i, (board, action) in enumerate(zip(boards, actions, strict=True)):
            after = board.play(action).settled()
            assert found.terminated[i] == after.is_over
            difference = after.disc_difference * (1 if board.mover == "black" else -1) if after.is_over else 0
            assert (found.disc_differences[i], found.rewards[i]) == (difference, np.sign(difference))
            boards[i] = Board() if after.is_over else after


def test_arrays_are_the_callers_own_unless_asked_otherwise() -> None:
    batch = BatchedOthello(5)
    kept = batch.step(batch.random_actions())
    before = kept.observations.copy()
    batch.step(batch.random_actions())
    assert (kept.observations == before).all()
    shared = BatchedOthello(5, copy=False)
    first, _ = shared.reset()
    assert shared.step(shared.random_actions()).observations is first


def test_wrong_actions_are_refused_before_any_move() -> None:
    batch = BatchedOthello(4)
    legal = [37, 37, 37, 37]
    for actions, sentence in (
        ([37, 37, 0, 37], "action 0 in game 2 is not a legal move"),
        ([37, 37, 37, 300], "action 300 in game 3 is outside 0..63"),
        ([37, 37, 37, -1], "action -1 in game 3 is outside 0..63"),
        ([37], "one per game; got an array of shape \\(1,\\)"),
        ([37.0] * 4, "whole numbers.*float64"),
        (np.full(4, 255, dtype=np.uint8), "action 255 in game 0 is not a legal move"),
    ):
        with pytest.raises(ValueError, match=sentence):
            batch.step(actions)
    assert batch.step(legal).masks.sum() == 4 * 3


def test_wrong_settings_are_refused() -> None:
    over = Board("X" * 64 + " X")
    for arguments, sentence in (
        ({"games": 0}, "1 to 16,777,216 games, got 0"),
        ({"games": 1, "epsilon": 2}, "epsilon must be within 0..1"),
        ({"games": 1, "seed": -1}, "a seed is a whole number"),
        ({"games": 1, "starts": []}, "at least one start"),
        ({"games": 1, "starts": [over]}, "it is over"),
        ({"games": 1, "threads": 0}, "threads must be within"),
        ({"games": 1, "opponent": "all-3"}, "all-2"),
        ({"games": 1, "opponent": "all-2,time=1"}, "does not play in the core"),
    ):
        with pytest.raises(ValueError, match=sentence):
            BatchedOthello(**arguments)
    with pytest.raises(TypeError, match="integer"):
        BatchedOthello(1, seed=1.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a player or its name"):
        BatchedOthello(1, opponent=3)  # type: ignore[arg-type]
    wrong: dict[str, dict[str, Any]] = {
        "games is a whole number, got '4'": {"games": "4"},
        "threads is a whole number, got 1.5": {"games": 1, "threads": 1.5},
        "epsilon is a number within 0..1, got '0.1'": {"games": 1, "epsilon": "0.1"},
        "starts are boards.*got 'f5'": {"games": 1, "starts": "f5"},
        "starts are boards.*got 3": {"games": 1, "starts": 3},
    }
    for sentence, arguments in wrong.items():
        with pytest.raises(TypeError, match=sentence):
            BatchedOthello(**arguments)


def test_one_start_needs_no_list() -> None:
    start = Board.from_transcript("f5d6")
    one, listed = BatchedOthello(3, starts=start), BatchedOthello(3, starts=[start])
    assert (one.reset()[0] == listed.reset()[0]).all()


def test_starts_without_a_choice_are_refused() -> None:
    """One move, White's, and the game is over: with an opponent, the agent never moves as Black."""
    start = Board("-XO" + "X" * 61 + " O")
    with pytest.raises(ValueError, match="no game from these starts"):
        BatchedOthello(2, opponent="random", starts=[start], epsilon=1.0)
