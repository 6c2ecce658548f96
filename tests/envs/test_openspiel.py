"""OpenSpiel both ways: the same rules, our players in its games, its bots in our matches."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from outflank import Board, Match, named_player

pyspiel = pytest.importorskip("pyspiel")
openspiel = pytest.importorskip("outflank.envs.openspiel")


def test_both_have_the_same_rules() -> None:
    random = np.random.default_rng(1)
    passes = 0
    for _ in range(30):
        state, board = pyspiel.load_game("othello").new_initial_state(), Board()
        while not state.is_terminal():
            assert openspiel.board_of(state) == board
            assert state.legal_actions() == list(board.legal_moves or [openspiel.PASS])
            action = int(random.choice(state.legal_actions()))
            passes += action == openspiel.PASS
            state.apply_action(action)
            board = board.pass_turn() if action == openspiel.PASS else board.play(action)
        assert board.is_over
        assert state.returns()[0] == np.sign(board.disc_difference)
    assert passes > 5


def test_our_players_in_its_games() -> None:
    game = pyspiel.load_game("othello")
    won = 0.0
    for seed in range(6):
        ours = openspiel.PlayerBot("all-2" if seed % 2 else named_player("all-2"))
        theirs = pyspiel.make_uniform_random_bot(1 - seed % 2, seed)
        bots = [ours, theirs] if seed % 2 == 0 else [theirs, ours]
        won += pyspiel.evaluate_bots(game.new_initial_state(), bots, seed)[seed % 2]
    assert won >= 4
    with pytest.raises(ValueError, match="this is a state of tic_tac_toe"):
        openspiel.PlayerBot("all-2").step(pyspiel.load_game("tic_tac_toe").new_initial_state())


def _random_bot(player: int) -> Any:
    return pyspiel.make_uniform_random_bot(player, 3)


@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_its_bots_in_our_matches(epsilon: float) -> None:
    player = openspiel.BotPlayer(_random_bot, "random bot")
    result = Match(named_player("all-2"), player, double_games=10, epsilon=epsilon).play()
    assert result.games == 20
    assert result.score > 0.55


def test_a_search_of_its_own() -> None:
    def mcts(_: int) -> Any:
        evaluator = pyspiel.RandomRolloutEvaluator(1, 3)
        return pyspiel.MCTSBot(pyspiel.load_game("othello"), evaluator, 2.0, 20, 10, True, 3, False)

    player = openspiel.BotPlayer(mcts, "MCTS")
    result = Match(player, named_player("random"), double_games=1).play()
    assert result.games == 2


def test_other_starts_and_an_opponent_in_gymnasium() -> None:
    player = openspiel.BotPlayer(_random_bot)
    start = Board.from_transcript("f5d6c3")
    assert Match(player, named_player("random"), double_games=2, starts=[start]).play().games == 4
    gymnasium = pytest.importorskip("outflank.envs.gymnasium")
    env = gymnasium.OthelloEnv(player, epsilon=0.3)
    _, info = env.reset(seed=1)
    terminated = False
    while not terminated:
        _, _, terminated, _, info = env.step(np.flatnonzero(info["action_mask"])[0])


def test_boards_from_elsewhere() -> None:
    player = openspiel.BotPlayer(_random_bot)
    board = Board.from_transcript("f5d6c3d3c4")
    for _ in range(10):
        board = board.play(player.choose(board)).settled()
        board = board.play(board.legal_moves[0]).settled()
    with pytest.raises(ValueError, match="no moves that lead there were found"):
        player.choose(Board("XO" + "-" * 62 + " X"))
