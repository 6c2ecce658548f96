"""Iago: the published numbers, the formula on random boards, and what one sees of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from outflank import (
    Board,
    GreedyPlayer,
    Iago,
    Match,
    PieceCounter,
    StoredPlayer,
    named_player,
    read_start_positions,
    save_player,
)
from outflank.evaluators.protocol import board_bits
from outflank.players.built_in import load_built_in
from tests.conftest import Outflank as Run
from tests.evaluators.slow_iago import beside, legal, slow_iago

Bits = npt.NDArray[np.uint64]

# Norvig 1992, "Paradigms of Artificial Intelligence Programming": one quarter of the table of weighted
# squares (section 18.3), and the coefficients of Iago's evaluation (section 18.12).
QUARTER = np.array([[120, -20, 20, 5], [-20, -40, -5, -5], [20, -5, 15, 3], [5, -5, 3, 3]])
SQUARES = np.pad(QUARTER, (0, 4), mode="symmetric")
COEFFICIENTS = [[312, 6.24], [50, 2], [75, 1], [20, 0]]


@pytest.fixture(scope="module")
def iago() -> Iago:
    evaluator = load_built_in("iago").evaluator
    assert isinstance(evaluator, Iago)
    return evaluator


def random_iago(seed: int) -> Iago:
    return Iago(np.random.default_rng(seed).normal(size=72))


def test_the_shipped_numbers_are_the_published_ones(iago: Iago) -> None:
    assert iago.square_weights.reshape(8, 8).tolist() == SQUARES.tolist()
    assert iago.coefficients.tolist() == COEFFICIENTS
    for name, weights in (("positional", SQUARES), ("disc-difference", np.ones((8, 8)))):
        stored = load_built_in(name)
        assert isinstance(stored.evaluator, PieceCounter)
        assert stored.evaluator.square_weights.reshape(8, 8).tolist() == weights.tolist()
        assert stored.view == "inversion"


def test_values_equal_the_formula(iago: Iago, board_arrays: tuple[Bits, Bits]) -> None:
    for evaluator in (iago, random_iago(1), random_iago(2)):
        expected = slow_iago(evaluator.weights, *board_arrays)
        np.testing.assert_allclose(evaluator.values(*board_arrays), expected, rtol=0, atol=1e-9)


def test_the_slow_twin_knows_the_rules() -> None:
    """After f5: White may play d6, f4 and f6; 13 empty squares touch Black's four discs, 5 White's one."""
    board = Board().play("f5")
    black, white = (np.array([[bits >> s & 1 for s in range(64)]], bool).reshape(1, 8, 8)
                    for bits in (board.black, board.white))  # fmt: skip
    names = ["abcdefgh"[s % 8] + str(s // 8 + 1) for s in np.flatnonzero(legal(white, black))]
    assert names == ["f4", "d6", "f6"]
    empty = ~black & ~white
    assert (beside(black, empty).sum(), beside(white, empty).sum()) == (13, 5)


def test_the_two_lines_of_mobility_meet_at_move_25(iago: Iago) -> None:
    _, early, late, _ = iago.coefficients
    assert early[0] + 25 * early[1] == late[0] + 25 * late[1]
    # With the coefficients of mobility alone, and a jump between them, the change comes at 29 discs.
    jump = Iago([0] * 64 + [0, 0, 1, 0, -1, 0, 0, 0])
    board = Board()
    signs = {}
    while not board.settled().is_over:
        board = board.settled().play(board.settled().legal_moves[0])
        black, white = board_bits([board])
        share = slow_iago(np.array([1.0] * 64 + [0, 0, 1, 0, 1, 0, 0, 0]), black, white)[0]
        if share:
            signs[(board.black | board.white).bit_count()] = jump(board) / share
    assert {discs for discs, sign in signs.items() if sign == 1} == {discs for discs in signs if discs < 29}
    assert min(signs) < 29 <= max(signs)


def test_exchanging_the_colours_changes_the_sign_alone(board_arrays: tuple[Bits, Bits]) -> None:
    black, white = board_arrays
    evaluator = random_iago(3)
    assert np.array_equal(evaluator.values(white, black), -evaluator.values(black, white))
    one, other = (
        list(
            Match(GreedyPlayer(evaluator, view), named_player("all-2"), double_games=50, epsilon=0.1).games()
        )
        for view in ("inversion", "negation")
    )
    assert one == other


def test_without_square_weights_mobility_remains() -> None:
    assert Iago()(Board().play("f5")) == 0
    assert Iago([0] * 64 + [9, 9, 0, 0, 0, 0, 20, 0])(Board().play("f5")) == pytest.approx(-8)


@pytest.mark.parametrize("place", [0, 64, 65, 71])
def test_weights_too_large_are_refused(place: int) -> None:
    weights = np.zeros(72)
    weights[place] = 1e300
    with pytest.raises(ValueError, match="too large"):
        Iago(weights)(Board())


def test_the_text_format_refuses_it(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"save to \.safetensors"):
        save_player(StoredPlayer(Iago()), tmp_path / "iago.player")


def test_show_prints_the_squares_and_the_formula(outflank: Run, iago: Iago, tmp_path: Path) -> None:
    result = outflank("show", "iago", "--out", tmp_path / "iago.png")
    assert result.returncode == 0, result.stderr
    rows = [line.split()[1:] for line in result.stdout.splitlines() if line.split()[:1] in (["1"], ["2"])]
    assert [[float(number) for number in row] for row in rows] == SQUARES[:2].tolist()
    assert iago.formula in result.stdout
    assert (tmp_path / "iago.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("better", "worse", "depth"),
    [
        # Chong 2003: the positional player outperforms the piece differential one at the same ply-depth.
        ("positional", "disc-difference", 1),
        ("positional", "disc-difference", 2),
        ("iago", "positional", 2),
        ("iago", "disc-difference", 1),
    ],
)
def test_each_beats_the_simpler_one(better: str, worse: str, depth: int, shared: Path) -> None:
    starts = read_start_positions(shared / "positions" / "lucas-boards.txt")
    players = (named_player(f"{name},depth={depth}") for name in (better, worse))
    assert Match(*players, double_games=len(starts), starts=starts).play().score > 0.65
