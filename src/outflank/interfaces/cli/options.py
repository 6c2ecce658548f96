"""Arguments and options that several commands share, and what the shell offers to complete them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from outflank.games.cluster_games import Workers


def complete_players(begun: str) -> list[str]:
    """Built-in players and files, and the options that may follow a comma.

    >>> complete_players("all-2")
    ['all-2', 'all-2-evolved']
    >>> complete_players("all-2,view=n")
    ['all-2,view=negation']
    """
    from outflank.evaluators.storage import VIEWS
    from outflank.players.names import KEYS, NAMES

    player, comma, option = begun.rpartition(",")
    if not comma:
        return _starting_with(begun, NAMES) + complete_files(begun)
    options = (
        [f"view={view}" for view in VIEWS] if option.startswith("view=") else [f"{key}=" for key in KEYS]
    )
    return [f"{player},{name}" for name in _starting_with(option, options)]


def complete_presets(begun: str) -> list[str]:
    """The presets of `outflank learn`, and files."""
    from outflank.learners.runs.settings import preset_names

    return _starting_with(begun, preset_names()) + complete_files(begun)


def complete_positions(begun: str) -> list[str]:
    """The test suites of `outflank solve`, and files."""
    from outflank.games.positions import BUILT_IN

    return _starting_with(begun, BUILT_IN) + complete_files(begun)


def complete_files(begun: str) -> list[str]:
    """Files and folders, a folder with its slash."""
    folder, slash, name = begun.rpartition("/")
    try:
        there = sorted(Path(folder + slash).iterdir())
    except OSError:
        return []
    shown = [path for path in there if name or not path.name.startswith(".")]
    return [
        f"{folder}{slash}{path.name}{'/' if path.is_dir() else ''}"
        for path in shown
        if path.name.startswith(name)
    ]


def _starting_with(begun: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(begun)]


PLAYER_HELP = "NAME_OR_FILE[,key=value...]; outflank players lists the built-in ones."
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same games.")]
Threads = Annotated[int | None, typer.Option(help="How many threads; all cores by default.", min=1, max=1024)]
PlayerName = Annotated[
    str, typer.Argument(metavar="PLAYER", help=PLAYER_HELP, autocompletion=complete_players)
]
Force = Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")]
Starts = Annotated[
    Path | None,
    typer.Option(
        help="Start positions: FFO text, openings such as those of XOT (F5D6C3 on a line), or grids of "
        "0 (white), 1 (empty) and 2 (black)."
    ),
]


Cluster = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Play on a Dask cluster: tcp://HOST:8786, or local:2."),
]


@contextmanager
def workers_of(cluster: str | None, threads: int | None) -> Iterator[Workers | None]:
    """The workers of --cluster; none: this process's threads play."""
    if cluster is None:
        yield None
        return
    from outflank.learners.execution.executor import executor_for

    with executor_for(cluster, threads) as executor:
        yield executor


def check_free(target: Path, force: bool) -> None:
    """Refuses to overwrite a file without --force."""
    if target.exists() and not force:
        raise ValueError(f"{target} already exists; choose another name or add --force")
