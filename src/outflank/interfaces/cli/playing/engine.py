"""`outflank engine`."""

from __future__ import annotations

import os
import signal
import sys
import threading
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from outflank.interfaces.cli.options import PlayerName
from outflank.interfaces.cli.progress import note, note_all

if TYPE_CHECKING:
    from outflank.interfaces.engines import Conversation
    from outflank.players.greedy import Player

ENDING = {signal.SIGTERM, signal.SIGINT}


class EngineProtocol(StrEnum):
    gtp = "gtp"
    nboard = "nboard"


def add_to(app: typer.Typer) -> None:
    app.command()(engine)


def engine(
    player: PlayerName,
    protocol: Annotated[EngineProtocol, typer.Option(help="The protocol.")] = EngineProtocol.gtp,
) -> None:
    """Run a player as an engine on standard input and output, for programs that speak GTP or NBoard."""
    # Before any library starts threads: they inherit the mask, so that only one thread gets the signals.
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    from outflank.interfaces.engines import converse
    from outflank.players.engines.player import ExternalPlayer
    from outflank.players.names import named_player

    chosen = named_player(player)
    _end_on_signal(chosen)
    note_all(chosen)
    if sys.stdin.isatty():
        note(f"{chosen.name} reads {protocol.upper()} commands; quit ends it")
    try:
        if isinstance(chosen, ExternalPlayer):
            chosen.open()  # fail now if it cannot be started, not at every move
        converse(_conversation(chosen, protocol), sys.stdin.buffer, sys.stdout.buffer)
    finally:
        if (close := getattr(chosen, "close", None)) is not None:
            close()


def _conversation(player: Player, protocol: EngineProtocol) -> Conversation:
    from outflank import __version__
    from outflank.interfaces.engines.gtp import GtpEngine
    from outflank.interfaces.engines.nboard import NBoardEngine

    return GtpEngine(player, __version__) if protocol == EngineProtocol.gtp else NBoardEngine(player)


def _end_on_signal(player: Player) -> None:
    """Ends the process at once, even during a search: every answer so far has been flushed."""

    def end(*_: object) -> None:
        if (kill := getattr(player, "kill", None)) is not None:
            kill()
        os._exit(0)

    def wait() -> None:
        signal.sigwait(ENDING)
        end()

    if hasattr(signal, "sigwait"):
        threading.Thread(target=wait, daemon=True).start()
        return
    for number in ENDING:  # Windows: after the search, since Python's handlers run between its own steps
        signal.signal(number, end)
