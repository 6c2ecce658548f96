"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same games.")]
Threads = Annotated[int | None, typer.Option(help="How many threads; all cores by default.", min=1, max=1024)]
PlayerName = Annotated[str, typer.Argument(metavar="PLAYER", help="NAME_OR_FILE[,key=value...]")]
