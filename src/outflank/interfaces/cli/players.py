"""`outflank players`, `show`, `convert` and `perft`."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.interfaces.cli.options import Force, Json, PlayerName, check_free, complete_players
from outflank.interfaces.cli.progress import new_table, note, note_all, out, print_json, say, tell

if TYPE_CHECKING:
    from outflank.evaluators.doubled import DoubledFunction
    from outflank.evaluators.protocol import CoreEvaluator
    from outflank.players.greedy import GreedyPlayer


def add_to(app: typer.Typer) -> None:
    for command in (players, show, convert, perft):
        app.command()(command)


def players(as_json: Json = False) -> None:
    """List the players that come with outflank."""
    from outflank.players.built_in import BUILT_IN, load_built_in

    rows: list[dict[str, Any]] = []
    for name, built_in in BUILT_IN.items():
        evaluator = load_built_in(name).evaluator
        rows.append(
            {
                "player": name,
                "description": built_in.description,
                "kind": evaluator.architecture["kind"],
                "view": built_in.view,
                "weights": int(evaluator.weights.size),
                "league_score": built_in.league_score,
            }
        )
    rows.append({"player": "random", "description": "every legal move with the same probability",
                 "kind": None, "view": None, "weights": 0, "league_score": None})  # fmt: skip
    if as_json:
        print_json(rows)
        return
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("player", "League", "weights", "view", "what it is"):
        table.add_column(column, justify="right" if column in ("League", "weights") else "left")
    for row in rows:
        score = "" if row["league_score"] is None else f"{row['league_score']:.4f}"
        weights = f"{row['weights']:,}" if row["weights"] else ""
        what = ": ".join(filter(None, [row["kind"], row["description"]]))
        table.add_row(row["player"], score, weights, row["view"] or "", what)
    out.print(table)
    say("League: average points against standard-heuristic, 50,000 double games, epsilon 0.1.")
    say("More about one: outflank show PLAYER. Its score: outflank score PLAYER.")


def _with_weights(name: str) -> tuple[GreedyPlayer, CoreEvaluator | DoubledFunction]:
    """A named player and its evaluator; a player without weights has nothing to show or convert."""
    from outflank.evaluators.doubled import DoubledFunction
    from outflank.evaluators.plugin_network import PluginNetwork
    from outflank.evaluators.protocol import CoreEvaluator
    from outflank.players.greedy import GreedyPlayer
    from outflank.players.names import named_player
    from outflank.players.plugin_player import PluginEvaluator

    player = named_player(name)
    if not isinstance(player, GreedyPlayer) or not isinstance(
        player.evaluator, CoreEvaluator | DoubledFunction
    ):
        if isinstance(player, GreedyPlayer) and isinstance(player.evaluator, PluginEvaluator | PluginNetwork):
            raise ValueError(f"{name} is written in Python: it has no weights that can be shown or converted")
        raise ValueError(f"{name} has no weights to show or convert")
    return player, player.evaluator


def show(
    player: PlayerName,
    picture: Annotated[Path | None, typer.Option("--out", help="Draw it: .png, .svg or .pdf.")] = None,
    as_json: Json = False,
) -> None:
    """Show a player's architecture and weights, and draw a picture of them."""
    import numpy as np

    shown, evaluator = _with_weights(player)
    note_all(shown)
    weights = evaluator.weights
    report: dict[str, Any] = {
        "player": player,
        "evaluator": evaluator.description,
        "view": shown.view,
        "weights": int(weights.size),
        "nonzero_weights": int(np.count_nonzero(weights)),
        "smallest": float(weights.min()),
        "largest": float(weights.max()),
    }
    if picture is not None:
        from outflank.plots.networks import draw_evaluator
        from outflank.plots.style import save_figure

        save_figure(draw_evaluator(evaluator, f"{player}: {evaluator.description}"), picture)
        report["picture"] = str(picture)
    if as_json:
        print_json(report)
    else:
        _print_shown(report, evaluator)


def _print_shown(report: dict[str, Any], evaluator: Any) -> None:
    from rich.table import Table

    from outflank.evaluators.iago import Iago
    from outflank.evaluators.piece_counter import PieceCounter

    table = Table(show_header=False)
    for key, value in report.items():
        if key != "picture":
            table.add_row(key.replace("_", " "), f"{value:,}" if isinstance(value, int) else f"{value}")
    out.print(table)
    if isinstance(evaluator, PieceCounter | Iago):
        board = Table(show_header=True, box=None, padding=(0, 1))
        for column in " abcdefgh":
            board.add_column(column, justify="right", style="dim" if column == " " else "")
        for number, row in enumerate(evaluator.square_weights.reshape(8, 8), start=1):
            board.add_row(str(number), *(f"{weight:g}" for weight in row))
        out.print(board)
    if isinstance(evaluator, Iago):
        tell(evaluator.formula)
    if "picture" in report:
        say(f"Picture: {report['picture']}")
    else:
        say(f"Draw it: outflank show {report['player']} --out picture.png")


def convert(
    source: Annotated[
        str, typer.Argument(metavar="IN", help="NAME_OR_FILE[,view=...]", autocompletion=complete_players)
    ],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help=".safetensors, .onnx, or any other name for League text")
    ],
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Convert a player between the League's text format and outflank's own."""
    from outflank.evaluators.storage import StoredPlayer, save_player

    player, evaluator = _with_weights(source)
    check_free(target, force)
    view = None if player.notes else player.view
    save_player(StoredPlayer(evaluator, view, {"converted from": source}), target)
    holds_view = target.suffix in (".safetensors", ".onnx")
    if holds_view and view is None:
        note(f"neither {source} nor {target} says its view; add ,view=inversion or ,view=negation")
    elif not holds_view and view not in (None, "negation"):
        note(f"the League's text format does not hold a view; play it as {target},view={view}")
    name = f"{target}" if holds_view or view is None else f"{target},view={view}"
    if as_json:
        print_json({"player": name, "view": view, "weights": int(evaluator.weights.size)})
        return
    say(f"{target}: {evaluator.description}, {evaluator.weights.size:,} weights")
    say(f"Score it: outflank score {name}")


def perft(
    depth: Annotated[int, typer.Argument(help="Plies; a pass counts as one.", min=0, max=14)],
    moves: Annotated[
        str, typer.Option(help="Count from the position after this transcript, such as f5d6.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Count the move sequences of a number of plies: tests the rules, and their speed."""
    from outflank import _core
    from outflank.board import Board

    board = Board.from_transcript(moves)
    rows = []
    for plies in range(1, depth + 1) if depth else (0,):
        began = time.perf_counter()
        paths = _core.perft(board.mover_discs, board.opponent_discs, plies)
        rows.append({"depth": plies, "paths": paths, "seconds": round(time.perf_counter() - began, 6)})
    if as_json:
        print_json({"position": board.text, "perft": rows})
        return
    table = new_table(("depth", "paths", "seconds"))
    for row in rows:
        table.add_row(str(row["depth"]), f"{row['paths']:,}", f"{row['seconds']:.3f}")
    out.print(table)
