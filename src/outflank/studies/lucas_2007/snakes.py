"""Random snakes: their expansions, their lengths, how many weights a network of them has. Figure 7.

>>> lengths = snake_lengths(squares=3)
>>> sorted(lengths), round(sum(lengths.values()), 9)
([2, 3], 1.0)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations, pairwise, permutations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from outflank.board import Square
from outflank.evaluators.ntuple_network import NTupleNetwork
from outflank.evaluators.protocol import FloatArray, board_bits
from outflank.evaluators.tuple_shapes import Table, expansions, shape
from outflank.games.match import Match
from outflank.learners.runs.settings import load_preset, settings_toml
from outflank.learners.td import TdLearner, TdSettings
from outflank.players.names import named_player
from outflank.plots.boards import Sheet, draw_tuple
from outflank.plots.style import COLOURS, DASHES, GRID, INK
from outflank.studies.laboratory import Laboratory
from outflank.studies.lucas_2007.squares import equivalent_squares
from outflank.studies.verdicts import Claim, Measured, Outcome, ResultTable

SIDE = 3.3  # inches of the board
BINS = 50


def draw_snake(
    table: Table, edges: FloatArray, shares: Mapping[str, FloatArray], marked: Mapping[str, float]
) -> Figure:
    """Left, the tuple in red and its expansions in grey, with the numbers of the squares; right, the
    distribution of the number of weights under each reading of the text, and the paper's numbers.

    >>> edges, shares = binned({"one reading": (np.array([9, 18]), np.array([0.5, 0.5]))})
    >>> figure = draw_snake(expansions([2, 11, 20]), edges, shares, {"the paper's": 18})
    >>> [axes.get_label() for axes in figure.axes]
    ['snake', 'weights']
    """
    sheet = Sheet(Figure(figsize=(8, 5.1)))
    board = sheet.panel("snake", left=0.25, top=0.55, width=SIDE, height=SIDE)
    draw_tuple(board, table, SIDE)
    board.set_title("a snake (red) and its expansions (grey)", fontsize=10, color=INK)
    for square in range(64):
        board.text(square % 8 + 0.05, square // 8 + 0.22, f"{square}", fontsize=6.5, color=INK, zorder=6)
    axes = sheet.panel("weights", left=SIDE + 1.2, top=0.55, width=8 - SIDE - 1.4, height=SIDE)
    _draw_counts(axes, edges, shares, marked)
    handles, labels = axes.get_legend_handles_labels()
    sheet.figure.legend(handles, labels, loc="lower right", bbox_to_anchor=(0.985, 0.005), frameon=False,
                        fontsize=9, ncols=1)  # fmt: skip
    return sheet.figure


def binned(
    counts: Mapping[str, tuple[FloatArray, FloatArray]],
) -> tuple[FloatArray, dict[str, FloatArray]]:
    """The edges of bins, and the share of the networks in each."""
    last = max(float(np.max(weights)) for weights, _ in counts.values())
    edges = np.linspace(0, last * 1.001, BINS + 1)
    return edges, {
        name: np.histogram(weights, edges, weights=probability)[0]
        for name, (weights, probability) in counts.items()
    }


def _draw_counts(
    axes: Axes, edges: FloatArray, shares: Mapping[str, FloatArray], marked: Mapping[str, float]
) -> None:
    for number, (name, share) in enumerate(shares.items()):
        axes.stairs(100 * share, edges, color=COLOURS[number], linewidth=1.6, label=name,
                    linestyle=DASHES[number % len(DASHES)])  # fmt: skip
    for number, (name, count) in enumerate(marked.items()):
        axes.axvline(count, color=INK, linewidth=1.3, linestyle=(":", "-")[number % 2], label=name)
    axes.set_xlabel("weights of a network of thirty snakes", fontsize=10)
    axes.set_ylabel(f"networks, % within {edges[1]:,.0f} weights", fontsize=10)
    axes.xaxis.set_major_formatter(lambda weights, _: f"{weights:,.0f}")
    axes.locator_params(axis="x", nbins=5)
    axes.tick_params(labelsize=9)
    axes.grid(color=GRID, linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)


MOST = 6  # squares of a snake (section 3.2)
WeightCounts = tuple[FloatArray, FloatArray]  # numbers of weights, and their probabilities


def figure_7(lab: Laboratory) -> Outcome:
    """The published snake, and what random ones are like."""
    s = lab.settings
    snake = tuple(s["snake"])
    lengths = {name: snake_lengths(squares) for name, squares in s["readings"].items()}
    counts = {name: network_weights(found, s["snakes"]) for name, found in lengths.items()}
    drawn = lab.cached("drawn snakes", lambda: _drawn_lengths(s["evaluator"], s["networks"]))
    ours, paper = s["reading"], s["weights"]
    differences = lab.cached(
        "order", lambda: order_matters(s["orders"], s["learned_games"]),
        {**s, "rule": settings_toml(load_preset("lucas-2007").settings, 0)},
    )  # fmt: skip
    shares = binned(counts)
    return Outcome(
        {
            "walk": _found_walk(snake),
            "expansions": found_expansions(expansions(snake)),
            "order": Claim(
                max(differences) == 0,
                f"{len(s['orders'])} orders of the squares, each learned by {s['learned_games']} games:"
                f" the values of 1,000 boards differ by at most {max(differences):g}",
            ),
            "shortest": Measured.exactly(min(drawn), f"{len(drawn):,} snakes drawn"),
            "longest": Measured.exactly(max(drawn), f"{len(drawn):,} snakes drawn"),
            "typical weights": Measured.exactly(_mean(counts[ours]), "the mean of all networks"),
            "possible": found_possible(paper, lengths[ours], s["snakes"]),
        },
        [lab.draw("figure-7", "Left the published snake. Right the number of weights of random networks,"
                  " exactly, under two readings of the text.", draw_snake, expansions(walks_over(snake)[0]),
                  *shares, {f"the paper's system: {paper:,}": paper})],
        [_readings_table(lengths, counts, paper)],
    )  # fmt: skip


@cache
def snake_lengths(squares: int) -> Mapping[int, float]:
    """The exact probability of each length of snakes: the first six distinct squares of walks over this many
    squares, start and repeats included."""
    of_length: dict[int, float] = defaultdict(float)
    for group in equivalent_squares():  # equivalent starts have equivalent walks
        walks = {(group[0], 1 << group[0]): len(group) / 64}
        for _ in range(squares - 1):
            walks = _one_step_on(walks)
        for (_, met), probability in walks.items():
            of_length[min(met.bit_count(), MOST)] += probability
    return dict(of_length)


def _one_step_on(walks: Mapping[tuple[int, int], float]) -> dict[tuple[int, int], float]:
    """One more step of walks: (last square, bitboard of all squares) -> probability. Walks with as many
    squares as a snake has stop."""
    further: dict[tuple[int, int], float] = defaultdict(float)
    for (at, met), probability in walks.items():
        if met.bit_count() >= MOST:
            further[at, met] += probability
            continue
        near = neighbours(at)
        for square in near:
            further[square, met | 1 << square] += probability / len(near)
    return further


@cache
def neighbours(square: int) -> tuple[int, ...]:
    """The up to eight squares around one.

    >>> neighbours(0)
    (1, 8, 9)
    """
    at = Square(square)
    near = [
        (at.row + down, at.column + right) for down in (-1, 0, 1) for right in (-1, 0, 1) if down or right
    ]
    return tuple(8 * row + column for row, column in near if 0 <= row < 8 and 0 <= column < 8)


def network_weights(lengths: Mapping[int, float], snakes: int) -> WeightCounts:
    """The probability of each number of weights of a network of this many snakes.

    >>> network_weights({1: 0.5, 2: 0.5}, 2)
    (array([ 6., 12., 18.]), array([0.25, 0.5 , 0.25]))
    """
    one = np.zeros(3 ** max(lengths) + 1)
    for length, probability in lengths.items():
        one[3**length] = probability
    of_all = np.ones(1)
    for _ in range(snakes):
        of_all = np.convolve(of_all, one)
    possible = np.flatnonzero(of_all)
    return possible.astype(np.float64), of_all[possible]


def central_range(counts: WeightCounts) -> tuple[float, float]:
    """The central 95 % of the numbers of weights."""
    weights, probability = counts
    low, high = np.searchsorted(np.cumsum(probability), (0.025, 0.975))
    return float(weights[low]), float(weights[high])


def found_possible(paper: int, lengths: Mapping[int, float], snakes: int) -> Claim:
    """Whether any network of snakes of these lengths has the paper's number of weights."""
    weights, _ = network_weights(lengths, snakes)
    step = 3 ** min(lengths)
    remainder = paper % step
    return Claim(
        bool(np.any(weights == paper)),
        f"every table has a multiple of {step} weights, and {paper:,} is {paper - remainder:,} + {remainder}",
    )


def found_expansions(table: Table) -> Claim:
    """Whether placements are all the symmetric ones, with the points in the same relation to each other."""
    squares = {frozenset(placement) for placement in table}
    read = len(frozenset[int]().union(*squares))
    relations = {
        tuple(_distance(a, b) for a, b in combinations(placement, 2)) for placement in table
    }  # what no symmetry changes
    return Claim(
        len(table) == len(squares) == 8 and len(relations) == 1,
        f"{len(table)} placements on {len(squares)} different sets of squares, {read} squares in all; the"
        " distances between the points, in their order, are the same in each",
    )  # fmt: skip


def _distance(a: int, b: int) -> tuple[int, int]:
    """Rows and columns between two squares, the smaller first: rotations exchange them."""
    rows, columns = abs(a // 8 - b // 8), abs(a % 8 - b % 8)
    return min(rows, columns), max(rows, columns)


def walks_over(squares: Sequence[int]) -> list[tuple[int, ...]]:
    """The orders in which squares can be walked from neighbour to neighbour.

    >>> walks_over([0, 2, 1])
    [(0, 1, 2), (2, 1, 0)]
    """
    return [order for order in permutations(squares) if all(b in neighbours(a) for a, b in pairwise(order))]


def _found_walk(snake: Sequence[int]) -> Claim:
    walks = walks_over(snake)
    names = f"for example {' '.join(map(str, walks[0]))}" if walks else "so it is not one walk"
    return Claim(
        bool(walks), f"{len(walks)} orders of its squares are walks from neighbour to neighbour, {names}"
    )


def order_matters(orders: Sequence[Sequence[int]], games: int) -> list[float]:
    """The tuple in each order learns the same games: by how much values differ from those of the first."""
    settings = load_preset("lucas-2007").settings
    assert isinstance(settings, TdSettings)
    random = named_player("random")
    boards = [board for game in Match(random, random, double_games=10).games() for board in game.boards][
        :1000
    ]
    values = []
    for order in orders:
        learner = TdLearner(settings, seed=1, evaluator=NTupleNetwork([expansions(order)]))
        learner.play(games)
        values.append(learner.learned().values(*board_bits(boards)))
    return [float(np.abs(others - values[0]).max()) for others in values[1:]]


def _drawn_lengths(evaluator: str, networks: int) -> list[int]:
    return [len(table[0]) for seed in range(1, networks + 1) for table in shape(evaluator, seed)]


def _readings_table(
    lengths: Mapping[str, Mapping[int, float]], counts: Mapping[str, WeightCounts], paper: int
) -> ResultTable:
    rows = []
    for name, of_length in lengths.items():
        low, high = central_range(counts[name])
        weights, probability = counts[name]
        shares = [f"{100 * of_length.get(n, 0.0):.2f}" for n in range(2, MOST + 1)]
        rows.append([name, *shares, f"{_mean(counts[name]):,.0f}", f"{low:,.0f} to {high:,.0f}",
                     f"{100 * probability[weights >= paper].sum():.1f}"])  # fmt: skip
    header = ["reading", *(f"{n} squares, %" for n in range(2, MOST + 1)), "mean weights", "95 % of networks",
              f"{paper:,} or more, %"]  # fmt: skip
    return ResultTable("What the text's snakes are like, counted exactly", header, rows)


def _mean(counts: WeightCounts) -> float:
    weights, probability = counts
    return float(weights @ probability)
