"""`outflank accuracy`: a player's values and moves beside those of recorded games."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from outflank.cores import available_cores
from outflank.interfaces.cli.options import PLAYER_HELP, Json, Threads, complete_files, complete_players
from outflank.interfaces.cli.progress import meter, new_table, note, note_all, out, print_json

if TYPE_CHECKING:
    from outflank.games.game import GameRecord
    from outflank.studies.accuracy import Accuracy, ScoredBoard

MOST_TO_SOLVE = 30  # empty squares; each takes twice as long, one board of 24 a second (docs/search.md)


def add_to(app: typer.Typer) -> None:
    app.command()(accuracy)


def accuracy(
    player: Annotated[
        str, typer.Argument(metavar="PLAYER", help=PLAYER_HELP, autocompletion=complete_players)
    ],
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="GAMES...", help="WTHOR, GGF, transcripts or JSON lines.", autocompletion=complete_files
        ),
    ],
    games: Annotated[
        int, typer.Option(help="At most this many games per file, evenly spaced.", min=1)
    ] = 1000,
    solve_at: Annotated[
        int | None,
        typer.Option(
            help="Solve the boards with this many empty squares, rather than take the scores of the files.",
            min=1,
            max=MOST_TO_SOLVE,
        ),
    ] = None,
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """Compare a player's values with exact scores, and its moves with those of experts."""
    from outflank.players.greedy import GreedyPlayer
    from outflank.players.names import named_player
    from outflank.players.search import SearchPlayer
    from outflank.studies.accuracy import accuracy as measure

    judge = named_player(player)
    if not isinstance(judge, GreedyPlayer | SearchPlayer):
        raise ValueError(f"{player} has no values of its own to compare; name a player with an evaluator")
    note_all(judge)
    records = [record for file in files for record in _some_games(file, games)]
    if not records:
        raise ValueError("there are no legal games in " + ", ".join(map(str, files)))
    scored = None if solve_at is None else _solved(records, solve_at, threads or available_cores())
    found = measure(judge, records, scored)
    if as_json:
        print_json({"player": player, "games": len(records), **asdict(found)})
    else:
        _print(player, len(records), found)


def _some_games(file: Path, most: int) -> list[GameRecord]:
    from outflank.games.formats.any_format import read_game_file

    read = read_game_file(file, skip_bad=True)
    if read.problems:
        note(f"{file}: {len(read.problems)} damaged or illegal games are left out")
    every = max(1, -(-len(read.records) // most))
    return read.records[::every]


def _solved(records: list[GameRecord], empties: int, threads: int) -> list[ScoredBoard]:
    from outflank.studies.accuracy import solved_scores

    with meter("solving", len(records), "boards") as progress:
        return solved_scores(records, empties, threads, progress.advance)


def _print(player: str, games: int, found: Accuracy) -> None:
    table = new_table(("measure", "result"), left=("measure", "result"), title=f"{player}, {games:,} games")
    if found.moves:
        table.add_row("moves predicted", f"{100 * found.predicted:.1f} % of {found.moves:,}")
    if found.values is None:
        table.add_row("values", "fewer than three exact scores")
    else:
        v = found.values
        empties = ", ".join(map(str, v.empties))
        table.add_row("exact scores", f"{v.positions:,}, at {empties} empty squares")
        table.add_row("mean error of static values, read as discs", f"{v.mean_error:.2f} discs")
        table.add_row("slope, correlation", f"{v.slope:.3f}, {v.correlation:.3f}")
        table.add_row("mean error after a linear fit", f"{v.fitted_error:.2f} discs")
    out.print(table)
