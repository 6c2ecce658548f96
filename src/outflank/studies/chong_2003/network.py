"""The network: Figure 1."""

from __future__ import annotations

from math import isqrt

from outflank.evaluators.spatial_mlp import PARTS, SpatialMlp
from outflank.learners.evolution import adaptation_rate
from outflank.plots.spatial_network import draw_spatial_network
from outflank.studies.laboratory import Laboratory
from outflank.studies.outcome import Measured, Outcome, Tabled


def figure_1(laboratory: Laboratory) -> Outcome:
    """Counted on the network as it is evolved."""
    network = SpatialMlp()
    (_, spatial), (_, second), (_, third), (_, output) = network.layers()
    sides = [isqrt(len(part)) for part in PARTS]
    counted = {
        "weights": network.weights.size,
        "spatial nodes": spatial.size,
        "second layer": second.size,
        "third layer": third.size,
        "outputs": output.size,
        "nodes of 3x3": sides.count(3),
        "node types": len(set(sides)),
        "tau": adaptation_rate(network.weights.size),
    }
    rows = [
        (f"{side} x {side}", str(sides.count(side)), str(sides.count(side) * (side**2 + 1)))
        for side in sorted(set(sides))
    ]
    later = [("second layer", second.size, spatial.size), ("third layer", third.size, second.size),
             ("output", output.size, third.size)]  # fmt: skip
    rows += [(name, str(nodes), str(nodes * (inputs + 1))) for name, nodes, inputs in later]
    rows.append(("together", str(spatial.size + second.size + third.size + output.size),
                 str(network.weights.size)))  # fmt: skip
    return Outcome(
        {key: Measured.exactly(float(value)) for key, value in counted.items()},
        [laboratory.draw("figure-1", draw_spatial_network(), "The network; one part of each size is shown.")],
        [Tabled("Where the 5,900 weights are", ("", "nodes", "weights and biases"), rows)],
    )
