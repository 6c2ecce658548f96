"""Search against plain minimax, limits, threads, and what a player says of a board."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from outflank import (
    Board,
    FunctionEvaluator,
    GreedyPlayer,
    Match,
    Mlp,
    NTupleNetwork,
    PieceCounter,
    SearchLimits,
    SearchPlayer,
    Solver,
    Square,
    _core,
    named_player,
)
from outflank.evaluators.doubled import DoubledFunction
from outflank.evaluators.storage import View
from outflank.players.analysis import Analysis, AnalyzedMove
from outflank.players.search import keeping_the_result, minimax_values
from outflank.players.solver import Solution

GENERATOR = np.random.default_rng(4)


def coarse(weights: np.ndarray) -> np.ndarray:
    """Few different weights make many equal values: ties are where a search goes wrong."""
    return np.round(weights)


COARSE_COUNTER = PieceCounter(coarse(GENERATOR.normal(size=64)))
NETWORK = NTupleNetwork.of_shape("all-2")
COARSE_NETWORK = NETWORK.with_weights(coarse(GENERATOR.normal(size=NETWORK.weights.size)))
MLP = Mlp(hidden=8)
FINE_MLP = MLP.with_weights(GENERATOR.normal(size=MLP.weights.size))
PLAYERS = [
    GreedyPlayer(COARSE_COUNTER, "negation"),
    GreedyPlayer(COARSE_COUNTER, "inversion"),
    GreedyPlayer(COARSE_NETWORK, "inversion"),
    GreedyPlayer(COARSE_NETWORK, "negation"),
    GreedyPlayer(FINE_MLP, "inversion"),
    GreedyPlayer(DoubledFunction(COARSE_NETWORK, FINE_MLP), "doubled"),
]


def boards() -> list[Board]:
    """From random games: openings, middle games, endings with passes."""
    random = named_player("random")
    found = []
    for number, game in enumerate(Match(random, random, double_games=8, seed=3).games()):
        found += [b.settled() for b in game.boards[number % 7 :: 9] if not b.is_over]
    # A pass right after the first move, for either side.
    found.append(Board("-XXXXXXO" + "X" * 55 + "- O"))
    found.append(Board("XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX-OXXXXXX-- X"))
    return [board for board in found if board.has_moves]


BOARDS = boards()


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("player", PLAYERS, ids=lambda p: f"{p.evaluator.description}-{p.view}")
def test_values_are_those_of_plain_minimax(player: GreedyPlayer, depth: int) -> None:
    searching = SearchPlayer(player, SearchLimits(depth=depth))
    for board in BOARDS[:: 1 if depth < 3 else 5]:
        assert searching.judge(board) == minimax_values(player, board, depth)


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize("player", PLAYERS, ids=lambda p: f"{p.evaluator.description}-{p.view}")
def test_alpha_beta_chooses_as_plain_minimax_ties_included(player: GreedyPlayer, depth: int) -> None:
    core = SearchPlayer(player, SearchLimits(depth=depth)).core
    assert core is not None
    chooser = _core.Chooser(core)
    with_ties = 0
    for board in BOARDS[:: 1 if depth < 3 else 5]:
        values = minimax_values(player, board, depth)
        best = max(value for _, value in values)
        ties = {square for square, value in values if value >= best - _core.TIE}
        with_ties += len(ties) > 1
        # Each tie is missed by 60 draws with a chance below (1 - 1/8)^60 = 0.0003; the seeds are fixed.
        chosen = {
            chooser.choose(board.black, board.white, board.mover == "black", seed)
            for seed in range(60 if len(ties) > 1 else 2)
        }
        assert chosen == ties, board
    assert with_ties > 3 or player.evaluator in (FINE_MLP,) or player.view == "doubled"


def test_tables_kept_from_move_to_move_change_no_choice() -> None:
    player = SearchPlayer(GreedyPlayer(FINE_MLP, "inversion"), SearchLimits(nodes=2000), solve=8)
    assert player.core is not None

    def choices(chooser_of: Callable[[], _core.Chooser]) -> list[int]:
        return [chooser_of().choose(b.black, b.white, b.mover == "black", 1) for b in BOARDS]

    kept, core = _core.Chooser(player.core), player.core
    fresh = choices(lambda: _core.Chooser(core))
    with ThreadPoolExecutor(2) as threads:  # both at the same time
        both = [threads.submit(choices, lambda: kept) for _ in range(2)]
        assert [future.result() for future in both] == [fresh, fresh]


def test_a_timed_player_is_ready_before_its_first_move() -> None:
    player = named_player("td-all-rounder,time=0.2")
    assert {"_searcher", "_solver"} <= set(vars(player))
    assert "_solver" not in vars(named_player("td-all-rounder,time=0.2,solve=0"))


def test_an_only_move_is_played_without_thinking() -> None:
    board = Board()
    while len(board.legal_moves) != 1:
        board = board.play(board.legal_moves[-1]) if board.has_moves else board.pass_turn()
    assert 64 - board.discs > 25
    assert named_player("all-2,time=3600").choose(board) == board.legal_moves[0]


def test_a_move_that_is_known_to_win_or_draw_is_played() -> None:
    a1, b2, c3 = Square("a1"), Square("b2"), Square("c3")
    searched = Analysis((AnalyzedMove(a1, -3.0, False, (a1, c3)),), 7, 100, 0.1, is_in_discs=False)

    def played(score: int, best: Square | None, finished: bool = True) -> Analysis:
        outcome = Solution(score, () if best is None else (best, c3), best, 100, 0.1, finished)
        return keeping_the_result(outcome, searched)

    for score in (0, 2):
        found = played(score, b2)
        assert (found.best, found.value_for_mover, found.is_in_discs) == (b2, score, True)
        assert found.moves == (AnalyzedMove(b2, float(score), False, (b2, c3)),)
    # Lost, not known, or the same move: the search has the better idea of it.
    assert played(-2, b2) == played(2, b2, finished=False) == played(2, a1) == searched


def test_what_a_timed_player_says_of_an_ending_is_exact_where_time_allows() -> None:
    board = Board("XXXOXXXXOXXXXXXXOOXXXXXXOOOXXXXXOOOXXOO-OOOOO---OOOOOOO-OOOOOOO- X")
    player = named_player("td-all-rounder,time=0.5")
    assert isinstance(player, SearchPlayer)
    (best,) = player.analyze(board).moves
    assert (best.square, best.value_for_mover, best.exact) == (Square("h5"), 6.0, True)
    assert all(move.exact for move in player.analyze(board, all_moves=True).moves)


def test_an_evaluator_in_python_searches_too() -> None:
    weights = COARSE_COUNTER.square_weights
    function = FunctionEvaluator(lambda squares: squares @ weights, "in python")
    inner, twin = GreedyPlayer(function, "negation"), GreedyPlayer(COARSE_COUNTER, "negation")
    player = SearchPlayer(inner, SearchLimits(depth=2), name="python")
    assert player.core is None
    for board in BOARDS[::9]:
        expected = dict(SearchPlayer(twin, SearchLimits(depth=2)).judge(board))
        assert dict(player.judge(board)) == expected
        assert expected[player.choose(board)] == max(expected.values())
    with pytest.raises(ValueError, match="fixed depth"):
        SearchPlayer(inner, SearchLimits(nodes=1000))


@pytest.mark.parametrize("view", ["inversion", "negation"])
def test_real_search_without_pruning_finds_the_minimax_value(view: View) -> None:
    player = GreedyPlayer(FINE_MLP, view)
    for depth in (1, 2, 3, 4):
        searching = SearchPlayer(player, SearchLimits(depth=depth))
        for board in BOARDS[::7]:
            values = dict(searching.judge(board))
            everything = searching.analyze(board, all_moves=True)
            assert {move.square for move in everything.moves} == set(values)
            if 64 - board.discs <= depth:
                continue  # the last disc is judged by the result there
            for move in everything.moves:
                assert move.value_for_mover == pytest.approx(values[move.square], rel=1e-6, abs=1e-6)
            alone = searching.analyze(board)
            assert alone.value_for_mover == pytest.approx(max(values.values()), rel=1e-6, abs=1e-6)
            assert alone.depth == depth


def test_lines_are_legal_play() -> None:
    player = named_player("td-all-rounder,depth=6")
    assert isinstance(player, SearchPlayer)
    for board in BOARDS[::6]:
        for move in player.analyze(board, all_moves=True).moves:
            played = board
            for square in move.line:
                played = played.settled().play(square)
            assert move.line[0] == move.square


def test_games_do_not_depend_on_threads_or_batches() -> None:
    for names in (
        ("all-2,depth=3,solve=9", "all-2,depth=2"),
        ("td-all-rounder,nodes=500,solve=14", "all-2,nodes=300"),
        ("random,solve=8", "all-2"),
    ):
        first, second = (named_player(name) for name in names)
        one = Match(first, second, double_games=6, epsilon=0.2, threads=1)
        several = Match(first, second, double_games=6, epsilon=0.2, threads=3)
        again = Match(named_player(names[0]), second, double_games=6, epsilon=0.2, threads=2)
        expected = [game.transcript for game in one.games()]
        assert [game.transcript for game in several.games()] == expected
        assert [game.transcript for game in again.games()] == expected


def test_depth_solver_and_book_play_the_same_in_step() -> None:
    """The path of players outside the core, with a core player on the other side."""
    strong = named_player("all-2,depth=2,solve=8")
    python = FunctionEvaluator(lambda squares: squares @ COARSE_COUNTER.square_weights, "python")
    in_step = Match(GreedyPlayer(python, "negation"), strong, double_games=4, epsilon=0.1)
    in_core = Match(GreedyPlayer(COARSE_COUNTER, "negation"), strong, double_games=4, epsilon=0.1)
    assert [g.transcript for g in in_step.games()] == [g.transcript for g in in_core.games()]


@pytest.mark.parametrize(("name", "ply"), [("all-2,solve=10", 50), ("all-2,depth=3,solve=8", 50)])
def test_the_solver_takes_over(name: str, ply: int) -> None:
    """From 10 empty squares: at the root, or because the search sees 8 of them two plies ahead."""
    random = named_player("random")
    for game in Match(random, random, double_games=3, seed=8).games():
        board = game.boards[ply].settled()
        player = named_player(name)
        assert isinstance(player, SearchPlayer)
        assert 64 - board.discs == player.perfect_from
        best = Solver().solve(board).score_for_mover
        analysis = player.analyze(board, all_moves=True)
        assert analysis.exact
        assert analysis.value_for_mover == best
        exact = {move.square: move.value_for_mover for move in analysis.moves}
        assert exact[player.choose(board)] == best
        assert not player.analyze(game.boards[ply - 2].settled()).exact


def test_limits_are_kept() -> None:
    board = Board.from_transcript("f5d6c3d3c4f4")
    few = named_player("td-all-rounder,nodes=2000")
    many = named_player("td-all-rounder,nodes=200000")
    timed = named_player("td-all-rounder,time=0.2,depth=3")
    assert isinstance(few, SearchPlayer)
    assert isinstance(many, SearchPlayer)
    assert isinstance(timed, SearchPlayer)
    # One more iteration may begin before the limit; it stops within a few hundred nodes of it.
    assert few.analyze(board).nodes < 2000 + 1000
    assert few.analyze(board).depth < many.analyze(board).depth
    assert timed.analyze(board).depth == 3
    assert timed.with_seconds(0.05).limits == SearchLimits(depth=3, seconds=0.05)
    assert timed.with_seconds(9).limits == SearchLimits(depth=3, seconds=0.2)
    assert few.with_depth(2).analyze(board).depth == 2
    fixed = SearchPlayer(GreedyPlayer(COARSE_COUNTER), SearchLimits(depth=2))
    assert fixed.with_seconds(1) == fixed.with_depth(9) == fixed


def test_several_threads_find_a_move_and_a_value() -> None:
    board = Board.from_transcript("f5d6c3d3c4f4")
    player = named_player("td-all-rounder,depth=7,threads=3")
    alone = named_player("td-all-rounder,depth=7")
    assert isinstance(player, SearchPlayer)
    assert isinstance(alone, SearchPlayer)
    assert player.analyze(board).value_for_mover == alone.analyze(board).value_for_mover


def test_players_with_a_clock_meet_at_tables_of_their_own() -> None:
    clock = named_player("all-2,time=0.002,solve=4")
    for opponent in ("random", "all-2,depth=2", "all-2,time=0.002"):
        match = Match(clock, named_player(opponent), double_games=2, epsilon=0.5, threads=2)
        games = list(match.games())
        assert len(games) == 4
        assert all(game.final.is_over for game in games)
