"""`outflank worker`: scores players and plays competitions for a league, on any machine."""

from __future__ import annotations

import logging
import os
import signal
import threading
from typing import TYPE_CHECKING, Annotated

import typer

from outflank.interfaces.cli.options import Threads
from outflank.plugins import refuse as refuse_plugins

if TYPE_CHECKING:
    from outflank.players.greedy import GreedyPlayer

Database = Annotated[
    str,
    typer.Option("--db", metavar="URL", help="sqlite:///FILE or postgresql://USER@HOST/NAME.",
                 envvar="OUTFLANK_DB"),
]  # fmt: skip
MISSING = "the league needs more packages: pip install 'outflank[server]'"
RETRY_SECONDS = 3.0
WRITE_SECONDS = 60.0  # no client waits for a worker, so it may wait for other writers
NICENESS = 15  # of a server's own worker, on the same machine
EXIT_STUCK = 3
DOTS_PER_INCH = 100
log = logging.getLogger("outflank.worker")


def add_to(app: typer.Typer) -> None:
    app.command()(worker)


def worker(
    db: Database, threads: Threads = None, parent: Annotated[int | None, typer.Option(hidden=True)] = None
) -> None:
    """Score a league's players and play its competitions, until told to stop."""
    refuse_plugins()
    try:
        from outflank.interfaces.web.monitoring import set_up_logs
    except ModuleNotFoundError:
        raise ValueError(MISSING) from None
    set_up_logs()
    work(db, threads=threads, parent=parent)


def work(
    db: str, *, threads: int | None = None, parent: int | None = None, double_games: int | None = None
) -> None:
    """Work until SIGTERM or SIGINT, or until the given parent process is gone. An unfinished job is released
    to another worker. While the database is away the worker waits for it."""
    from sqlalchemy.exc import DBAPIError

    from outflank.league.sandbox import lower_priority
    from outflank.league.scoring import DOUBLE_GAMES
    from outflank.league.store import Store
    from outflank.league.worker import Worker

    if parent is not None:
        lower_priority(NICENESS)
    store = Store(db, write_seconds=WRITE_SECONDS)
    told = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: told.set())

    def should_stop() -> bool:
        return told.is_set() or (parent is not None and os.getppid() != parent)

    worker = Worker(
        store, threads=threads, double_games=double_games or DOUBLE_GAMES, draw=drawn,
        on_stuck=lambda: os._exit(EXIT_STUCK),  # the hanging thread cannot be ended otherwise
    )  # fmt: skip
    log.info("worker started")
    done = 0
    while not should_stop():
        try:
            done += worker.work(should_stop)
        except DBAPIError:
            log.exception("the database does not respond")
            told.wait(RETRY_SECONDS)
    store.close()
    log.info("worker stopped", extra={"fields": {"jobs": done}})


def drawn(player: GreedyPlayer) -> bytes | None:
    """A picture of the player's weights, as PNG; None if it cannot be drawn."""
    import io

    from outflank.evaluators.onnx.network import OnnxEvaluator
    from outflank.plots.networks import draw_evaluator

    if isinstance(player.evaluator, OnnxEvaluator):  # any graph of any layers
        return None
    image = io.BytesIO()
    try:
        draw_evaluator(player.evaluator, player.name).savefig(image, format="png", dpi=DOTS_PER_INCH)
    except Exception:
        log.exception("no picture", extra={"fields": {"player": player.name}})
        return None
    return image.getvalue()
