"""The command line: `outflank COMMAND ...`.

Errors are part of the interface: one sentence on stderr, exit code 2, no traceback.
"""

from __future__ import annotations

import io
import os
import sys

import typer

from outflank.interfaces.cli.commands import LazyGroup
from outflank.interfaces.cli.topics import TOPICS

EXIT_BAD_INPUT = 2
EXIT_INTERRUPTED = 130
NO_THREAD = "can't start new thread"  # Python's message if there is no memory for a thread's stack
# The base class of a command line's own errors. Typer ships its own copy of click or uses the installed one,
# depending on its version; its public BadParameter leads to the right one: BadParameter < UsageError < this.
ClickError: type[Exception] = typer.BadParameter.__mro__[2]


class _Outflank(LazyGroup):
    topics = TOPICS


app = typer.Typer(
    cls=_Outflank,
    name="outflank",
    help="A laboratory and a league for learned Othello players.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    epilog="Players are named by NAME_OR_FILE[,key=value...], for example all-2 or my.player,view=inversion.",
)


@app.callback(invoke_without_command=True)
def _outflank(
    context: typer.Context,
    version: bool = typer.Option(False, "--version", help="Show the version, and the core that it runs."),
) -> None:
    if version:
        from outflank import __version__, _core, core_variants

        others = ", ".join(core_variants.installed())
        core = f"{_core.VARIANT} of {others}" if "," in others else f"{_core.VARIANT}, {_core.tuned_for()}"
        typer.echo(f"outflank {__version__} (core: {core})")
    elif context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main() -> None:
    """Runs a command; errors that the user can fix become one sentence and exit code 2."""
    _print_any_text()
    try:
        code = app(standalone_mode=False)
    except (typer.Abort, KeyboardInterrupt):
        code = EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of the pipe is gone (`outflank ... | head`): print nothing, and do not try to flush.
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


def _print_any_text() -> None:
    """What the output's encoding lacks becomes a question mark: on Windows, files get 256 letters."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def _sentence(error: Exception) -> str:
    if isinstance(error, ClickError):
        return " ".join(str(error.format_message()).split())  # type: ignore[attr-defined]  # ClickError has it, see above
    if isinstance(error, MemoryError):
        return "there is not enough memory for this"
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror.lower()}"
    return " ".join(str(error).split())
