"""ONNX files as players: `net.onnx[,view=...][,output=...][,perspective=...]`."""

from __future__ import annotations

from outflank.evaluators.onnx.network import PERSPECTIVES, OnnxEvaluator, OnnxNetwork
from outflank.evaluators.storage import View
from outflank.players.greedy import GreedyPlayer
from outflank.players.policy_player import PolicyPlayer
from outflank.suggestions import unknown


def onnx_player(
    source: str, view: View | None, options: dict[str, str], text: str
) -> GreedyPlayer | PolicyPlayer:
    """The player in a file; takes its own options out of `options`."""
    network = OnnxNetwork.load(source)
    output = network.output(options.pop("output", None))
    wanted = options.pop("perspective", None)
    perspective = next((one for one in PERSPECTIVES if one == wanted), None)
    if wanted is not None and perspective is None:
        raise ValueError(unknown(wanted, PERSPECTIVES, "a perspective"))
    stated = view or network.view
    if output.kind == "policy":
        if stated not in (None, "inversion") or perspective is not None:
            raise ValueError(
                f"{text}: a policy sees the board as the mover does; leave out view and perspective"
            )
        return PolicyPlayer(network, output, text)
    evaluator = OnnxEvaluator(network, output, perspective)
    if evaluator.is_for_next and stated == "negation":
        raise ValueError(f"{text}: a value for the side to move next goes with view=inversion")
    notes = () if stated or evaluator.is_for_next else (
        f"{text} does not say its view, so it plays by inversion; if Black maximises and White minimises its "
        f"value, name it {text},view=negation",
    )  # fmt: skip
    return GreedyPlayer(evaluator, stated or "inversion", text, notes)
