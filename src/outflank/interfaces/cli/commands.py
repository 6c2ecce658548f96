"""Groups of commands: help that lists every command with its whole sentence, and "did you mean"."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperGroup

from outflank.suggestions import unknown


class CommandGroup(TyperGroup):
    """Suggests the nearest command for a misspelt one; lists commands with no sentence cut off."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in self.list_commands(ctx):
            raise ValueError(unknown(name, tuple(self.list_commands(ctx)), "a command"))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        _write_section(formatter, "Commands", {name: summary(command) for name, command in commands.items()})


@dataclass(frozen=True)
class LazyCommand:
    """A command whose module is imported when it is used."""

    module: str  # its function add_to(app) adds the command, perhaps with others
    summary: str  # the first paragraph of its help

    def load(self, name: str) -> Any:
        app = typer.Typer(cls=CommandGroup, rich_markup_mode=None)
        import_module(self.module).add_to(app)
        # Typer makes validators for every option of a command: only for this one.
        app.registered_commands = [
            command for command in app.registered_commands if name == _name_of(command)
        ]
        return typer.main.get_group(app).commands[name]


class LazyGroup(CommandGroup):
    """Commands by topic, known by name and summary: `outflank --help` imports none of them."""

    topics: ClassVar[dict[str, dict[str, LazyCommand]]] = {}

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        return [name for commands in self.topics.values() for name in commands]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        if cmd_name not in self.commands:
            for commands in self.topics.values():
                if cmd_name in commands:
                    self.commands[cmd_name] = commands[cmd_name].load(cmd_name)
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        for topic, commands in self.topics.items():
            _write_section(formatter, topic, {name: command.summary for name, command in commands.items()})


def _name_of(command: Any) -> str:
    return str(command.name or typer.main.get_command_name(command.callback.__name__))


def summary(command: Any) -> str:
    """The first paragraph of a command's help."""
    return " ".join((command.help or "").partition("\n\n")[0].split())


def _write_section(formatter: Any, topic: str, summaries: dict[str, str]) -> None:
    if summaries:
        with formatter.section(topic):
            formatter.write_dl(list(summaries.items()))


def subcommands(description: str) -> typer.Typer:
    """A command that consists of others, such as `outflank games`; without one it shows its help."""
    group = typer.Typer(cls=CommandGroup, help=description, rich_markup_mode=None)

    @group.callback(invoke_without_command=True)
    def show_help(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    return group
