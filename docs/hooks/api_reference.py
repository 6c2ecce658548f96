"""The API reference: a page per room, with every public name of `__init__.pyi`, `outflank.envs` and client.

What a page says about a name is its docstring (mkdocstrings); a name without one fails the build.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from pydantic import BaseModel

import outflank

STUB = Path(outflank.__file__).with_suffix(".pyi")


@dataclass(frozen=True)
class Area:
    """A page of the reference: whose names it has, and what to read about them."""

    page: str
    title: str
    rooms: tuple[str, ...]
    about: str


AREAS = (
    Area("board", "Boards", ("board",), 
        "The rules of the game. A `Board` is immutable: playing a move returns the next one.",
    ),
    Area(
        "evaluators", "Evaluators", ("evaluators",),
        "An evaluator gives a position a number; larger is better for Black. How they are made and stored: "
        "[learning](../learning.md), [neural networks](../neural-networks.md), [plug-ins](../plugins.md).",
    ),
    Area(
        "players", "Players", ("players",),
        "A player chooses a move. Most are made by name, as on the command line: "
        "`named_player(\"all-rounder,depth=6\")`. See [names](../players.md), "
        "[search](../search.md), [opening books](../opening-book.md) and [engines](../engines.md).",
    ),
    Area(
        "games", "Games, matches and tournaments", ("games", "league"),
        "Games that were played, and players that meet. See [game files](../games.md), "
        "[tournaments](../tournaments.md) and [the league](../league.md).",
    ),
    Area(
        "learning", "Learning", ("learners",),
        "What changes weights: runs in folders, optimisers with ask and tell, measures of fitness. See "
        "[temporal differences](../learning.md) and [evolution](../evolution.md).",
    ),
)  # fmt: skip
# Public names outside `outflank` itself: their page, and the modules they are in.
ENVIRONMENTS = Area(
    "environments", "Environments", (),
    "Games for reinforcement learning, in the forms that other libraries expect: "
    "[environments](../environments.md).",
)  # fmt: skip
ENVIRONMENT_NAMES: dict[str, tuple[str, ...]] = {
    "outflank.envs.batched": ("BatchedOthello", "BatchStep"),
    "outflank.envs.gymnasium": ("OthelloEnv",),
    "outflank.envs.vector": ("OthelloVectorEnv",),
    "outflank.envs.pettingzoo": ("env", "raw_env"),
    "outflank.envs.openspiel": ("PlayerBot", "BotPlayer"),
}
CLIENT = Area(
    "league-client", "The league's client", (), "A league's [REST API](../league.md#the-api) from Python."
)
CLIENT_NAMES: dict[str, tuple[str, ...]] = {"outflank.interfaces.league_client": ("LeagueClient",)}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    names = public_names()
    index = [
        "# API reference\n",
        "Everything on this page is imported from `outflank` itself: `from outflank import Board, Match`. "
        "Everything else may change without notice, except [environments](environments.md) and "
        "[the league's client](league-client.md). The command line: [outflank COMMAND](cli.md).\n",
    ]
    for area in AREAS:
        modules = {module: listed for module, listed in names.items() if module.split(".")[1] in area.rooms}
        index += _table(area, modules)
        files.append(_file(config, area, _page(area, modules)))
    if missed := {module.split(".")[1] for module in names} - {room for area in AREAS for room in area.rooms}:
        raise PluginError(f"public names of {missed} are on no page: docs/hooks/api_reference.py:AREAS")
    for area, modules in ((ENVIRONMENTS, ENVIRONMENT_NAMES), (CLIENT, CLIENT_NAMES)):
        files.append(_file(config, area, _page(area, modules)))
    files.append(File.generated(config, "reference/index.md", content="\n".join(index)))
    return files


def public_names() -> dict[str, tuple[str, ...]]:
    """The names of the package by the module that defines them, as the stub lists them."""
    imports = [node for node in ast.parse(STUB.read_text()).body if isinstance(node, ast.ImportFrom)]
    return {f"outflank.{node.module}": tuple(alias.name for alias in node.names) for node in imports}


def _file(config: MkDocsConfig, area: Area, text: str) -> File:
    return File.generated(config, f"reference/{area.page}.md", content=text)


def _page(area: Area, modules: dict[str, tuple[str, ...]]) -> str:
    lines = [f"# {area.title}\n", f"{area.about}\n"]
    for module, names in modules.items():
        for name in names:
            lines += _entry(module, name)
    return "\n".join(lines)


def _entry(module: str, name: str) -> Iterator[str]:
    found = getattr(importlib.import_module(module), name)
    is_settings = inspect.isclass(found) and issubclass(found, BaseModel)
    yield f"::: {found.__module__ if hasattr(found, '__module__') else module}.{name}"
    yield "    options:"
    yield "      heading_level: 2"
    if is_settings:  # the fields are in the table
        yield "      members: false"
        yield "      show_signature: false"
    yield ""
    if is_settings:
        yield from _settings(found)


def _settings(model: type[BaseModel]) -> Iterator[str]:
    yield "| setting | default | meaning |"
    yield "|---|---|---|"
    for name, field in model.model_fields.items():
        default = "" if field.is_required() else f"`{field.get_default(call_default_factory=True)!r}`"
        yield f"| `{name}` | {default.replace('|', chr(92) + '|')} | {field.description or ''} |"
    yield ""


def _table(area: Area, modules: dict[str, tuple[str, ...]]) -> Iterator[str]:
    yield f"## {area.title}\n"
    yield "| name | |"
    yield "|---|---|"
    for module, names in modules.items():
        for name in names:
            found = getattr(importlib.import_module(module), name)
            yield f"| [`{name}`][{found.__module__}.{name}] | {_summary(found, name)} |"
    yield ""


def _summary(found: object, name: str) -> str:
    """The first paragraph of a docstring, in one line."""
    text = inspect.getdoc(found)
    if not text:
        raise PluginError(f"{name} is public and has no docstring")
    return " ".join(text.split("\n\n")[0].split()).replace("|", "\\|")
