"""Groups of commands: help that lists every command with its whole sentence, and "did you mean"."""

from __future__ import annotations

from typing import Any, ClassVar

import typer
from typer.core import TyperGroup

from outflank.suggestions import unknown


class CommandGroup(TyperGroup):
    """Suggests the nearest command for a misspelt one; lists commands by topic, no sentence cut off."""

    topics: ClassVar[dict[str, tuple[str, ...]]] = {}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0] if args else ""
        if name and not name.startswith("-") and self.get_command(ctx, name) is None:
            raise ValueError(unknown(name, tuple(self.list_commands(ctx)), "a command"))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        for topic, names in self.topics.items():
            _write_section(formatter, topic, {name: commands.pop(name) for name in names})
        _write_section(formatter, "Commands", commands)


def _write_section(formatter: Any, topic: str, commands: dict[str, Any]) -> None:
    """Each command with the first paragraph of its help."""
    if commands:
        with formatter.section(topic):
            summaries = {
                name: (command.help or "").partition("\n\n")[0] for name, command in commands.items()
            }
            formatter.write_dl([(name, " ".join(text.split())) for name, text in summaries.items()])


def subcommands(description: str) -> typer.Typer:
    """A command that consists of others, such as `outflank games`; without one it shows its help."""
    group = typer.Typer(cls=CommandGroup, help=description, rich_markup_mode=None)

    @group.callback(invoke_without_command=True)
    def show_help(context: typer.Context) -> None:
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    return group
