"""The command line: `outflank COMMAND ...`.

Errors are part of the interface: one sentence on stderr, exit code 2, no traceback.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from outflank.interfaces.cli import players
from outflank.interfaces.cli.league import backup, league_table, serve, submit, worker
from outflank.interfaces.cli.learning import learn, plot, reproduce
from outflank.interfaces.cli.measuring import bench, games, score, tournament
from outflank.interfaces.cli.playing import analyze, book, engine, play, solve

EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130
NO_THREAD = "can't start new thread"  # Python's words where there is no memory for a thread's stack
# The root of a command line's own errors. Typer brings its own copy of click or uses the installed
# one, by version; its public BadParameter leads to the right one: BadParameter < UsageError < this.
ClickError: type[Exception] = typer.BadParameter.__mro__[2]


class _Commands(TyperGroup):
    """Suggests the nearest command for a misspelt one."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0] if args else ""
        if name and not name.startswith("-") and self.get_command(ctx, name) is None:
            from outflank.suggestions import unknown

            raise ValueError(unknown(name, tuple(self.list_commands(ctx)), "a command"))
        return super().resolve_command(ctx, args)


app = typer.Typer(
    cls=_Commands,
    name="outflank",
    help="A laboratory and a league for learned Othello players.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog="Players are named by NAME_OR_FILE[,key=value...], for example all-2 or my.player,view=inversion.",
)
learn.add_to(app)
plot.add_to(app)
score.add_to(app)
tournament.add_to(app)
league_table.add_to(app)
players.add_to(app)
games.add_to(app)
play.add_to(app)
analyze.add_to(app)
book.add_to(app)
bench.add_to(app)
solve.add_to(app)
engine.add_to(app)
reproduce.add_to(app)
serve.add_to(app)
worker.add_to(app)
backup.add_to(app)
submit.add_to(app)


@app.callback(invoke_without_command=True)
def _outflank(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Show the version."),
) -> None:
    if version:
        from outflank import __version__

        typer.echo(f"outflank {__version__}")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> None:
    """Runs a command; turns what users can put right into one sentence and exit code 2."""
    try:
        code = app(standalone_mode=False)
    except (typer.Abort, KeyboardInterrupt):
        code = EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of a pipe went away (`outflank ... | head`): nothing to say, and no flush to try.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    except (ValueError, OSError, MemoryError, ClickError) as error:
        print(f"outflank: {_sentence(error)}", file=sys.stderr)
        code = EXIT_BAD_INPUT
    except RuntimeError as error:
        if str(error) != NO_THREAD:
            raise
        print(f"outflank: {_sentence(MemoryError())}", file=sys.stderr)
        code = EXIT_BAD_INPUT
    sys.exit(code if isinstance(code, int) else 0)


def _sentence(error: Exception) -> str:
    if isinstance(error, ClickError):
        return " ".join(str(error.format_message()).split())  # type: ignore[attr-defined]
    if isinstance(error, MemoryError):
        return "there is not enough memory for this"
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror.lower()}"
    return " ".join(str(error).split())
