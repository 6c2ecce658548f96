"""An experiment: measures what a TOML file asks for, and returns numbers and a figure."""

from __future__ import annotations

from matplotlib.figure import Figure

from outflank import named_player
from outflank.studies.laboratory import Laboratory
from outflank.studies.verdicts import Measured, Outcome


def depths(lab: Laboratory) -> Outcome:
    """The score of an evaluator against the standard heuristic, at one ply and deeper."""
    heuristic = named_player("standard-heuristic")
    scores = {}
    for depth in lab.settings["depths"]:
        player = named_player(f"{lab.settings['player']},depth={depth}")
        tally = lab.match(
            f"depth {depth}", player, heuristic, double_games=lab.settings["double_games"], epsilon=0.1
        )
        scores[depth] = tally
    figure = Figure()
    axes = figure.subplots()
    axes.plot(list(scores), [tally.score for tally in scores.values()], marker="o")
    axes.set(xlabel="plies", ylabel="score")
    values = {f"score at {depth}": Measured(tally.score, ci95=tally.ci95) for depth, tally in scores.items()}
    return Outcome(values, [lab.save_figure("depths", figure, "The score by depth.")])
