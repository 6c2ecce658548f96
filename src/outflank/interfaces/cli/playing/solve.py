"""`outflank solve` and `outflank tune`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.interfaces.cli.options import Json, PlayerName, Seed, Threads, complete_positions
from outflank.interfaces.cli.progress import meter, new_table, note, out, print_json, say

if TYPE_CHECKING:
    from outflank.games.positions import Endgame
    from outflank.players.solver import Solution

MANY_EMPTIES = 26  # beyond this a position may take hours


def add_to(app: typer.Typer) -> None:
    # A position may begin with empty squares, -, and is no option for that.
    app.command(context_settings={"ignore_unknown_options": True})(solve)
    app.command()(tune)


def solve(
    source: Annotated[
        str,
        typer.Argument(
            metavar="POSITION_OR_FILE",
            help="64 of X, O and - and the side to move; a transcript such as f5d6; a file of FFO lines; "
            "or ffo-1-19, ffo-20-39, ffo-40-59.",
            autocompletion=complete_positions,
        ),
    ],
    win_loss: Annotated[bool, typer.Option("--win-loss", help="Only find out who wins: faster.")] = False,
    threads: Threads = None,
    table_bits: Annotated[
        int, typer.Option(help="The transposition table has 2^BITS entries of 24 bytes.", min=10, max=28)
    ] = 22,
    impossible: Annotated[
        bool, typer.Option("--impossible", help="Also solve positions that no game can reach.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Solve endgame positions: exact score, best move and best play."""
    from outflank.cores import available_cores
    from outflank.games.positions import read_endgames
    from outflank.players.solver import WIN_OR_LOSS, Solver

    endgames = read_endgames(source, allow_impossible=impossible)
    most = max(64 - endgame.board.discs for endgame in endgames)
    if most > MANY_EMPTIES:
        note(f"{most} empty squares: from 20 on, each takes about three times as long; Ctrl-C stops it")
    solver = Solver(threads or available_cores(), table_bits)
    window = WIN_OR_LOSS if win_loss else (-64, 64)
    rows: list[dict[str, Any]] = []
    interrupted = False
    with meter("solving", len(endgames), "positions") as progress:
        try:
            for endgame in endgames:
                rows.append(_row(endgame, solver.solve(endgame.board, window), win_loss))
                progress.advance(1)
        except KeyboardInterrupt:
            interrupted = True
    _report(rows, solver.threads, as_json)
    if interrupted:
        raise KeyboardInterrupt
    if wrong := [row for row in rows if row.get("right") is False]:
        raise ValueError(f"{len(wrong)} of {len(rows)} scores differ from those in {source}")


def _row(endgame: Endgame, solution: Solution, win_loss: bool) -> dict[str, Any]:
    score = solution.score_for_mover
    row: dict[str, Any] = {
        "position": endgame.board.text,
        "empties": 64 - endgame.board.discs,
        "result": "win" if score > 0 else "loss" if score < 0 else "draw",
        "score": None if win_loss else score,
        "best": None if solution.best is None else str(solution.best),
        "line": "".join(map(str, solution.line)),
        "nodes": solution.nodes,
        "nodes_per_second": round(solution.nodes / max(solution.seconds, 1e-9)),
        "seconds": round(solution.seconds, 4),
    }
    if (expected := endgame.score_for_mover) is not None:
        row["expected"] = expected
        same_sign = (score > 0) - (score < 0) == (expected > 0) - (expected < 0)
        row["right"] = same_sign if win_loss else score == expected
    return row


def _report(rows: list[dict[str, Any]], threads: int, as_json: bool) -> None:
    seconds = sum(row["seconds"] for row in rows)
    nodes = sum(row["nodes"] for row in rows)
    if as_json:
        print_json({"positions": rows, "seconds": round(seconds, 4), "nodes": nodes, "threads": threads})
        return
    if not rows:
        out.print("Interrupted before the first position was solved.")
        return
    checked = any("right" in row for row in rows)
    columns = ["#", "empties", "score", "best", "nodes", "M nodes/s", "seconds"]
    table = new_table([*columns, "expected"] if checked else columns)
    for number, row in enumerate(rows, start=1):
        score = row["result"] if row["score"] is None else f"{row['score']:+d}"
        cells = [str(number), str(row["empties"]), score, row["best"] or "pass", f"{row['nodes']:,}",
                 f"{row['nodes_per_second'] / 1e6:.1f}", f"{row['seconds']:.3f}"]  # fmt: skip
        if checked:
            expected = row.get("expected")
            cells.append("" if expected is None else f"{expected:+d}" + ("" if row["right"] else "  WRONG"))
        table.add_row(*cells)
    out.print(table)
    for row in rows if len(rows) == 1 else ():
        say(f"Best play: {row['line'] or 'the game is over'}")
    plural = "s" if threads > 1 else ""
    right = f", {sum(bool(row.get('right')) for row in rows)} of {len(rows)} right" if checked else ""
    rate = nodes / max(seconds, 1e-9) / 1e6
    out.print(
        f"{len(rows)} solved in {seconds:.2f} s, {nodes:,} nodes, {rate:.1f} M nodes/s,"
        f" {threads} thread{plural}{right}"
    )


def tune(
    player: PlayerName,
    target: Annotated[Path, typer.Option("--out", help="The JSON file to write.")],
    positions: Annotated[int, typer.Option(help="How many positions to fit.", min=200)] = 1200,
    depth: Annotated[int, typer.Option(help="How deep to search them.", min=4, max=10)] = 8,
    in_discs: Annotated[
        bool, typer.Option("--in-discs", help="Its values are in discs, as deep networks learn them.")
    ] = False,
    seed: Seed = 1,
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """Fit Multi-ProbCut, and values in discs, to a player's evaluator."""
    from outflank.learners.search_tuning import TuningStep, fit
    from outflank.players.greedy import GreedyPlayer
    from outflank.players.names import named_player

    tuned = named_player(player)
    if not isinstance(tuned, GreedyPlayer):
        raise ValueError(f"{player}: name the evaluator without a search, such as all-rounder")
    if not target.resolve().parent.is_dir():
        raise ValueError(f"{target.parent} is not a folder")
    with meter(f"tuning {player}", 0, "searches") as progress:
        for step in fit(tuned, positions, depth, seed, threads, in_discs):
            if isinstance(step, TuningStep):
                progress.reach(step.done, step.total)
            else:
                tuning = step
    tuning.save(target)
    if as_json:
        print_json({"player": player, "tuning": str(target), "discs_per_unit": tuning.discs_per_unit})
        return
    worth = ", ".join(f"{discs:.2f}" for discs in tuning.discs_per_unit)
    say(f"{target}: a unit of value is worth {worth} discs, by stage of the game")
    say(f"Play with it: outflank play {player},time=1,tuned={target}")
