"""`outflank games import`, `stats`, `replay` and `openings`; and games named on the command line.

A game is named by a file, a transcript, or a position to start from:

>>> record_named("f5d6c3").game.transcript
'f5d6c3'
>>> record_named("-" * 27 + "OX------XO" + "-" * 27 + " O").game.start.mover
'white'
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.interfaces.cli.commands import subcommands
from outflank.interfaces.cli.options import Force, Json, check_free
from outflank.interfaces.cli.progress import meter, new_table, note, out, print_json, say

if TYPE_CHECKING:
    from outflank.board import Board
    from outflank.games.collection_statistics import GameStatistics
    from outflank.games.formats.any_format import GameFile
    from outflank.games.game import GameRecord


@dataclass(frozen=True)
class Step:
    """The start (number 0), or a move and the board after it."""

    number: int
    mover: str
    move: str
    is_after_pass: bool
    board: Board

    @property
    def caption(self) -> str:
        discs = f"{self.board.black.bit_count()}-{self.board.white.bit_count()}"
        if not self.number:
            return f"start, {discs}"
        return f"{self.number}. {self.mover} {self.move}, {discs}"


def replay(
    source: Annotated[
        Path, typer.Argument(metavar="SOURCE", help="WTHOR, GGF, SGF, transcripts or JSON lines.")
    ],
    game: Annotated[int, typer.Option(help="Which game of the file.", min=1)] = 1,
    move: Annotated[
        int | None, typer.Option(help="Only the board after this move; 0 is the start.", min=0)
    ] = None,
    as_json: Json = False,
) -> None:
    """Show a game board by board."""
    record, count = numbered_game(source, game)
    steps = list(_steps(record))
    if move is not None and move >= len(steps):
        raise ValueError(f"game {game} of {source} has {len(steps) - 1} moves, so there is no move {move}")
    shown = steps if move is None else [steps[move]]
    if as_json:
        print_json(_report(source, record, shown))
        return
    _print_head(source, record, count)
    _print_boards(shown)
    final = steps[-1].board
    score = f"black {final.black.bit_count()}, white {final.white.bit_count()}"
    say(f"After {len(steps) - 1} moves: {score}, {'the game is over' if final.is_over else 'unfinished'}")
    if move is None and count > 1:
        say(f"The next one: outflank games replay {source} --game {game % count + 1}")


def numbered_game(source: Path, number: int) -> tuple[GameRecord, int]:
    """Game number n of a file, and how many games there are."""
    from outflank.games.formats.any_format import read_game_file

    file = read_game_file(source, skip_bad=True)
    for problem in file.problems:
        if not problem.number:
            note(f"{source}: {problem}")
    for record in file.records:
        if record.number == number:
            return record, len(file.records)
    for problem in file.problems:
        if problem.number == number:
            raise ValueError(f"{source}, {problem}")
    raise ValueError(f"{source} has {len(file.records):,} games, so there is no game {number:,}")


def _steps(record: GameRecord) -> Iterator[Step]:
    boards = record.game.boards
    yield Step(0, "", "", False, boards[0])
    for number, (move, before, after) in enumerate(
        zip(record.game.moves, boards[:-1], boards[1:], strict=True), start=1
    ):
        settled = before.settled()
        yield Step(number, settled.mover, str(move), settled.mover != before.mover, after)


def _report(source: Path, record: GameRecord, steps: list[Step]) -> dict[str, Any]:
    names = ("black", "white", "event", "date", "result", "ending", "theoretical", "theoretical_empties")
    final = record.game.final
    return {
        "file": str(source),
        "game": record.number,
        **{name: getattr(record, name) for name in names},
        "transcript": record.game.transcript,
        "disc_difference": final.disc_difference,
        "is_over": final.is_over,
        "positions": [
            vars(step)
            | {
                "board": step.board.text,
                "black": step.board.black.bit_count(),
                "white": step.board.white.bit_count(),
            }
            for step in steps
        ],
    }


def _print_head(source: Path, record: GameRecord, count: int) -> None:
    where = ", ".join(part for part in (record.event, record.date) if part)
    out.print(f"{record.black or '?'} (black) - {record.white or '?'} (white)", style="bold", markup=False)
    say(f"{source.name}, game {record.number:,} of {count:,}{': ' + where if where else ''}")
    if record.result is not None:
        ending = f" ({record.ending})" if record.ending else ""
        out.print(f"stored result: {record.result:+g} for Black{ending}")
    if record.theoretical is not None:
        say(f"with perfect play from {record.theoretical_empties} empty squares: {record.theoretical:+d}")


def _print_boards(steps: list[Step]) -> None:
    from rich.columns import Columns
    from rich.console import Group
    from rich.text import Text

    cells = []
    for step in steps:
        passed = f"{'white' if step.mover == 'black' else 'black'} passes" if step.is_after_pass else ""
        # Without colours, the discs of both sides would look alike.
        board = step.board if out.color_system else Text(str(step.board))
        cells.append(Group(Text(step.caption), board, Text(passed, style="dim")))
    out.print(Columns(cells, padding=(0, 4)))


def record_named(source: str, game: int | None = None) -> GameRecord:
    """A game in a file (by its number, if there are several), a transcript, or a position without moves."""
    from outflank.games.formats.any_format import read_game_file
    from outflank.games.positions import is_file

    if is_file(source):
        if game is None and (count := len(read_game_file(source, skip_bad=True).records)) > 1:
            raise ValueError(f"{source} holds {count:,} games; choose one with --game")
        return numbered_game(Path(source), game or 1)[0]
    if game is not None:
        raise ValueError(f"--game chooses a game of a file, but there is no file {_shown(source)}")
    return _parsed(source)


def _parsed(text: str) -> GameRecord:
    """The game of a pasted text, or a position as in FFO files."""
    from outflank.board import Board
    from outflank.games.formats.any_format import read_pasted
    from outflank.games.game import Game, GameRecord

    if len(text.strip()) >= 64 and not re.search(r"\d", text):
        return GameRecord(Game(start=Board(text)))
    if not re.search(r"[a-hA-Hａ-ｈＡ-Ｈ]\s*[1-8１-８]|\(\s*;|^\s*[\[{]", text):  # noqa: RUF001  # full-width letters
        raise ValueError(f"{_shown(text)} is neither an existing file nor a transcript such as f5d6c3")
    found = read_pasted(text)
    if len(found) != 1:
        raise ValueError(f"{_shown(text)} is {len(found)} games; give one")
    return found[0]


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:37]}...")


Sources = Annotated[
    list[Path],
    typer.Argument(
        metavar="SOURCE...", help="WTHOR, GGF, SGF, PGN, transcripts or JSON lines; .gz and .bz2 too."
    ),
]
SHOWN = 10  # openings, exceptions and unreadable games; --json lists all


def add_to(app: typer.Typer) -> None:
    games = subcommands(
        "Read, convert and count games: WTHOR, GGF, SGF, PGN, transcripts, JSON lines; make openings."
    )
    games.command("import")(import_games)
    games.command()(stats)
    games.command()(replay)
    games.command()(openings)
    app.add_typer(games, name="games")


def openings(
    plies: Annotated[int, typer.Option("--random-plies", help="Random moves from the start.", min=0)] = 6,
    count: Annotated[int, typer.Option(help="How many different positions.", min=1, max=1_000_000)] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same positions.", min=0)] = 1,
    games: Annotated[
        list[Path] | None,
        typer.Option("--from", help="Take positions after as many plies of the games in these files."),
    ] = None,
    balanced: Annotated[
        float | None,
        typer.Option(
            help="Only positions that td-all-rounder values within this many discs of even.", min=0.0
        ),
    ] = None,
    target: Annotated[Path | None, typer.Option("--out", help="A file; printed by default.")] = None,
    force: Force = False,
) -> None:
    """Make start positions, random or from games, for match --starts: one per line, as FFO text."""
    from outflank.files import write_whole
    from outflank.games.openings import is_balanced, openings_of_games, several
    from outflank.games.positions import new_random_openings, positions_text

    if target is not None:
        check_free(target, force)
    records = (record for file in _read(games, False) for record in file.records) if games else None
    found = (
        new_random_openings(plies, seed)
        if records is None
        else openings_of_games((record.game for record in records), plies, seed)
    )
    boards = several(found if balanced is None else is_balanced(found, balanced), count)
    text = positions_text(boards)
    if target is None:
        typer.echo(text, nl=False)
        return
    write_whole(target, text.encode())
    kind = "random plies" if records is None else f"plies of {_shown_sources(games or [])}"
    even = "" if balanced is None else f", within {balanced:g} discs of even by td-all-rounder"
    say(f"{target}: {len(boards):,} positions after {plies} {kind}{even}, seed {seed}")
    say(f"Play from them: outflank match all-2 standard-heuristic --starts {target}")


def _shown_sources(games: list[Path]) -> str:
    return games[0].name if len(games) == 1 else f"the games in {len(games)} files"


def import_games(
    sources: Sources,
    target: Annotated[Path, typer.Option("--out", help="Write here: .wtb, .ggf, .sgf, .txt or .jsonl.")],
    min_moves: Annotated[int, typer.Option(help="Only games of at least this many moves.", min=0)] = 0,
    year: Annotated[
        str | None, typer.Option(help="Only games of this year, or of years such as 1990-1999.")
    ] = None,
    player: Annotated[str | None, typer.Option(help="Only players whose name contains this.")] = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Skip damaged and illegal games, and count them.")
    ] = False,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Convert games from any format to any other; several files become one."""
    from outflank.games.formats.any_format import format_of_name, write_games

    form, years = format_of_name(target), _years(year)
    beside = [target.with_suffix(suffix) for suffix in (".jou", ".trn")] if form == "wtb" else []
    for path in (target, *beside):
        check_free(path, force)
    files = _read(sources, skip_bad)
    read = [record for file in files for record in file.records]
    kept = [record for record in read if _is_wanted(record, min_moves, years, player)]
    if not kept:
        raise ValueError(f"none of the {len(read):,} games matches, so {target} was not written")
    notes = write_games(kept, target)
    report = {
        "out": str(target),
        "games": len(kept),
        "filtered_out": len(read) - len(kept),
        "read": [
            {
                "file": str(file.path),
                "format": file.format,
                "games": len(file.records),
                "refused": len(file.problems),
            }
            for file in files
        ],
        "skipped": _problems(files),
        "notes": list(notes),
    }
    if as_json:
        print_json(report)
        return
    for text in notes:
        note(text)
    for file in files:
        refused = f", {len(file.problems):,} refused" if file.problems else ""
        say(f"{file.path}: {FORMAT_NAMES[file.format]}, {_count(len(file.records), 'game')} read{refused}")
    _print_problems(files)
    rest = f", {len(read) - len(kept):,} filtered out" if len(kept) < len(read) else ""
    say(f"{target}: {_count(len(kept), 'game')} from {_count(len(files), 'file')}{rest}")
    say(f"Look at it: outflank games stats {target}")


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


FORMAT_NAMES = {"wtb": "WTHOR", "ggf": "GGF", "sgf": "SGF", "txt": "transcripts", "jsonl": "JSON lines",
                "pgn": "PGN", "quest": "Othello Quest"}  # fmt: skip


def _read(sources: list[Path], skip_bad: bool) -> list[GameFile]:
    from outflank.games.formats.any_format import read_game_file

    files = []
    with meter("reading", len(sources), "files") as progress:
        for source in sources:
            file = read_game_file(source, skip_bad=True)
            if file.problems and not skip_bad:
                raise ValueError(_refusal(file))
            files.append(file)
            progress.advance(1, source.name)
    return files


def _refusal(file: GameFile) -> str:
    first, bad = file.problems[0], len(file.problems)
    others = ""
    if file.records:
        others = f"; --skip-bad reads the other {len(file.records):,} and skips {bad:,} such"
    return f"{file.path}{', ' if first.where else ': '}{first}{others}"


def _years(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    first, _, last = text.partition("-")
    if not (first.isdecimal() and (last or first).isdecimal()):
        raise ValueError(f"--year takes a year such as 1997 or a range such as 1990-1999, got {text!r}")
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
    out.print(f"Skipped as unreadable or illegal: {len(problems):,}")
    for problem in problems[:SHOWN]:
        where = ", ".join(part for part in (Path(problem["file"]).name, problem["where"]) if part)
        say(f"  {where}: {problem['reason']}")
    if len(problems) > SHOWN:
        out.print(f"  and {len(problems) - SHOWN:,} more; --json lists all")


def stats(
    sources: Sources,
    opening_moves: Annotated[int, typer.Option(help="How many moves make an opening.", min=1, max=60)] = 6,
    as_json: Json = False,
) -> None:
    """Count games, results and openings; compare stored scores with replayed ones."""
    from outflank.games.collection_statistics import game_statistics

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

    from outflank.games.collection_statistics import CONFIRMED

    columns = ("file", "years", "games", "complete", "as replayed", "exceptions", "bad")
    table = new_table(columns, left=("file",))
    rows = [
        (escape(file.path.name), found, len(file.problems))
        for file, found in zip(files, by_file, strict=True)
    ]
    if len(rows) > 1:
        rows.append(("all", total, sum(len(file.problems) for file in files)))
    for name, found, unreadable in rows:
        years = "" if found.years is None else "-".join(map(str, sorted(set(found.years))))
        confirmed = sum(found.kinds.get(kind, 0) for kind in CONFIRMED)
        counts = (found.games, found.complete, confirmed, len(found.exceptions), unreadable)
        table.add_row(name, years, *(f"{count:,}" for count in counts), end_section=name == rows[-2:][0][0])
    out.print(table)


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
    out.print(f"{total.shortest} to {total.longest} moves per game, {total.mean_moves:.1f} on average")
    if total.other_starts:
        out.print(f"{total.other_starts:,} games start from another position")
    out.print("Stored scores:")
    for kind, count in total.kinds.items():
        out.print(f"{count:>9,}  {kind}")


def _print_exceptions(total: GameStatistics) -> None:
    if not total.exceptions:
        return
    title = f"exceptions: {min(SHOWN, len(total.exceptions))} of {len(total.exceptions):,}"
    columns = ("file", "game", "moves", "stored", "board", "kind")
    table = new_table(columns, left=("file", "kind"), title=title)
    for row in _exceptions(total)[:SHOWN]:
        kind = row["kind"] + (f" ({row['ending']})" if row["ending"] else "")
        board = f"{row['black']}-{row['white']}"
        table.add_row(row["file"], f"{row['game']:,}", str(row["moves"]), f"{row['stored']:+g}", board, kind)
    out.print(table)


def _print_openings(total: GameStatistics) -> None:
    if not total.openings:
        return
    title = f"openings: {min(SHOWN, len(total.openings))} of {len(total.openings):,}"
    table = new_table(("moves", "games", "share", "Black's score"), left=("moves",), title=title)
    for opening in total.openings[:SHOWN]:
        score = "" if opening.black_score is None else f"{opening.black_score:.3f}"
        table.add_row(
            opening.moves, f"{opening.games:,}", f"{100 * opening.games / total.games:.1f} %", score
        )
    out.print(table)
