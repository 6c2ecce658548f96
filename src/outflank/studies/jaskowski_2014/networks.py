"""What the networks are made of and what the printed one scores: Table II, Figures 3 and 7."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from matplotlib.figure import Figure

from outflank.evaluators.ntuple_network import NTupleNetwork
from outflank.evaluators.protocol import FloatArray
from outflank.evaluators.tuple_shapes import Table, shape
from outflank.plots.boards import Sheet, draw_tuple
from outflank.plots.networks import draw_evaluator
from outflank.studies.agreement import same_sign
from outflank.studies.jaskowski_2014.league import PRINTED, league_tally, one_ply, score_of
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import Claim, Finding, Measured, NotMeasured, Outcome, ResultTable

COLUMNS = 8
SIDE, GAP = 0.86, 0.11  # inches of a board and between two
MARGIN, HEADING = 0.17, 0.36
KEY = "red: the tuple, with a ring on its first square; grey: its symmetric expansions, with the same weights"


def draw_tuple_boards(networks: Mapping[str, Sequence[Table]]) -> Figure:
    """Under each network's name its tuples, one board each.

    >>> figure = draw_tuple_boards({"rand-2x4": shape("rand-2x4"), "all-8": shape("all-8")})
    >>> [axes.get_label() for axes in figure.axes][:3]
    ['rand-2x4 0', 'rand-2x4 1', 'all-8 0']
    """
    rows = [-(-len(tables) // COLUMNS) for tables in networks.values()]
    height = 0.45 + sum(HEADING + count * (SIDE + GAP) for count in rows)
    sheet = Sheet(Figure(figsize=(8, height)))
    top = 0.1
    for (name, tables), count in zip(networks.items(), rows, strict=True):
        sheet.write(name, left=MARGIN, top=top, size=10, bold=True)
        for number, table in enumerate(tables):
            row, column = divmod(number, COLUMNS)
            axes = sheet.panel(
                f"{name} {number}", left=MARGIN + column * (SIDE + GAP),
                top=top + HEADING - 0.08 + row * (SIDE + GAP), width=SIDE, height=SIDE,
            )  # fmt: skip
            draw_tuple(axes, table, SIDE)
        top += HEADING + count * (SIDE + GAP)
    sheet.write(KEY, left=MARGIN, top=top, size=9)
    return sheet.figure


PUBLISHED = "Jaskowski2014All2"  # the file with all digits of the weights


def table_2(lab: Laboratory) -> Outcome:
    """Tuples and weights, counted."""
    findings: dict[str, Finding] = {}
    rows = []
    for name in lab.settings["networks"]:
        network = NTupleNetwork.of_shape(name, seed=1)
        tuples, weights = len(network.tables), network.weights.size
        findings[f"{name} tuples"] = Measured.exactly(tuples)
        findings[f"{name} weights"] = Measured.exactly(weights)
        rows.append([name, str(tuples), f"{sum(map(len, network.tables)):,}", f"{weights:,}"])
    drawn = {
        f"{name}: {len(tables)} tuples": tables
        for name in lab.settings["drawn"]
        if (tables := shape(name, seed=1))
    }
    figure = lab.draw("figure-3", "Figure 3: random and systematic tuples.", draw_tuple_boards, drawn)
    header = ("network", "tuples", "with their symmetric expansions", "weights")
    return Outcome(findings, [figure], [ResultTable("Networks", header, rows)])


def figure_7(lab: Laboratory) -> Outcome:
    """The best evolved player of the paper, counted and scored."""
    printed = one_ply(PRINTED)
    assert isinstance(printed.evaluator, NTupleNetwork)
    tables = printed.evaluator.tables
    by_inversion = score_of(league_tally(lab, printed))
    turned = replace(printed, view="negation", name="all-2 by negation")
    by_negation = score_of(league_tally(lab, turned))
    published = lab.published.player(PUBLISHED)
    sizes = sorted({len(table) for table in tables}, reverse=True)
    findings: dict[str, Finding] = {
        "tuples": Measured.exactly(len(tables)),
        "weights": Measured.exactly(printed.evaluator.weights.size),
        "expansions": Claim(
            sizes == [8, 4, 2],
            ", ".join(f"{sum(len(t) == size for t in tables)} tuples with {size}" for size in sizes),
        ),
        "score": by_inversion,
        "score of the file": NotMeasured(f"needs the published file {PUBLISHED}.player")
        if published is None
        else score_of(league_tally(lab, published)),
        "inversion": Claim(
            same_sign(
                (by_inversion.ci95[0] - by_negation.ci95[1], by_inversion.ci95[1] - by_negation.ci95[0]), 0
            ),
            f"{by_inversion.value:.3f} by inversion, {by_negation.value:.3f} by negation",
        ),
    }
    drawing = lab.draw("figure-7", "Each tuple of the player, with its weights.", draw_network, tables,
                       printed.evaluator.weights, "all-2, as Figure 7 prints it")  # fmt: skip
    return Outcome(findings, [drawing])


def draw_network(tables: Sequence[Table], weights: FloatArray, title: str) -> Figure:
    """All tuples and their weights, as wide as all figures."""
    figure = draw_evaluator(NTupleNetwork(tables, weights), title)
    figure.set_size_inches(8, 8 * figure.get_figheight() / figure.get_figwidth())
    return figure
