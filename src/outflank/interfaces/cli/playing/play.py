"""`outflank play`."""

from __future__ import annotations

import contextlib
import secrets
import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from outflank.interfaces.cli.options import PLAYER_HELP, complete_players
from outflank.interfaces.cli.playing.play_session import HUMAN, SavedGame, uses_colours
from outflank.interfaces.cli.progress import note_all, out, say, tell

if TYPE_CHECKING:
    from outflank.board import Board, Colour
    from outflank.games.game import GameRecord
    from outflank.interfaces.cli.playing.play_session import Session

DEFAULT_PLAYER = "all-rounder,time=1,book=default"


class ColourChoice(StrEnum):
    black = "black"
    white = "white"
    random = "random"


def add_to(app: typer.Typer) -> None:
    app.command()(play)


def play(
    player: Annotated[
        str, typer.Argument(metavar="[PLAYER]", help=PLAYER_HELP, autocompletion=complete_players)
    ] = DEFAULT_PLAYER,
    colour: Annotated[
        ColourChoice | None, typer.Option(help="Yours. Default: black, or as in a resumed game.")
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(help="Start from a file of a game, a transcript, or a position as in FFO files."),
    ] = None,
    game: Annotated[int | None, typer.Option(help="Which game of the file in --start.", min=1)] = None,
    target: Annotated[
        Path | None,
        typer.Option("--out", help="Save the game here: .ggf, .jsonl or .txt. Default: a file in games/."),
    ] = None,
    think: Annotated[
        bool, typer.Option("--think", help="Show what the player expects after each of its moves.")
    ] = False,
) -> None:
    """Play against a player in the terminal. Every move is saved; type help for the commands."""
    from outflank.players.engines.player import ExternalPlayer

    session = _session(player, colour, start, game, target, think)
    if isinstance(session.player, ExternalPlayer):
        session.player.open()
    _prepare_input()
    note_all(session.player)
    letter = "" if uses_colours() else " (X)" if session.colour == "black" else " (O)"
    tell(f"You are {session.colour}{letter} against {player}. Type a square such as d3, or help.")
    try:
        has_ended = session.run()
    except BaseException:
        out.print()
        _print_how_to_resume(session)
        raise
    finally:
        if (close := getattr(session.player, "close", None)) is not None:
            close()
    if has_ended:
        _print_end(session)
    else:
        _print_how_to_resume(session)


def _session(
    name: str,
    colour: ColourChoice | None,
    start: str | None,
    game: int | None,
    target: Path | None,
    think: bool,
) -> Session:
    from outflank.games.game import Game, GameRecord
    from outflank.interfaces.cli.measuring.games import record_named
    from outflank.interfaces.cli.playing.play_session import Session
    from outflank.players.greedy import GreedyPlayer
    from outflank.players.names import named_player, with_one_ply_search

    if start is None and game is not None:
        raise ValueError("--game chooses a game of the file in --start, which is not given")
    player = named_player(name)
    if think and isinstance(player, GreedyPlayer):
        player = with_one_ply_search(player)
    record = GameRecord(Game()) if start is None else record_named(start, game)
    final = record.game.final
    if final.is_over:
        raise ValueError(
            f"there is nothing to play: the game is over, black {final.black.bit_count()}, "
            f"white {final.white.bit_count()}"
        )
    saved = _saved(start, target, record)
    return Session(player, record.game, _colour(colour, record), saved, shows_thoughts=think)


def _saved(start: str | None, target: Path | None, record: GameRecord) -> SavedGame:
    from outflank.games.positions import is_file

    if start is not None and is_file(start) and (target is None or target == Path(start)):
        resumed = SavedGame.resumed(Path(start), record)
        if resumed is not None:
            return resumed
    return SavedGame.new(target, record.game.start)


def _colour(choice: ColourChoice | None, record: GameRecord) -> Colour:
    if choice is ColourChoice.random:
        return "black" if secrets.randbelow(2) else "white"
    if choice is None:
        return "white" if record.white == HUMAN else "black"
    return "black" if choice is ColourChoice.black else "white"


def _prepare_input() -> None:
    """Bytes that are not text are wrong input, not the end of the game; a terminal gets line editing."""
    if (reconfigure := getattr(sys.stdin, "reconfigure", None)) is not None:
        reconfigure(errors="replace")
    if sys.stdin.isatty():
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401


def _print_end(session: Session) -> None:
    if session.resigned:
        tell(f"You resigned after {len(session.game.moves)} moves.")
    else:
        tell(f"Game over: {_result(session.game.final, session.colour)}")
    if session.saved.is_written:
        say(f"The game: {session.saved.path}")
        say(f"Analyze it: outflank analyze {shlex.quote(str(session.saved.path))}")
    elif session.game.moves:
        say(f"Moves: {session.game.transcript}")


def _result(final: Board, colour: Colour) -> str:
    discs = f"black {final.black.bit_count()}, white {final.white.bit_count()}"
    difference = final.disc_difference if colour == "black" else -final.disc_difference
    if difference == 0:
        return f"{discs}, a draw."
    return f"{discs}, you {'win' if difference > 0 else 'lose'} by {abs(difference)}."


def _print_how_to_resume(session: Session) -> None:
    if not session.game.moves:
        tell("No move was played, so nothing was saved.")
    elif session.saved.is_written and not session.saved.has_failed:
        command = [session.player.name, "--start", str(session.saved.path), "--colour", session.colour]
        tell("The game is saved. Resume it:")
        say(f"outflank play {shlex.join(command)}")
    else:
        command = [session.player.name, "--start", session.game.transcript]
        tell("The game could not be saved. Resume it:")
        say(f"outflank play {shlex.join(command)}")
