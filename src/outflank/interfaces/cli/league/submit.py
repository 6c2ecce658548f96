"""`outflank register` and `outflank submit`: take part in a league on the web."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.interfaces.cli.options import Json
from outflank.interfaces.cli.progress import print_json, say

if TYPE_CHECKING:
    from outflank.interfaces.league_client import LeagueClient
    from outflank.interfaces.response_models import PlayerResponse

LeagueAddress = Annotated[str, typer.Option(metavar="URL", help="The league, such as http://127.0.0.1:8000.")]
KEY = "OUTFLANK_KEY"
CHECKPOINTS = ("last", "best")  # file names of every run; the run's folder says more


def add_to(app: typer.Typer) -> None:
    app.command()(register)
    app.command()(submit)


def league_at(address: str) -> LeagueClient:
    try:
        from outflank.interfaces.league_client import LeagueClient
    except ModuleNotFoundError:
        raise ValueError("this needs more packages: pip install 'outflank[server]'") from None
    return LeagueClient(address)


def register(
    name: Annotated[str, typer.Argument(help="Your name in the league table.")],
    league: LeagueAddress,
    as_json: Json = False,
) -> None:
    """Register as an entrant of a league. Your API key is shown once: store it."""
    with league_at(league) as client:
        key = client.register(name)
    if as_json:
        print_json({"name": name, "key": key})
        return
    say(key)
    command = f"{KEY}=... outflank submit FILE --league {league}"
    say(f"This is the API key of {name}, shown once. Submit with: {command}")


def submit(
    file: Annotated[Path, typer.Argument(help="A player: League text, or outflank's own format.")],
    league: LeagueAddress,
    name: Annotated[
        str | None, typer.Option(help="The player's name in the league; by default its file's.")
    ] = None,
    key: Annotated[str, typer.Option(help="Your API key, from outflank register.", envvar=KEY)] = "",
    view: Annotated[
        str | None, typer.Option(help="inversion or negation; League text does not name it.")
    ] = None,
    note: Annotated[str, typer.Option(help="A few words about it.")] = "",
    link: Annotated[str, typer.Option(help="Where to read more.")] = "",
    wait: Annotated[bool, typer.Option("--wait", help="Wait until it is scored.")] = False,
    as_json: Json = False,
) -> None:
    """Submit a player to a league, which scores and ranks it."""
    from outflank.evaluators.storage import VIEWS

    if not key:
        raise ValueError(f"give your API key with --key or the variable {KEY}; outflank register makes one")
    chosen = next((known for known in VIEWS if known == view), None)
    if view is not None and chosen is None:
        raise ValueError(f"a view is one of {', '.join(VIEWS)}, not {view}")
    name = name or name_of(file)
    with league_at(league) as client:
        submitted = client.submit(key, file, name=name, view=chosen, note=note, link=link)
        page = f"{client.address}{submitted.page}"
        scored = client.wait(submitted.id) if wait else None
    report: dict[str, Any] = {**(scored or submitted).model_dump(), "page": page}
    if as_json:
        print_json(report)
    elif scored is None:
        say(f"{name} is in the league and will be scored: {page}")
    else:
        say(f"{_described(scored)}: {page}")


def name_of(file: Path) -> str:
    """The default name of a player, from its file.

    >>> name_of(Path("runs/quick/last.safetensors")), name_of(Path("my.player"))
    ('quick-last', 'my')
    """
    has_run = file.stem in CHECKPOINTS and file.parent.name
    return f"{file.parent.name}-{file.stem}" if has_run else file.stem


def _described(player: PlayerResponse) -> str:
    from outflank.games.statistics import score_text

    result = player.scores[-1].result
    return f"{player.name} scores {score_text(result.score, result.ci95)}, rank {player.rank}"
