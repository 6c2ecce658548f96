"""One suite over every evaluator: weights, values, symmetry of the views, storage."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from outflank import (
    Board,
    CoreEvaluator,
    CountedNetwork,
    DeepNetwork,
    DoubledFunction,
    FunctionEvaluator,
    GreedyPlayer,
    Iago,
    Match,
    Mlp,
    NTupleNetwork,
    PieceCounter,
    RandomPlayer,
    SpatialMlp,
    StoredPlayer,
    load_player,
    save_player,
)
from outflank.evaluators.storage import View
from tests.evaluators.slow_iago import slow_iago

Bits = npt.NDArray[np.uint64]


def with_random_weights(evaluator: CoreEvaluator, seed: int = 3) -> CoreEvaluator:
    weights = np.random.default_rng(seed).normal(size=evaluator.weights.size)
    return evaluator.with_weights(weights)


EVALUATORS: dict[str, CoreEvaluator] = {
    name: with_random_weights(evaluator)
    for name, evaluator in {
        "piece-counter": PieceCounter(),
        "symmetric-piece-counter": PieceCounter.symmetric(),
        "iago": Iago(),
        "all-2": NTupleNetwork.of_shape("all-2"),
        "all-1-2-3": NTupleNetwork.of_shape("all-1-2-3"),
        "all-4-in-3-stages": NTupleNetwork.of_shape("all-4", stages=3),
        "rand-8x4": NTupleNetwork.of_shape("rand-8x4", seed=2),
        "snakes-30x6": NTupleNetwork.of_shape("snakes-30x6", seed=9),
        "logistello": NTupleNetwork.of_shape("logistello", stages=2),
        "rect-2x3+all-5": NTupleNetwork.of_shape("rect-2x3+all-5"),
        "eleven-squares": NTupleNetwork([[list(range(11))], [[5, 9, 5]]]),
        "all-3-with-counts": CountedNetwork.of_shape("all-3+mobility+frontier", stages=3),
        "logistello-with-mobility": CountedNetwork.of_shape("logistello+mobility"),
        "deep-all-3": DeepNetwork.of_shape("all-3", vector=5, hidden=3, stages=2),
        "deep-corners": DeepNetwork.of_shape("corner-3x3+all-4", vector=17, hidden=33),
        "mlp": Mlp(),
        "mlp-5": Mlp(hidden=5),
        "spatial-mlp": SpatialMlp(),
        "spatial-mlp-64": SpatialMlp(discs_per_unit=64),
    }.items()
}
every_evaluator = pytest.mark.parametrize("evaluator", EVALUATORS.values(), ids=EVALUATORS.keys())


def slow_values(evaluator: CoreEvaluator, black: Bits, white: Bits) -> npt.NDArray[np.float64]:
    if isinstance(evaluator, PieceCounter):
        digits = [[(int(b) >> s & 1) - (int(w) >> s & 1) for s in range(64)]
                  for b, w in zip(black, white, strict=True)]  # fmt: skip
        return np.array(digits) @ evaluator.square_weights
    if isinstance(evaluator, Iago):
        return slow_iago(evaluator.weights, black, white)
    assert isinstance(evaluator, NTupleNetwork | CountedNetwork | DeepNetwork | Mlp | SpatialMlp)
    return evaluator.values_plainly(black, white)


@every_evaluator
def test_values_equal_the_definition(evaluator: CoreEvaluator, board_arrays: tuple[Bits, Bits]) -> None:
    np.testing.assert_allclose(
        evaluator.values(*board_arrays), slow_values(evaluator, *board_arrays), atol=1e-9
    )


NETWORKS = {name: network for name, network in EVALUATORS.items() if isinstance(network, NTupleNetwork)}


@pytest.mark.parametrize("network", NETWORKS.values(), ids=NETWORKS.keys())
def test_compiled_equals_plain_to_the_last_bit(
    network: NTupleNetwork, board_arrays: tuple[Bits, Bits]
) -> None:
    plain, folded = (network._compile(form).values(*board_arrays) for form in ("plain", "folded"))
    assert np.array_equal(plain, folded)


@every_evaluator
def test_one_board_is_a_batch_of_one(evaluator: CoreEvaluator, random_boards: list[Board]) -> None:
    for board in random_boards[:20]:
        batch = evaluator.values(np.array([board.black], np.uint64), np.array([board.white], np.uint64))
        assert evaluator(board) == batch[0]


@every_evaluator
def test_weights_can_be_read_and_set(evaluator: CoreEvaluator) -> None:
    doubled = evaluator.with_weights(2 * evaluator.weights)
    board = Board().play("f5")
    assert type(doubled) is type(evaluator)
    assert doubled.architecture == evaluator.architecture
    assert np.array_equal(doubled.weights, 2 * evaluator.weights)
    if not isinstance(evaluator, DeepNetwork | Mlp | SpatialMlp):
        assert doubled(board) == pytest.approx(2 * evaluator(board))
    with pytest.raises(ValueError, match="read-only"):
        evaluator.weights[0] = 1
    with pytest.raises(ValueError, match="weights"):
        evaluator.with_weights(np.zeros(evaluator.weights.size + 1))
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match="not a finite number"):
            evaluator.with_weights(np.full(evaluator.weights.size, bad))


@every_evaluator
def test_own_format_round_trip_is_exact(evaluator: CoreEvaluator, tmp_path: Path) -> None:
    stored = StoredPlayer(evaluator, "inversion", {"made by": "a test", "seed": 3})
    save_player(stored, tmp_path / "p.safetensors")
    assert load_player(tmp_path / "p.safetensors") == stored
    assert list(tmp_path.iterdir()) == [tmp_path / "p.safetensors"]


@every_evaluator
@pytest.mark.parametrize("view", ["inversion", "negation"])
def test_core_and_python_play_identical_games(evaluator: CoreEvaluator, view: View) -> None:
    """Decision 4 of the design: two paths, one result."""
    in_core = GreedyPlayer(evaluator, view)
    in_python = GreedyPlayer(_through_numpy(evaluator), view)
    assert in_core.core is not None
    assert in_python.core is None
    opponent = GreedyPlayer(EVALUATORS["piece-counter"], "negation")
    for epsilon in (0.0, 0.2):
        games = [
            list(Match(player, opponent, double_games=40, epsilon=epsilon, seed=4).games())
            for player in (in_core, in_python)
        ]
        assert games[0] == games[1]


def _through_numpy(evaluator: CoreEvaluator) -> FunctionEvaluator:
    """The same evaluator as a plain function of numbers on squares, computed in NumPy."""
    powers = np.uint64(1) << np.arange(64, dtype=np.uint64)

    def values(squares: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        black, white = ((squares == sign) @ powers for sign in (1, -1))
        return slow_values(evaluator, black.astype(np.uint64), white.astype(np.uint64))

    return FunctionEvaluator(values)


def test_doubled_function() -> None:
    for_black, for_white = (with_random_weights(PieceCounter(), seed) for seed in (1, 2))
    doubled = DoubledFunction(for_black, for_white)
    assert doubled.with_weights(doubled.weights) == doubled
    player = GreedyPlayer(doubled, "doubled")
    board = Board()
    assert dict(player.judge(board)) == {m: for_black(board.play(m)) for m in board.legal_moves}
    board = board.play("f5")
    assert dict(player.judge(board)) == {m: for_white(board.play(m)) for m in board.legal_moves}
    with pytest.raises(ValueError, match="doubled"):
        GreedyPlayer(for_black, "doubled")
    with pytest.raises(ValueError, match="doubled"):
        GreedyPlayer(doubled, "inversion")


def test_doubled_function_is_stored_exactly(tmp_path: Path) -> None:
    doubled = DoubledFunction(EVALUATORS["all-2"], EVALUATORS["mlp"])
    save_player(StoredPlayer(doubled, "doubled"), tmp_path / "d.safetensors")
    assert load_player(tmp_path / "d.safetensors") == StoredPlayer(doubled, "doubled")


@every_evaluator
def test_views(evaluator: CoreEvaluator, random_boards: list[Board]) -> None:
    for board in random_boards[1:40]:
        after = [(move, board.play(move)) for move in board.legal_moves]
        sign = 1 if board.mover == "black" else -1
        inverted = [(move, evaluator(b if sign == 1 else _inverted(b))) for move, b in after]
        assert GreedyPlayer(evaluator, "inversion").judge(board) == inverted
        negated = [(move, sign * evaluator(b)) for move, b in after]
        assert GreedyPlayer(evaluator, "negation").judge(board) == negated


def _inverted(board: Board) -> Board:
    return Board.from_discs(board.white, board.black, board.mover)


def test_random_player_through_both_paths() -> None:
    class Elsewhere(RandomPlayer):
        core = None  # type: ignore[assignment]

        def choose(self, board: Board) -> int:  # type: ignore[override]
            return board.legal_moves[0]

    games = list(Match(Elsewhere(), RandomPlayer(), double_games=20).games())
    assert all(game.final.is_over for game in games)
