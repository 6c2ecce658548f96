"""`outflank score` and `outflank match`."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from outflank.interfaces.cli.progress import meter, note, out, print_json

if TYPE_CHECKING:
    from outflank.games.batch import Forfeit
    from outflank.games.match import Match
    from outflank.games.statistics import Tally

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same games.")]
Threads = Annotated[int | None, typer.Option(help="How many threads; all cores by default.", min=1, max=1024)]
SHOWN_FORFEITS = 5
PlayerName = Annotated[str, typer.Argument(metavar="PLAYER", help="NAME_OR_FILE[,key=value...]")]


def add_to(app: typer.Typer) -> None:
    app.command()(score)
    app.command()(match)


def score(
    players: Annotated[list[str], typer.Argument(metavar="PLAYER...", help="NAME_OR_FILE[,key=value...]")],
    double_games: Annotated[int, typer.Option(help="Pairs of games with colours swapped.")] = 50_000,
    epsilon: Annotated[str, typer.Option(help="Probability of a forced random move.")] = "0.1",
    opponent: Annotated[str, typer.Option(help="Against whom.")] = "standard-heuristic",
    seed: Seed = 1,
    threads: Threads = None,
    as_json: Json = False,
) -> None:
    """The Othello League score of one or more players, with its 95 % interval."""
    forced = _epsilon(epsilon)
    matches = [_match(player, opponent, double_games, forced, seed, threads) for player in players]
    _report(matches, as_json)


def match(
    first: Annotated[str, typer.Argument(metavar="A", help="NAME_OR_FILE[,key=value...]")],
    second: Annotated[str, typer.Argument(metavar="B")],
    double_games: Annotated[
        int | None, typer.Option(help="Default: 1,000, or one for each start position.")
    ] = None,
    epsilon: Annotated[
        str | None, typer.Option(help="E for both or E,E for each. Default: 0.1, or 0 with --starts.")
    ] = None,
    starts: Annotated[
        Path | None, typer.Option(help="Start positions: FFO text, or grids of 0 white, 1 empty, 2 black.")
    ] = None,
    seed: Seed = 1,
    threads: Threads = None,
    record: Annotated[Path | None, typer.Option(help="Write every game to this file, as JSON lines.")] = None,
    as_json: Json = False,
) -> None:
    """A match between two players; the score is A's."""
    from outflank.games.start_positions import read_start_positions

    boards = read_start_positions(starts) if starts else None
    games = double_games or (len(boards) if boards else 1000)
    forced = _epsilon(epsilon or ("0" if boards else "0.1"))
    _report([_match(first, second, games, forced, seed, threads, boards)], as_json, record)


def _match(
    first: str,
    second: str,
    double_games: int,
    epsilon: tuple[float, float],
    seed: int,
    threads: int | None,
    starts: Any = None,
) -> Match:
    from outflank.board import Board
    from outflank.games.match import Match
    from outflank.players.names import named_player

    players = [named_player(name) for name in (first, second)]
    for player in players:
        for text in getattr(player, "notes", ()):
            note(text)
    return Match(
        players[0],
        players[1],
        double_games=double_games,
        epsilon=epsilon,
        starts=starts or (Board(),),
        seed=seed,
        threads=threads,
    )


def _epsilon(text: str) -> tuple[float, float]:
    parts = text.split(",")
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        raise ValueError(f"epsilon must be a number within 0..1, got {text!r}") from None
    if len(numbers) > 2:
        raise ValueError(f"epsilon is one number, or two for the two players; got {text!r}")
    return numbers[0], numbers[-1]


def _report(matches: list[Match], as_json: bool, record: Path | None = None) -> None:
    """Plays, shows progress, prints; an interrupted match leaves what it has, marked as partial."""
    reports: list[dict[str, Any]] = []
    for games in matches:
        if (report := _played(games, record)) is not None:
            reports.append(report)
        if report is None or report["partial"]:
            break
    if reports and as_json:
        print_json(reports[0] if len(matches) == 1 else reports)
    elif reports:
        _print_table(reports, record)
    if len(reports) < len(matches) or reports[-1]["partial"]:
        raise KeyboardInterrupt


@dataclass(frozen=True)
class _Counted:
    """The part of a match that is over: its result, and where its records end in the file."""

    tally: Tally
    forfeits: tuple[Forfeit, ...] = ()
    end_of_records: int = 0


def _played(games: Match, record: Path | None) -> dict[str, Any] | None:
    """The report of a match; of its finished part if it was interrupted; None if nothing is finished."""
    from outflank.games.statistics import Tally

    counted = _Counted(Tally())
    names = f"{short_name(games.first.name)} - {short_name(games.second.name)}"
    file = record.open("xb") if record else None
    try:
        with meter(names, 2 * games.double_games, "games") as progress:
            try:
                for batch in games.batches(record=file is not None):
                    end = 0 if file is None else _write_records(games, batch, file)
                    # One assignment: an interrupt leaves a batch counted and recorded, or neither.
                    counted = _Counted(counted.tally + batch.tally, counted.forfeits + batch.forfeits, end)
                    progress.advance(len(batch.disc_differences), f"score {counted.tally.score:.4f}")
            except KeyboardInterrupt:
                pass
            rate = progress.rate
    finally:
        if file is not None and record is not None:
            file.truncate(counted.end_of_records)
            file.close()
            if counted.end_of_records == 0:  # nothing was played: let the next try have the name
                record.unlink()
    return _as_report(games, counted, rate) if counted.tally.games else None


def _write_records(games: Match, batch: Any, file: IO[bytes]) -> int:
    """One line a game: who was Black, the start, the moves, Black's disc difference along the game.
    Returns where the last one ends."""
    from outflank import _core
    from outflank.board import Square

    trajectories = games.disc_differences(batch)
    forfeits = {forfeit.game: forfeit for forfeit in batch.forfeits}
    for i, moves in enumerate(batch.moves):
        number = batch.first_game + i
        squares = [Square(int(move)) for move in moves if move != _core.NO_MOVE]
        line: dict[str, Any] = {
            "game": number,
            "black": (games.first if number % 2 == 0 else games.second).name,
            "white": (games.second if number % 2 == 0 else games.first).name,
            "start": games.starts[number // 2 % len(games.starts)].text,
            "moves": "".join(map(str, squares)),
            "disc_differences": trajectories[i, : len(squares) + 1].tolist(),
        }
        if number in forfeits:
            line["forfeit"] = {"player": forfeits[number].player, "reason": forfeits[number].reason}
        file.write(json.dumps(line).encode() + b"\n")
    file.flush()
    return file.tell()


def _as_report(games: Match, counted: _Counted, rate: float) -> dict[str, Any]:
    tally = counted.tally
    same = games.epsilon[0] == games.epsilon[1]
    return {
        "player": games.first.name,
        "opponent": games.second.name,
        "double_games": tally.games // 2,
        "epsilon": games.epsilon[0] if same else list(games.epsilon),
        "score": tally.score,
        "ci95": list(tally.ci95),
        "wins": tally.wins,
        "draws": tally.draws,
        "losses": tally.losses,
        "games_per_second": round(rate, 1),
        "threads": games.threads,
        "seed": games.seed,
        "partial": tally.games < 2 * games.double_games,
        "forfeits": [asdict(forfeit) for forfeit in counted.forfeits],
    }


def _print_table(reports: list[dict[str, Any]], record: Path | None) -> None:
    from rich.table import Table

    table = Table()
    for name in ("player", "score, 95 % interval", "wins", "draws", "losses", "games/s"):
        table.add_column(name, justify="left" if name == "player" else "right", overflow="fold")
    for report in reports:
        low, high = report["ci95"]
        table.add_row(
            short_name(report["player"]) + (" (partial)" if report["partial"] else ""),
            f"[bold]{report['score']:.4f}[/bold] ± {(high - low) / 2:.4f}",
            *(f"{report[key]:,.0f}" for key in ("wins", "draws", "losses", "games_per_second")),
        )
    out.print(table)
    report = reports[-1]
    epsilon = report["epsilon"]
    shown = f"{epsilon:g}" if isinstance(epsilon, float) else " and ".join(f"{e:g}" for e in epsilon)
    plural = "s" if report["threads"] > 1 else ""
    out.print(
        f"against {short_name(report['opponent'])}: {report['double_games']:,} double games,"
        f" epsilon {shown}, seed {report['seed']}, {report['threads']} thread{plural}"
    )
    for report in reports:
        _print_forfeits(report["forfeits"])
    if any(report["partial"] for report in reports):
        out.print("Interrupted: the last row is a partial result.")
    if record is not None:
        out.print(f"Every game with its moves: {record}", markup=False)


def _print_forfeits(forfeits: list[dict[str, Any]]) -> None:
    """Who gave games away and why, the same reasons together."""
    games: dict[tuple[str, str], list[int]] = {}
    for forfeit in forfeits:
        games.setdefault((forfeit["player"], forfeit["reason"]), []).append(forfeit["game"])
    for (player, reason), numbers in games.items():
        shown = ", ".join(map(str, numbers[:SHOWN_FORFEITS])) + (
            " ..." if len(numbers) > SHOWN_FORFEITS else ""
        )
        out.print(f"Forfeited by {player} (it {reason}): {len(numbers)}, game {shown}", markup=False)


def short_name(name: str) -> str:
    """A player's name without most of its file's folders, safe from markup."""
    from rich.markup import escape

    from outflank.players.external import is_external

    if is_external(name):
        return escape(re.sub(r"[^\s:]*/", "", name))
    kept = 2 if Path(name).name in ("best.safetensors", "last.safetensors") else 1  # the run's name helps
    return escape("/".join(name.split("/")[-kept:]))
