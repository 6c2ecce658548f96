"""Pictures of evaluators: rendered for real, and the numbers in them are the evaluator's."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle, StepPatch

from outflank.evaluators.doubled import DoubledFunction
from outflank.evaluators.iago import Iago
from outflank.evaluators.mlp import Mlp, SpatialMlp, dense_layers
from outflank.evaluators.ntuple_network import NTupleNetwork
from outflank.evaluators.piece_counter import PieceCounter
from outflank.evaluators.protocol import CoreEvaluator, Evaluator, FunctionEvaluator
from outflank.plots.boards import MAIN, ColourScale, short_number
from outflank.plots.networks import draw_evaluator
from outflank.plots.style import save_figure

HEURISTIC = PieceCounter.symmetric([1, -0.25, 0.1, 0.05, -0.25, 0.01, 0.01, 0.05, 0.02, 0.01])
SMALL = Mlp(hidden=1)
CORNER = FunctionEvaluator(lambda squares: 5 + 3 * squares[:, 0], "the a1 corner")
AnyCore = TypeVar("AnyCore", bound=CoreEvaluator)


def randomised(evaluator: AnyCore) -> AnyCore:
    return evaluator.with_weights(np.random.default_rng(1).normal(size=evaluator.weights.size))


def panel(figure: Figure, label: str) -> Axes:
    (axes,) = (axes for axes in figure.axes if axes.get_label() == label)
    return axes


def panels(figure: Figure, ending: str) -> list[Axes]:
    return [axes for axes in figure.axes if str(axes.get_label()).endswith(ending)]


def words(figure: Figure) -> list[str]:
    """The texts that stand outside panels."""
    return [text.get_text() for text in figure.texts]


def heat_map_values(axes: Axes) -> np.ma.MaskedArray[tuple[int, ...], np.dtype[np.float64]]:
    (mesh,) = (artist for artist in axes.collections if isinstance(artist, QuadMesh))
    return np.ma.masked_array(mesh.get_array()).reshape(64)


def bar_heights(axes: Axes) -> list[float]:
    return [patch.get_height() for patch in axes.patches if isinstance(patch, Rectangle)]


@pytest.mark.parametrize(
    "evaluator",
    [
        HEURISTIC,
        randomised(Iago()),
        randomised(NTupleNetwork.of_shape("rand-3x2+corner-3x3")),
        randomised(NTupleNetwork.of_shape("rand-1x3+rand-2x5", stages=4)),
        NTupleNetwork.of_shape("diagonal-8"),
        randomised(Mlp(hidden=9)),
        SMALL,
        randomised(SpatialMlp()),
        DoubledFunction(HEURISTIC, randomised(PieceCounter())),
        CORNER,
    ],
    ids=lambda evaluator: evaluator.description,
)
def test_every_kind_renders_to_png(evaluator: Evaluator | DoubledFunction, tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    save_figure(draw_evaluator(evaluator), path)
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(content) > 5_000
    width = int.from_bytes(content[16:20], "big")
    assert 700 <= width <= 2100


def test_the_title_is_the_description_unless_given_and_printed_as_it_is(tmp_path: Path) -> None:
    assert words(draw_evaluator(SMALL))[0] == SMALL.description
    figure = draw_evaluator(SMALL, r"costs $\nothing$ and 5$")
    assert words(figure)[0] == r"costs $\nothing$ and 5$"
    save_figure(figure, tmp_path / "title.png")
    assert "" in words(draw_evaluator(SMALL, ""))


def test_a_long_title_is_wrapped_and_moves_the_picture_down() -> None:
    long = draw_evaluator(SMALL, "a player with a long name " * 6)
    assert words(long)[0].count("\n") >= 2
    assert long.get_size_inches()[1] > draw_evaluator(SMALL, "short").get_size_inches()[1]


def test_a_piece_counter_prints_its_weights_square_by_square() -> None:
    axes = panel(draw_evaluator(HEURISTIC), "weights")
    assert [float(text.get_text()) for text in axes.texts] == HEURISTIC.square_weights.tolist()
    assert heat_map_values(axes).tolist() == HEURISTIC.square_weights.tolist()
    b1 = axes.texts[1]
    assert b1.get_position() == (1.5, 0.5)
    assert axes.get_ylim() == (8, 0), "row 1 is on top"
    assert [label.get_text() for label in axes.get_xticklabels()] == list("abcdefgh")


def test_iago_prints_its_weights_below_its_formula() -> None:
    iago = randomised(Iago())
    figure = draw_evaluator(iago)
    axes = panel(figure, "weights")
    assert heat_map_values(axes).tolist() == iago.square_weights.tolist()
    (caption,) = (text for text in figure.texts if text.get_text().startswith(iago.formula))
    letters = axes.get_xticklabels()[0].get_window_extent()
    assert caption.get_window_extent().y0 > letters.y1


def test_numbers_can_be_read_on_their_colours() -> None:
    scale = ColourScale.around_zero(np.array([-1.0, 1.0]))
    assert [scale.ink(value) for value in (-1.0, 0.0, 1.0, math.inf)] == ["white", "black", "white", "black"]


def test_numbers_shrink_until_they_fit_their_squares() -> None:
    usual = panel(draw_evaluator(HEURISTIC), "weights").texts[0]
    tiny = panel(draw_evaluator(HEURISTIC.with_weights(HEURISTIC.weights * 1e-7)), "weights").texts[1]
    assert tiny.get_text() == "-2.5e-08"
    assert float(tiny.get_fontsize()) < float(usual.get_fontsize())


@pytest.mark.parametrize(
    ("value", "largest", "text"),
    [(-0.25, 1.0, "-0.25"), (-0.001, 1.0, "0.00"), (123.4, 284.0, "123"), (0.0, 1e-9, "0.0e+00"),
     (1e-3, 1e-3, "0.00100"), (-99999.0, 99999.0, "-99999"), (2e5, 2e5, "2.0e+05")],
)  # fmt: skip
def test_short_numbers(value: float, largest: float, text: str) -> None:
    assert short_number(value, largest) == text


def test_all_2_has_a_board_and_bars_for_each_of_its_32_tables() -> None:
    network = randomised(NTupleNetwork.of_shape("all-2"))
    figure = draw_evaluator(network)
    assert (
        len(panels(figure, " board"))
        == len(panels(figure, " weights"))
        == len(panels(figure, " entries"))
        == 32
    )
    for number, (_, weights) in enumerate(network.table_weights(), start=1):
        axes = panel(figure, f"table {number} weights")
        assert bar_heights(axes) == weights.tolist()
        assert axes.get_ylim() == (network.weights.min(), network.weights.max())
    assert not any("more" in text for text in words(figure))


def test_the_strip_under_the_bars_names_each_entry() -> None:
    (mesh,) = panel(draw_evaluator(NTupleNetwork([[[0, 1]]])), "table 1 entries").collections
    digits = np.asarray(mesh.get_array())
    assert (3 ** np.array([1, 0]) @ digits.reshape(2, 9)).tolist() == list(range(9))


def test_the_first_placement_is_red_in_the_order_of_its_squares() -> None:
    network = NTupleNetwork([[[9, 2, 11], [54, 61, 52], [14, 5, 12]]])
    grey, red, ring = panel(draw_evaluator(network), "table 1 board").lines
    assert red.get_color() == MAIN
    assert np.asarray(red.get_xydata()).tolist() == [[1.5, 1.5], [2.5, 0.5], [3.5, 1.5]]
    one, gap, other = np.split(np.asarray(grey.get_xydata()), [3, 4])
    assert one.tolist() == [[6.5, 6.5], [5.5, 7.5], [4.5, 6.5]]
    assert np.isnan(gap).all(), "no line from one placement to the next"
    assert other.tolist() == [[6.5, 1.5], [5.5, 0.5], [4.5, 1.5]]
    assert np.asarray(ring.get_xydata()).tolist() == [[1.5, 1.5]]


def test_36_tables_are_shown_but_of_more_only_35() -> None:
    tables = [[[square, 63, 62, 61]] for square in range(37)]
    assert len(panels(draw_evaluator(NTupleNetwork(tables[:36])), " board")) == 36
    figure = draw_evaluator(NTupleNetwork(tables))
    assert len(panels(figure, " board")) == 35
    assert "... and 2 more" in words(figure)
    coverage = heat_map_values(panel(figure, "coverage"))
    assert coverage.tolist() == [1] * 37 + [0] * 24 + [37] * 3, "all tables count"


def test_long_tables_are_curves_from_lowest_to_highest() -> None:
    network = randomised(NTupleNetwork.of_shape("corner-3x3"))
    figure = draw_evaluator(network)
    axes = panel(figure, "table 1 weights")
    assert bar_heights(axes) == []
    assert panels(figure, " entries") == []
    above, below = (collection.get_paths()[0].vertices for collection in axes.collections)
    assert np.asarray(above)[:, 1].max() == network.weights.max()
    assert np.asarray(below)[:, 1].min() == network.weights.min()


def test_the_first_middle_and_last_stage_lie_over_each_other() -> None:
    short = randomised(NTupleNetwork([[[0, 1]]], stages=12))
    long = randomised(NTupleNetwork.of_shape("diagonal-5", stages=12))
    figure = draw_evaluator(short)
    steps = [p for p in panel(figure, "table 1 weights").patches if isinstance(p, StepPatch)]
    of_stages = [next(short.table_weights(stage))[1] for stage in (0, 5, 11)]
    assert [step.get_data()[0].tolist() for step in steps] == [w.tolist() for w in of_stages]
    _zero, *curves = panel(draw_evaluator(long), "table 1 weights").lines
    ends = [np.asarray(curve.get_ydata())[[0, -1]].tolist() for curve in curves]
    of_stages = [next(long.table_weights(stage))[1] for stage in (0, 5, 11)]
    assert ends == [[weights.min(), weights.max()] for weights in of_stages]
    legend = panel(figure, "key").get_legend()
    assert legend is not None
    assert "weights in stage 6 of 12" in [text.get_text() for text in legend.get_texts()]


@pytest.mark.parametrize(
    ("weights", "limits", "ticks"),
    [([0, 0, 0], (-1, 1), ["0.00", "-1.00", "1.00"]), ([1, 2, 4], (0, 4), ["0.00", "4.00"]),
     ([-9, 0, 1], (-9, 1), ["0.0", "-9.0"])],
)  # fmt: skip
def test_the_scale_of_weights_names_its_ends_where_there_is_room(
    weights: list[float], limits: tuple[float, float], ticks: list[str]
) -> None:
    axes = panel(draw_evaluator(NTupleNetwork([[[0]]], weights)), "table 1 weights")
    assert axes.get_ylim() == limits
    assert [label.get_text() for label in axes.get_yticklabels()] == ticks


def test_the_coverage_counts_placements() -> None:
    network = NTupleNetwork([[[0, 1], [0, 8]], [[0]]])
    axes = panel(draw_evaluator(network), "coverage")
    assert heat_map_values(axes)[[0, 1, 8, 9]].tolist() == [3, 1, 1, 0]
    assert [axes.texts[square].get_text() for square in (0, 1, 8, 9)] == ["3", "1", "1", "0"]


def test_hidden_nodes_are_ordered_by_their_output_weights() -> None:
    network = randomised(Mlp())
    (inputs, _), (outputs, _) = dense_layers(network.weights, network.nodes)
    nodes = [axes for axes in draw_evaluator(network).axes if str(axes.get_label()).startswith("node ")]
    order = [int(str(axes.get_label()).removeprefix("node ")) - 1 for axes in nodes]
    assert order == np.argsort(-np.abs(outputs[:, 0])).tolist()
    assert nodes[0].get_title() == f"{order[0] + 1}: {outputs[order[0], 0]:+.3g}"
    assert heat_map_values(nodes[0]).tolist() == inputs[:, order[0]].tolist()


def test_a_wide_mlp_shows_35_nodes() -> None:
    figure = draw_evaluator(randomised(Mlp(hidden=40)))
    assert sum(str(axes.get_label()).startswith("node ") for axes in figure.axes) == 35
    assert "... and 5 more" in words(figure)


def test_a_spatial_mlp_shows_six_sizes_of_parts_and_three_layers() -> None:
    network = SpatialMlp(np.ones(SpatialMlp().weights.size))
    figure = draw_evaluator(network)
    labels = [str(axes.get_label()) for axes in figure.axes]
    assert labels == [
        *(f"parts of {n}x{n}" for n in range(3, 9)),
        "layer 91 to 40",
        "layer 40 to 10",
        "layer 10 to 1",
    ]
    # d4 lies in nine of the 3x3 parts, a1 in one of each size.
    sums = heat_map_values(panel(figure, "parts of 3x3"))
    assert (sums[27], sums[0]) == (9, 1)
    assert sum(bar_heights(panel(figure, "layer 40 to 10"))) == 41 * 10


def test_a_doubled_function_stands_side_by_side_where_it_fits() -> None:
    beside = draw_evaluator(DoubledFunction(HEURISTIC, PieceCounter()))
    black, white = panels(beside, "weights")
    assert black.get_position().y0 == white.get_position().y0
    assert black.get_position().x1 < white.get_position().x0
    below = draw_evaluator(DoubledFunction(Mlp(hidden=8), Mlp(hidden=8)))
    black, white = panels(below, "scale")
    assert black.get_position().y0 > white.get_position().y1
    assert {"Black's evaluator", "White's evaluator"} <= set(words(below))


def test_any_other_evaluator_shows_what_one_more_disc_is_worth() -> None:
    axes = panel(draw_evaluator(CORNER), "weights")
    values = heat_map_values(axes)
    assert np.flatnonzero(np.ma.getmaskarray(values)).tolist() == [27, 28, 35, 36]
    assert (values[0], values[1:].compressed().tolist()) == (3, [0] * 59)
    discs = {disc.center: disc.get_facecolor()[0] for disc in axes.patches if isinstance(disc, Circle)}
    assert discs == {(3.5, 3.5): 1, (4.5, 3.5): 0, (3.5, 4.5): 0, (4.5, 4.5): 1}, "d4 and e5 are white"


@pytest.mark.parametrize(
    ("name", "opening"), [("a.svg", b"<?xml"), ("a.pdf", b"%PDF-"), ("a.PNG", b"\x89PNG")]
)
def test_the_ending_of_the_name_is_the_format(name: str, opening: bytes, tmp_path: Path) -> None:
    save_figure(draw_evaluator(SMALL), tmp_path / name)
    assert (tmp_path / name).read_bytes().startswith(opening)


@pytest.mark.parametrize("name", ["a.jpeg", "a", ".png"])
def test_an_unknown_ending_is_an_error(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"must end with one of \.png, \.svg, \.pdf$"):
        save_figure(Figure(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"there is no folder .*nowhere$"):
        save_figure(Figure(), tmp_path / "nowhere" / "a.png")
