"""`outflank league-table`: the published League with our players in it, or a league server's table."""

from __future__ import annotations

from typing import Annotated

import typer

from outflank.interfaces.cli.options import Json, Threads
from outflank.interfaces.cli.progress import meter, note, out, print_json


def add_to(app: typer.Typer) -> None:
    app.command()(league_table)


def league_table(
    players: Annotated[
        list[str] | None, typer.Argument(metavar="[PLAYER...]", help="More players to score and rank.")
    ] = None,
    double_games: Annotated[int, typer.Option(help="Per scored player.", min=1)] = 10_000,
    threads: Threads = None,
    league: Annotated[
        str | None, typer.Option(metavar="URL", help="Show the table of this league server instead.")
    ] = None,
    as_json: Json = False,
) -> None:
    """The Othello League as published in 2014, with our players in it; or a league server's table."""
    if league is not None:
        if players:
            raise ValueError("a league server scores its own players; submit yours with outflank submit")
        _show_league(league, as_json)
        return
    from outflank.league.scoring import measured_row, published_rows, ranked
    from outflank.players.built_in import BUILT_IN
    from outflank.players.names import named_player, short_name

    names = [*BUILT_IN, *(players or [])]
    own = [named_player(name) for name in names]
    for player in own:
        for text in getattr(player, "notes", ()):
            note(text)
    rows = published_rows()
    with meter("scoring", len(own), "players") as progress:
        for player in own:
            rows.append(measured_row(player, double_games, threads))
            progress.advance(1, short_name(player.name))
    if as_json:
        print_json([vars(row) for row in ranked(rows)])
        return
    from rich.markup import escape
    from rich.table import Table

    table = Table()
    for name in ("player", "weights", "score", "source"):
        table.add_column(name, justify="right" if name in ("weights", "score") else "left", overflow="fold")
    for row in ranked(rows):
        ours = row.reach is not None
        score = f"{row.score:.4f} ± {row.reach:.4f}" if ours else f"{row.score:.4f}         "
        table.add_row(
            escape(short_name(row.name)), f"{row.weights:,}" if row.weights else "-", score, row.source,
            style="bold" if ours else "",
        )  # fmt: skip
    out.print(table)
    out.print("Published: Table III of Jaskowski 2014; most of its scores are of 50 double games.")


def _show_league(address: str, as_json: bool) -> None:
    from outflank.interfaces.cli.league.submit import league_at

    with league_at(address) as client:
        rows = client.table()
    if as_json:
        print_json([row.model_dump() for row in rows])
        return
    from rich.table import Table
    from rich.text import Text

    from outflank.games.statistics import score_text

    table = Table()
    for name in ("rank", "player", "entrant", "weights", "score", "state"):
        is_text = name in ("player", "entrant", "state")
        table.add_column(name, justify="left" if is_text else "right", overflow="fold")
    for row in rows:
        result = row.result
        table.add_row(
            f"{row.rank or ''}", Text(row.name), Text(row.entrant), f"{row.weights:,}",
            score_text(result.score, result.ci95) if result else "", row.state,
        )  # fmt: skip
    out.print(table)
