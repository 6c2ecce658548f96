"""`outflank bench`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from outflank.interfaces.cli.options import Json
from outflank.interfaces.cli.progress import err, new_table, out, print_json


def add_to(app: typer.Typer) -> None:
    app.command()(bench)


def bench(
    peers: Annotated[
        bool,
        typer.Option(
            "--peers",
            help="Install rust-reversi, OpenSpiel and pgx in environments of their own; time them too.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Time the core's kernels; with --peers, beside other libraries in the same run."""
    from outflank import _core
    from outflank.benchmarks.environments import environment_targets, time_environments
    from outflank.benchmarks.evolution import evolution_targets, time_evolution
    from outflank.benchmarks.opening_book import book_targets, time_book
    from outflank.benchmarks.peer_libraries import PEERS, RUST_REVERSI, InstalledPeer
    from outflank.benchmarks.playouts import playout_targets, time_playouts
    from outflank.benchmarks.search import search_targets, time_search
    from outflank.benchmarks.start_up import start_up_targets, time_start_up
    from outflank.machine import machine, version

    installed: dict[str, InstalledPeer] = {}
    for peer in PEERS if peers else ():
        with err.status(f"installing {peer.name} in its own environment"):
            installed[peer.name] = peer.install(_cache_folder())
    with err.status("timing: each kernel in turn, several rounds"):
        timings = [
            *time_playouts(installed.get(RUST_REVERSI.name)), *time_evolution(_has_dask()), *time_search(),
            *time_book(), *time_environments(installed), *time_start_up(),
        ]  # fmt: skip
    reached = [
        *playout_targets(timings), *evolution_targets(timings), *search_targets(timings),
        *book_targets(timings), *environment_targets(timings), *start_up_targets(timings),
    ]  # fmt: skip
    if as_json:
        print_json(
            {
                "version": version(),
                "machine": machine(),
                "built_for": _core.tuned_for(),
                "timings": [vars(timing) for timing in timings],
                "targets": [vars(target) | {"is_met": target.is_met} for target in reached],
            }
        )
        return
    title = f"speed, built for {_core.tuned_for()}"
    table = new_table(("what", "threads", "per second"), left=("what",), title=title)
    for timing in timings:
        table.add_row(
            timing.name,
            str(timing.threads),
            f"{timing.per_second:,.{0 if timing.per_second >= 10 else 2}f} {timing.unit}",
        )
    out.print(table)
    ratios = new_table(("what", "ratio", "at least", ""), left=("what",), title="ratios of this run")
    for target in reached:
        verdict = "met" if target.is_met else "missed"
        ratios.add_row(target.name, f"{target.ratio:.2f}", f"{target.at_least:g}", verdict)
    out.print(ratios)


def _has_dask() -> bool:
    """Whether the extra outflank[cluster] is installed."""
    from importlib.util import find_spec

    return find_spec("distributed") is not None


def _cache_folder() -> Path:
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "outflank"
