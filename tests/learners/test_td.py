"""Temporal differences against an independent twin, and the settings that contradict each other."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from outflank import Board, GreedyPlayer, Match, _core, league_match, named_player
from outflank.evaluators.protocol import board_bits
from outflank.learners.architectures import learnable
from outflank.learners.execution.executor import ThreadExecutor
from outflank.learners.td import TdLearner, TdSettings, TdTotals, new_evaluator
from outflank.players.search import minimax_values

KINDS = ["piece-counter", "piece-counter-10", "all-2", "snakes-5x4", "logistello", "mlp-4", "spatial-mlp"]


def small_weights(name: str) -> TdSettings:
    return TdSettings(evaluator=name, initial_weights=0.1, stages=2 if name == "all-2" else 1)


@pytest.mark.parametrize("name", KINDS)
def test_the_learning_form_has_the_same_values(
    name: str, board_arrays: tuple[npt.NDArray[np.uint64], ...]
) -> None:
    evaluator = new_evaluator(small_weights(name), seed=3)
    learning = learnable(evaluator, coherent=False)
    assert np.array_equal(learning.weights(), evaluator.weights.astype(np.float32))
    # float32 weights and, in an MLP, float32 sums: a relative error of about 1e-6.
    np.testing.assert_allclose(learning.values(*board_arrays), evaluator.values(*board_arrays), atol=2e-4)


@pytest.mark.parametrize("name", KINDS)
def test_updates_follow_the_gradient(name: str) -> None:
    """One game of TD(1) with a tiny rate: the change of a weight is alpha times the sum of error, slope and
    gradient over the boards, with the gradient measured by moving that weight. 80 weights of each kind."""
    settings = TdSettings(
        evaluator=name, initial_weights=0.1, games=1, output="tanh", coherence=False,
        alpha=1e-3 if name == "spatial-mlp" else 1e-5,  # its disc difference saturates tanh: tiny slopes
        stages=2 if name == "all-2" else 1, epsilon=0.0, trace=1.0,
    )  # fmt: skip
    learner = TdLearner(settings, seed=3)
    before = learner.core.weights().astype(np.float64)
    boards = _self_play(learner.evaluator)
    learner.play(1)
    change = learner.core.weights() - before
    places = _some_places(change)
    expected = _monte_carlo_change(learner, boards, places)
    scale = np.abs(expected).max()
    assert scale > 0
    # 60 small updates, each from weights moved by those before.
    np.testing.assert_allclose(change[places], expected, atol=0.04 * scale)


def _some_places(change: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Forty weights that changed, and forty of all: most of a large network's do not."""
    random = np.random.default_rng(1)
    moved = np.flatnonzero(change)
    chosen = [random.choice(of, min(40, len(of)), replace=False) for of in (moved, np.arange(len(change)))]
    return np.unique(np.concatenate(chosen))


def _self_play(evaluator: object) -> list[Board]:
    """The boards after each move of game 0 of seed 3, as the learner's player sees and plays it."""
    player = GreedyPlayer(evaluator, "inversion")  # type: ignore[arg-type]
    draws = iter(_core.stream_numbers(3, 0, 500).tolist())
    board, boards = Board(), []
    while not board.is_over:
        board = board.settled()
        judged = player.judge(board)
        next(draws)  # forced or not: epsilon is 0
        best = max(np.tanh(value) for _, value in judged)
        ties = [move for move, value in judged if np.tanh(value) >= best - 1e-6]
        choice = ties[0] if len(ties) == 1 else ties[(next(draws) >> 32) * len(ties) >> 32]
        board = board.play(choice)
        boards.append(board)
    return boards


def _monte_carlo_change(
    learner: TdLearner, boards: list[Board], places: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """TD(1): every board learns from the result, here all from the first weights (alpha is tiny)."""
    evaluator = learner.evaluator
    black_moved = np.array([board.mover == "white" for board in boards])
    black, white = board_bits(boards)
    seen = np.where(black_moved, black, white), np.where(black_moved, white, black)
    values = np.tanh(evaluator.values(*seen))
    targets = np.where(black_moved, 1, -1) * np.sign(boards[-1].disc_difference)
    steps = (targets - values) * (1 - values**2)
    change = []
    for place in places:
        moved = np.array(evaluator.weights)
        moved[place] += 1e-5
        gradient = (evaluator.with_weights(moved).values(*seen) - evaluator.values(*seen)) / 1e-5
        change.append(learner.settings.alpha * float(steps @ gradient))
    return np.array(change)


@pytest.mark.parametrize("teach", [True, False])
def test_lucas_td0_by_hand(teach: bool) -> None:
    """Equations 2-4 of Lucas 2007 on a piece counter, update by update, with an independent loop; with and
    without updates from forced random moves."""
    settings = TdSettings(
        evaluator="piece-counter", view="negation", output="tanh", successor="every-board", epsilon=0.1,
        expected_target=False, coherence=False, alpha=0.01, games=3, initial_weights=0.1,
        random_moves_teach=None if teach else False,
    )  # fmt: skip
    learner = TdLearner(settings, seed=5)
    weights = learner.core.weights().astype(np.float32)
    for game in range(3):
        weights = _lucas_game(weights, game, np.float32(0.01), teach)
    learner.play(3)
    np.testing.assert_allclose(learner.core.weights(), weights, atol=1e-6)


def _lucas_game(
    weights: npt.NDArray[np.float32], number: int, alpha: np.float32, teach: bool
) -> npt.NDArray[np.float32]:
    def inputs(board: Board) -> npt.NDArray[np.float64]:
        return np.array(
            [(board.black >> s & 1) - (board.white >> s & 1) for s in range(64)], dtype=np.float64
        )

    def value(board: Board) -> float:
        return float(np.tanh(inputs(board) @ weights))

    def update(previous: Board, target: float) -> None:
        op = value(previous)
        weights[:] += alpha * np.float32((target - op) * (1 - op * op)) * inputs(previous).astype(np.float32)

    weights = weights.copy()
    draws = iter(_core.stream_numbers(5, number, 500).tolist())
    board, previous = Board(), None
    while not board.is_over:
        board = board.settled()
        sign = 1 if board.mover == "black" else -1
        judged = [(sign * value(board.play(move)), move) for move in board.legal_moves]
        forced = (next(draws) >> 11) * 2.0**-53 < 0.1
        ties = [move for v, move in judged if v >= max(judged)[0] - 1e-6]
        choice = ties[0] if len(ties) == 1 else ties[(next(draws) >> 32) * len(ties) >> 32]
        if forced:
            choice = judged[(next(draws) >> 32) * len(judged) >> 32][1]
        chosen_value = sign * {move: v for v, move in judged}[choice]
        board = board.play(choice)
        if previous is not None and (teach or not forced):
            update(previous, chosen_value)
        previous = board
    assert previous is not None
    update(previous, float(np.sign(board.disc_difference)))
    return weights


def test_the_same_seed_learns_the_same_bytes_however_it_is_dealt() -> None:
    settings = TdSettings(evaluator="all-2", alpha=0.02, games=900, pool=2, pool_every=250, trace=0.3)
    whole, parts = TdLearner(settings, 7), TdLearner(settings, 7)
    total = whole.play(900)
    dealt = [parts.play(count) for count in (1, 249, 100, 550)]
    assert np.array_equal(whole.core.weights(), parts.core.weights())
    assert np.array_equal(whole.core.coherence(), parts.core.coherence())
    assert sum((p.squared_error for p in dealt), 0.0) == total.squared_error
    other = TdLearner(settings, 8)
    other.play(900)
    assert not np.array_equal(whole.core.weights(), other.core.weights())


@pytest.mark.parametrize("stages", [1, 5])
def test_a_batch_learns_the_same_bytes_on_any_number_of_threads(stages: int) -> None:
    settings = TdSettings(evaluator="all-3", stages=stages, symmetric=True, games=700, batch=64, pool=1,
                          pool_every=100, opponents=("self", "all-2"), solved=6, trace=0.3)  # fmt: skip
    one, three = TdLearner(settings, 7), TdLearner(settings, 7, executor=ThreadExecutor(3))
    total = one.play(700)
    dealt = [three.play(count) for count in (1, 100, 600)]  # rounded up to whole batches
    assert three.games == one.games == 700
    assert np.array_equal(one.core.weights(), three.core.weights())
    assert np.array_equal(one.core.coherence(), three.core.coherence())
    assert sum(dealt, TdTotals()) == total
    assert len(three.pool) == 1


def test_a_batch_is_played_with_the_weights_from_before_it() -> None:
    """At a tiny rate no move changes, and games learn the same alone and in a batch; at a large one the
    games of a batch are still those of the first weights."""
    settings = TdSettings(evaluator="all-2", initial_weights=0.1, alpha=1e-6, coherence=False, games=50)
    in_batch = settings.model_copy(update={"batch": 50})
    alone, batched, fast = (
        TdLearner(settings, 3),
        TdLearner(in_batch, 3),
        TdLearner(in_batch.model_copy(update={"alpha": 0.1}), 3),
    )
    before = alone.core.weights()
    updates = alone.play(50).updates
    assert batched.play(50).updates == fast.play(50).updates == updates
    changes = alone.core.weights() - before, batched.core.weights() - before
    assert np.corrcoef(*changes)[0, 1] > 0.99


@pytest.mark.parametrize("name", ["logistello", "rect-2x2+rect-3x3", "all-3", "snakes-5x4"])
def test_symmetric_players_judge_a_board_and_its_images_alike(name: str) -> None:
    learner = TdLearner(TdSettings(evaluator=name, stages=2, symmetric=True, games=300, batch=100), 5)
    learner.play(300)
    player = learner.player()
    assert len({value for _, value in player.judge(Board())}) == 1  # the four first moves are one
    boards = [Board.from_transcript("f5d6c3d3c4f4f6"), Board.from_transcript("f5f6e6f4e3c5c4d3")]
    for board in boards:
        for k in range(8):
            image = board.symmetric(k)
            assert sorted(v for _, v in player.judge(image)) == sorted(v for _, v in player.judge(board))
    plain = TdLearner(TdSettings(evaluator=name, stages=2, games=300, batch=100), 5)
    plain.play(300)
    is_read_both_ways = name.startswith("snakes")
    assert (len({value for _, value in plain.player().judge(Board())}) == 1) == is_read_both_ways


def test_targets_by_search_are_those_of_minimax() -> None:
    """The boards of the last twenty plies, against minimax in Python over the same weights."""
    settings = TdSettings(
        evaluator="all-2", initial_weights=1.0, games=4, batch=4, random_plies=8, successor="every-board",
        output="discs", target_epsilon=0.0, depth=3,
    )  # fmt: skip
    learner = TdLearner(settings, 3)
    counts, _, black, white, signs, targets = _core.td_play(learner.core, [], learner._core_settings, 0, 4)
    of_results = set(np.cumsum(counts) - 1)
    assert np.all(signs == 1)
    compared = 0
    for i in range(len(black)):
        next_board = Board.from_discs(int(black[i]), int(white[i]), "white").settled()
        if i in of_results or next_board.discs < 44:
            continue
        best = max(value for _, value in minimax_values(learner.player(), next_board, 3))
        discs = best - np.sign(best) * 1e6 if abs(best) > 5e5 else best
        sign = -1 if next_board.mover == "white" else 1
        assert targets[i] == pytest.approx(sign * np.tanh(discs / 16), abs=1e-5)
        compared += 1
    assert compared > 60


def test_symmetric_weights_are_for_networks() -> None:
    with pytest.raises(ValueError, match="symmetric = true is for n-tuple networks"):
        TdLearner(TdSettings(evaluator="piece-counter", symmetric=True), 1)


def test_discs_are_learned_in_discs() -> None:
    """Boards one move before the end learn the very disc difference."""
    settings = TdSettings(evaluator="logistello", stages=61, symmetric=True, output="discs", games=3000,
                          batch=100, alpha=0.02, solved=4)  # fmt: skip
    learner = TdLearner(settings, 1)
    learner.play(3000)
    games = Match(learner.player(), learner.player(), double_games=300, epsilon=0.1, seed=9)
    boards = [game.boards[-1] for game in games.games()]
    full = [board for board in boards if board.discs == 64]
    black, white = board_bits(full)
    differences = np.array([board.disc_difference for board in full])
    values = learner.learned().values(black, white)
    assert np.corrcoef(values, differences)[0, 1] > 0.8
    assert 0.6 < np.polyfit(values, differences, 1)[0] < 1.4


def test_it_learns_to_beat_the_heuristic() -> None:
    """all-2 against the heuristic: from 0.2 before to well above 0.8 after 20,000 games."""
    settings = TdSettings(evaluator="all-2", alpha=0.02, games=20_000, opponents=("standard-heuristic",))
    learner = TdLearner(settings, 1)
    assert league_match(learner.player(), double_games=500).play().score < 0.3
    learner.play(20_000)
    assert league_match(learner.player(), double_games=2000).play().score > 0.85


def test_every_kind_learns_by_self_play() -> None:
    for name, alpha, games in (
        ("piece-counter", 0.001, 3000),
        ("mlp-8", 0.01, 1500),
        ("snakes-10x4", 0.003, 3000),
    ):
        settings = TdSettings(
            evaluator=name, alpha=alpha, games=games, initial_weights=0.05, coherence=False, output="tanh"
        )
        learner = TdLearner(settings, 2)
        before = learner.player()
        learner.play(games)
        score = Match(learner.player(), before, double_games=300, epsilon=0.1).play().score
        assert score > 0.7, name


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 1.5}, "epsilon must be within 0..1"),
        ({"trace": -0.1}, "trace must be within 0..1"),
        ({"games": 0}, "games must be at least 1"),
        ({"alpha": 0.0}, "alpha must be above zero, got 0.0"),
        ({"alpha": float("nan")}, "alpha must be a finite number, got nan"),
        ({"successor": "every-board", "opponents": ("all-2",)}, "needs self-play"),
        ({"successor": "every-board", "pool": 3}, "needs self-play"),
        ({"evaluator": "mlp", "stages": 3, "initial_weights": 0.1}, "stages are for n-tuple networks"),
        ({"evaluator": "mlp"}, "start at zero"),
        ({"stages": 0}, "stages must be within 1..61"),
        ({"view": "doubled"}, "view must be inversion or negation"),
        ({"output": "linear"}, "'linear' is not an output; known: logistic, tanh, discs"),
        ({"disc_unit": 8.0}, "disc_unit is for output = discs"),
        ({"output": "discs", "disc_unit": 0.0}, "disc_unit must be within 0.01..1000"),
        ({"target_epsilon": 0.0, "expected_target": False}, "target_epsilon is for expected_target"),
        ({"random_moves_teach": False}, "random_moves_teach = false is for expected_target = false"),
        ({"batch": 1}, "batch must be within 2..65536"),
        ({"solved": 21}, "solved must be within 1..20"),
        ({"depth": 9}, "depth must be within 1..8"),
    ],
)
def test_settings_that_contradict_each_other(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TdSettings(**changes)  # type: ignore[arg-type]


def test_weights_that_explode_name_the_setting_to_blame() -> None:
    learner = TdLearner(TdSettings(evaluator="piece-counter", alpha=1e38, coherence=False, games=50), 1)
    learner.play(50)
    with pytest.raises(ValueError, match=r"alpha = 1e\+38 is too large"):
        learner.player()


def test_unknown_opponents_and_starts() -> None:
    with pytest.raises(ValueError, match="did you mean standard-heuristic"):
        TdLearner(TdSettings(opponents=("standard-heuristik",)), 1)
    with pytest.raises(FileNotFoundError):
        TdLearner(TdSettings(starts="nowhere.txt"), 1)


def test_self_among_the_opponents_is_self_play() -> None:
    kinds = [TdLearner(TdSettings(evaluator="all-1", games=200, opponents=names), 1).play(200).updates
             for names in ((), ("self",), ("self", "random"), ("random",))]  # fmt: skip
    assert abs(kinds[0] - kinds[1]) < 100  # the draw of an opponent shifts the stream
    assert 0.7 < kinds[2] / kinds[1] < 0.8  # half of the games with half of the updates
    assert 0.45 < kinds[3] / kinds[1] < 0.55


def test_start_positions_are_played_from(tmp_path: Path) -> None:
    """Games that start a few moves before their end have few boards to learn from."""
    late = next(iter(Match(named_player("all-2"), named_player("random"), double_games=1).games())).boards[-4]
    (tmp_path / "late.obf").write_text(late.text + "\n")
    learner = TdLearner(TdSettings(evaluator="all-1", games=50, starts=f"{tmp_path}/late.obf"), 1)
    assert 50 <= learner.play(50).updates <= 50 * 4


def test_random_plies_shorten_the_games() -> None:
    plain = TdLearner(TdSettings(evaluator="all-1", games=50), 1)
    opened = TdLearner(TdSettings(evaluator="all-1", games=50, random_plies=20), 1)
    assert opened.play(50).updates < plain.play(50).updates
