"""`outflank page`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from outflank.interfaces.cli.options import Json, complete_players
from outflank.interfaces.cli.progress import note, print_json, say


def page(
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAYER...",
            help="NAME_OR_FILE[,view=...][,tuned=FILE]; outflank players lists the built-in ones.",
            autocompletion=complete_players,
        ),
    ],
    out: Annotated[Path, typer.Option(help="The folder to write; a page in it is replaced.")] = Path("page"),
    title: Annotated[str, typer.Option(help="The title of the page.")] = "outflank",
    json: Json = False,
) -> None:
    """Write a folder in which players can be played and analysed in any browser, without a server.

    Open its index.html, or put the folder on any static host; there it can be installed as an app and works
    offline. The players think in the browser. The levels, the coach and the opening book are always in it.
    """
    from outflank.interfaces.page.folder import named_page_player, page_files, write_page

    named = {}
    for number, text in enumerate(players, start=1):
        player = named_page_player(text, number)
        if player.id in named:
            raise ValueError(f"{text} is named twice")
        named[player.id] = player
        if player.note:
            note(player.note)
    files = page_files(list(named.values()), title)
    write_page(files, out)
    size = sum(map(len, files.values()))
    index = out / "index.html"
    if json:
        print_json({"page": str(index), "bytes": size, "files": len(files), "players": list(named)})
        return
    names = ", ".join(player.name for player in named.values())
    say(f"{out} has {len(files)} files, {size / 1e6:.2f} MB, with {names}.")
    say(f"Open {index} in a browser, or copy the folder to any static host.")


def add_to(app: typer.Typer) -> None:
    app.command()(page)
