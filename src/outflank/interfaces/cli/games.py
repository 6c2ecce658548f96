"""`outflank games import`, `outflank games stats` and `outflank games replay`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.interfaces.cli.game_replay import replay
from outflank.interfaces.cli.progress import meter, note, out, print_json
from outflank.interfaces.cli.scoring import Json

if TYPE_CHECKING:
    from outflank.games.game_record import GameRecord
    from outflank.games.record_statistics import GameStatistics
    from outflank.games.records import GameFile

Sources = Annotated[
    list[Path],
    typer.Argument(metavar="SOURCE...", help="WTHOR, GGF, transcripts or JSON lines; .gz and .bz2 too."),
]
SHOWN = 10  # of the openings, exceptions and unreadable games, for people; --json has all


def add_to(app: typer.Typer) -> None:
    games = typer.Typer(help="Games in and out: WTHOR, GGF, transcripts, JSON lines.", rich_markup_mode=None)
    games.callback(invoke_without_command=True)(_help)
    games.command("import")(import_games)
    games.command()(stats)
    games.command()(replay)
    app.add_typer(games, name="games")


def _help(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def import_games(
    sources: Sources,
    target: Annotated[Path, typer.Option("--out", help="Write here: .wtb, .ggf, .txt or .jsonl.")],
    min_moves: Annotated[int, typer.Option(help="Only games of at least this many moves.", min=0)] = 0,
    year: Annotated[
        str | None, typer.Option(help="Only games of this year, or of years such as 1990-1999.")
    ] = None,
    player: Annotated[str | None, typer.Option(help="Only games of players whose name holds this.")] = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Leave out games that are damaged or illegal, and count them.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")] = False,
    as_json: Json = False,
) -> None:
    """Convert games between all formats; several files become one."""
    from outflank.games.records import format_of_name, write_games

    form, years = format_of_name(target), _years(year)
    beside = [target.with_suffix(suffix) for suffix in (".jou", ".trn")] if form == "wtb" else []
    for path in (target, *beside):
        if path.exists() and not force:
            raise ValueError(f"{path} is already there; choose another name or add --force")
    files = _read(sources, skip_bad)
    read = [record for file in files for record in file.records]
    kept = [record for record in read if _is_wanted(record, min_moves, years, player)]
    if not kept:
        raise ValueError(f"none of the {len(read):,} games is left, so {target} was not written")
    notes = write_games(kept, target)
    report = {
        "out": str(target),
        "games": len(kept),
        "filtered_out": len(read) - len(kept),
        "skipped": _problems(files),
        "notes": list(notes),
    }
    if as_json:
        print_json(report)
        return
    for text in notes:
        note(text)
    _print_problems(files)
    rest = f", {len(read) - len(kept):,} filtered out" if len(kept) < len(read) else ""
    plural = "s" if len(files) > 1 else ""
    out.print(
        f"{target}: {len(kept):,} games from {len(files)} file{plural}{rest}", markup=False, soft_wrap=True
    )
    out.print(f"Look at it: outflank games stats {target}", markup=False, soft_wrap=True)


def _read(sources: list[Path], skip_bad: bool) -> list[GameFile]:
    from outflank.games.records import read_game_file

    files = []
    with meter("reading", len(sources), "files") as progress:
        for source in sources:
            files.append(read_game_file(source, skip_bad=skip_bad))
            progress.advance(1, source.name)
    return files


def _years(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    first, _, last = text.partition("-")
    if not (first.isdecimal() and (last or first).isdecimal()):
        raise ValueError(f"a year is a number such as 1997, or two with - between them; got {text!r}")
    return int(first), int(last or first)


def _is_wanted(record: GameRecord, moves: int, years: tuple[int, int] | None, player: str | None) -> bool:
    if len(record.game.moves) < moves:
        return False
    if years is not None and (record.year is None or not years[0] <= record.year <= years[1]):
        return False
    return player is None or any(player.lower() in name.lower() for name in (record.black, record.white))


def _problems(files: list[GameFile]) -> list[dict[str, str]]:
    return [
        {"file": str(file.path), "where": problem.where, "reason": problem.reason}
        for file in files
        for problem in file.problems
    ]


def _print_problems(files: list[GameFile]) -> None:
    problems = _problems(files)
    if not problems:
        return
    out.print(f"Left out as unreadable or illegal: {len(problems):,}")
    for problem in problems[:SHOWN]:
        where = ", ".join(part for part in (Path(problem["file"]).name, problem["where"]) if part)
        out.print(f"  {where}: {problem['reason']}", markup=False, soft_wrap=True)
    if len(problems) > SHOWN:
        out.print(f"  and {len(problems) - SHOWN:,} more; --json lists all")


def stats(
    sources: Sources,
    opening_moves: Annotated[int, typer.Option(help="How many moves make an opening.", min=1, max=60)] = 6,
    as_json: Json = False,
) -> None:
    """Count games, results and openings; compare stored scores with replayed ones."""
    from outflank.games.record_statistics import game_statistics

    files = _read(sources, skip_bad=True)
    by_file = [game_statistics(file.records, opening_moves) for file in files]
    total = game_statistics([record for file in files for record in file.records], opening_moves)
    if as_json:
        rows = [
            {"file": str(file.path), "format": file.format, "unreadable": len(file.problems)} | _counts(found)
            for file, found in zip(files, by_file, strict=True)
        ]
        openings = [asdict(opening) for opening in total.openings]
        print_json({"files": rows, "total": _counts(total), "unreadable": _problems(files),
                    "exceptions": _exceptions(total), "openings": openings})  # fmt: skip
        return
    _print_files(files, by_file, total)
    _print_total(total)
    _print_problems(files)
    _print_exceptions(total)
    _print_openings(total)


def _counts(found: GameStatistics) -> dict[str, Any]:
    counts = {name: value for name, value in vars(found).items() if name not in ("exceptions", "openings")}
    return counts | {"kinds": {str(kind): count for kind, count in found.kinds.items()}}


def _exceptions(found: GameStatistics) -> list[dict[str, Any]]:
    return [
        {
            "file": each.record.source,
            "game": each.record.number,
            "moves": len(each.record.game.moves),
            "stored": each.record.result,
            "black": each.black,
            "white": each.white,
            "kind": str(each.kind),
            "ending": each.record.ending,
        }
        for each in found.exceptions
    ]


def _print_files(files: list[GameFile], by_file: list[GameStatistics], total: GameStatistics) -> None:
    from rich.markup import escape
    from rich.table import Table

    table = Table()
    for name in ("file", "years", "games", "complete", "as replayed", "exceptions", "bad"):
        table.add_column(name, justify="left" if name == "file" else "right", overflow="fold")
    rows = [
        (escape(file.path.name), found, len(file.problems))
        for file, found in zip(files, by_file, strict=True)
    ]
    if len(rows) > 1:
        rows.append(("all", total, sum(len(file.problems) for file in files)))
    for name, found, unreadable in rows:
        years = "" if found.years is None else "-".join(map(str, sorted(set(found.years))))
        borne_out = sum(found.kinds.get(kind, 0) for kind in _borne_out())
        counts = (found.games, found.complete, borne_out, len(found.exceptions), unreadable)
        table.add_row(name, years, *(f"{count:,}" for count in counts), end_section=name == rows[-2:][0][0])
    out.print(table)


def _borne_out() -> tuple[Any, ...]:
    from outflank.games.record_statistics import ScoreKind

    return ScoreKind.as_replayed, ScoreKind.winner_takes_empties


def _print_total(total: GameStatistics) -> None:
    decided = total.black_wins + total.draws + total.white_wins
    if decided and total.mean_result is not None:
        counts = (total.black_wins, total.draws, total.white_wins)
        black, draws, white = (f"{100 * count / decided:.1f} %" for count in counts)
        out.print(
            f"Black won {black}, draws {draws}, White won {white}; {total.mean_result:+.2f} discs for Black"
        )
    if not total.games:
        return
    out.print(f"{total.shortest} to {total.longest} moves a game, {total.mean_moves:.1f} on average")
    if total.other_starts:
        out.print(f"{total.other_starts:,} games begin with a position of their own")
    out.print("Stored scores:")
    for kind, count in total.kinds.items():
        out.print(f"{count:>9,}  {kind}")


def _print_exceptions(total: GameStatistics) -> None:
    from rich.table import Table

    if not total.exceptions:
        return
    table = Table(title=f"exceptions: {min(SHOWN, len(total.exceptions))} of {len(total.exceptions):,}")
    for name in ("file", "game", "moves", "stored", "board", "kind"):
        table.add_column(name, justify="left" if name in ("file", "kind") else "right", overflow="fold")
    for row in _exceptions(total)[:SHOWN]:
        kind = row["kind"] + (f" ({row['ending']})" if row["ending"] else "")
        board = f"{row['black']}-{row['white']}"
        table.add_row(row["file"], f"{row['game']:,}", str(row["moves"]), f"{row['stored']:+g}", board, kind)
    out.print(table)


def _print_openings(total: GameStatistics) -> None:
    from rich.table import Table

    if not total.openings:
        return
    table = Table(title=f"openings: {min(SHOWN, len(total.openings))} of {len(total.openings):,}")
    for name in ("moves", "games", "share", "Black's score"):
        table.add_column(name, justify="left" if name == "moves" else "right")
    for opening in total.openings[:SHOWN]:
        score = "" if opening.black_score is None else f"{opening.black_score:.3f}"
        table.add_row(
            opening.moves, f"{opening.games:,}", f"{100 * opening.games / total.games:.1f} %", score
        )
    out.print(table)
