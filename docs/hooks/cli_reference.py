"""The CLI reference: every command, its arguments and its options, as `--help` shows them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from outflank.interfaces.cli import app
from outflank.interfaces.cli.topics import TOPICS

INTRODUCTION = """# Command line

Made from the commands themselves; `outflank COMMAND --help` prints the same. Players are named by
`NAME_OR_FILE[,key=value...]`, for example `all-2` or `my.player,view=inversion`
([players and their keys](../players.md)). A wrong input is answered by one sentence and exit code 2.
Ctrl-C ends a command with what it has so far, and exit code 130.
"""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    files.append(File.generated(config, "reference/cli.md", content="\n".join(_reference())))
    return files


def _reference() -> Iterator[str]:
    # Typer ships its own click or uses an installed one, so its objects have no type that can be named here.
    root: Any = typer.main.get_command(app)
    yield INTRODUCTION
    yield from _contents()
    for topic, commands in TOPICS.items():
        yield f"## {topic}\n"
        for name in commands:
            yield from _command(root.get_command(None, name), f"outflank {name}", level=3)


def _contents() -> Iterator[str]:
    yield "| | |\n|---|---|"
    for commands in TOPICS.values():
        for name, command in commands.items():
            yield f"| [`{name}`](#outflank-{name}) | {_plain(_cell(command.summary))} |"
    yield ""


def _command(command: Any, path: str, level: int) -> Iterator[str]:
    context = command.context_class(command, info_name=path)
    yield f"{'#' * level} outflank {path.removeprefix('outflank ')}\n"
    yield f"```text\n{path} {' '.join(command.collect_usage_pieces(context))}\n```\n"
    yield f"{_help(command.help)}\n"
    for kind in ("argument", "option"):
        shown = [each for each in command.params if each.param_type_name == kind]
        records = [each.get_help_record(context) for each in shown]  # what --help prints; None if hidden
        if rows := [_row(*record) for record in records if record is not None]:
            yield f"| {kind} | | |\n|---|---|---|"
            yield from rows
            yield ""
    for name in getattr(command, "commands", {}):
        yield from _command(command.get_command(None, name), f"{path} {name}", level + 1)


def _row(name: str, text: str) -> str:
    """
    >>> _row("--seed INTEGER", "Where chance starts.  [default: 1]")
    '| `--seed INTEGER` | Where chance starts. | default: 1 |'
    """
    about, _, notes = text.partition("  [")
    return f"| `{_cell(name)}` | {_plain(_cell(about))} | {_plain(_cell(notes.removesuffix(']')))} |"


def _help(text: str | None) -> str:
    return _plain(inspect.cleandoc(text or "").replace("\f", ""))


def _plain(text: str) -> str:
    """`FILE[,view=V][,tuned=FILE]` is no link."""
    return text.replace("[", "\\[")


def _cell(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")
