"""`outflank book build`, `extend`, `import`, `export`, `make` and `show`."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.interfaces.cli.commands import subcommands
from outflank.interfaces.cli.options import Force, Json, check_free, complete_players
from outflank.interfaces.cli.progress import meter, new_table, note, note_all, out, print_json, say
from outflank.interfaces.cli.terminal_board import terminal_board

if TYPE_CHECKING:
    from outflank.board import Board
    from outflank.games.game import GameRecord
    from outflank.learners.edax_book import EdaxPosition
    from outflank.learners.opening_book import BookLearner, BookStep
    from outflank.players.opening_book import BookMove, OpeningBook


def book_report(book: OpeningBook, board: Board) -> dict[str, Any]:
    counted = book.statistics
    return {
        "book": book.name,
        "positions": counted.positions,
        "games": book.games,
        "plies": book.plies,
        "positions_by_ply": list(counted.by_ply),
        "finished_games": counted.finished_games,
        "waiting": counted.not_judged,
        "made_by": book.provenance,
        "position": board.text,
        "value": book.value_for_mover(board),
        "moves": [_as_json(book, board, move) for move in book.moves(board)],
    }


def _as_json(book: OpeningBook, board: Board, move: BookMove) -> dict[str, Any]:
    return {
        "move": str(move.square),
        "value": move.value_for_mover,
        "is_deviation": move.is_deviation,
        "games": move.games,
        "line": _line(book, board, move),
    }


def _line(book: OpeningBook, board: Board, move: BookMove) -> str:
    """The move and the best ones after it until the book ends."""
    after = board.play(move.square).settled()
    return "".join(str(square) for square in (move.square, *(m.square for m in book.main_line(after))))


def print_book(book: OpeningBook, board: Board, report: dict[str, Any]) -> None:
    out.print(terminal_board(board, with_colours=bool(out.color_system)))
    if not report["moves"]:
        out.print("The game is over." if board.is_over else "This position is not in the book.")
    else:
        out.print(f"{board.mover} to move, {report['value']:+.2f} discs for {board.mover}")
        columns = ("move", "value", "games", "best play from there")
        table = new_table(columns, left=("move", "best play from there"))
        for equal in _equal_moves(book, board):
            first = equal[0]
            others = f" (or {', '.join(str(move.square) for move in equal[1:])})" if len(equal) > 1 else ""
            games = "leaves the book" if first.is_deviation else f"{first.games:,}"
            line = _line(book, board, first)
            table.add_row(f"{first.square}{others}", f"{first.value_for_mover:+.2f}", games, line)
        out.print(table)
    made = report["made_by"]
    judge = f", valued by {made['judge']}" if "judge" in made else ""
    say(
        f"{book.name}: {report['positions']:,} positions to {report['plies']} plies from "
        f"{report['games']:,} games{judge}"
    )
    by_ply = " ".join(f"{count:,}" for count in report["positions_by_ply"])
    say(f"positions by ply from 0: {by_ply}")
    if report["waiting"]:
        say(f"{report['waiting']:,} positions have no value yet: outflank book extend {book.name}")


def _equal_moves(book: OpeningBook, board: Board) -> list[list[BookMove]]:
    """The moves of a board, grouped by symmetry."""
    groups: dict[Board, list[BookMove]] = {}
    for move in book.moves(board):
        groups.setdefault(board.play(move.square).canonical, []).append(move)
    return list(groups.values())


LARGEST_EDAX_TEXT = 256 << 20
SAVE_EVERY = 60.0  # seconds: the most that a power cut may cost
Games = Annotated[int, typer.Option(help="How many games of self-play to add.", min=1)]
BookFile = Annotated[Path, typer.Argument(metavar="FILE", help="A book's file.")]
MinGames = Annotated[int, typer.Option(help="Skip positions that fewer imported games reached.", min=1)]
Judge = Annotated[
    str | None,
    typer.Option(
        metavar="PLAYER",
        help="Who values moves, if not as before.",
        autocompletion=complete_players,
    ),
]

books = subcommands("Build opening books, extend them, import games into them, look at them.")


def add_to(app: typer.Typer) -> None:
    app.add_typer(books, name="book")


@books.command()
def build(
    path: Annotated[Path, typer.Option("--out", metavar="FILE", help="The book to make.")],
    games: Annotated[
        int | None, typer.Option(help="Games of self-play; 1,000, or none with --from.", min=0)
    ] = None,
    player: Annotated[
        str | None,
        typer.Option(
            metavar="PLAYER",
            help="Who values moves; td-all-rounder,depth=4 by default.",
            autocompletion=complete_players,
        ),
    ] = None,
    plies: Annotated[int, typer.Option(help="How many moves deep.", min=1, max=60)] = 20,
    sources: Annotated[
        list[Path] | None, typer.Option("--from", metavar="GAMES", help="Games to start with; repeatable.")
    ] = None,
    edax: Annotated[
        Path | None,
        typer.Option(metavar="TEXT", help="Positions to start with: the text of Edax's book export."),
    ] = None,
    min_games: MinGames = 1,
    variety: Annotated[
        float, typer.Option(help="A move this many discs worse is played e times less often.", min=0)
    ] = 1.0,
    seed: Annotated[int, typer.Option(help="The same seed gives the same book.")] = 1,
    as_json: Json = False,
) -> None:
    """Learn a book from scratch: by self-play, from recorded games, from a book of Edax, or all of them."""
    from outflank.learners.edax_book import deepest
    from outflank.learners.opening_book import DEFAULT_JUDGE, BookLearner

    if path.exists():
        raise ValueError(f"{path} already exists; outflank book extend adds to it, or choose another --out")
    _check_writable(path)
    positions = _edax_positions(edax) if edax is not None else ()
    learner = BookLearner.new(max(plies, deepest(positions)), player or DEFAULT_JUDGE, seed, variety)
    records = _records(sources or [])
    if games is None:
        games = 0 if records or positions else 1000
    if games == 0 and not records and not positions:
        raise ValueError("a book is made of games: give --games, --from or --edax")
    _learn(path, learner, records, min_games, games, as_json, positions)


@books.command()
def extend(
    path: BookFile,
    games: Games = 1000,
    player: Judge = None,
    plies: Annotated[
        int | None,
        typer.Option(help="Go this deep from now on; unchanged by default.", min=1, max=60),
    ] = None,
    as_json: Json = False,
) -> None:
    """Add games of self-play, or finish what was interrupted.

    Games leave the book by its most promising deviations.
    """
    from outflank.learners.opening_book import BookLearner

    _check_writable(path)
    learner = BookLearner.load(path, player)
    if plies is not None:
        learner.core.plies = plies
    _learn(path, learner, [], 1, games, as_json)


@books.command("import")
def import_(
    path: BookFile,
    sources: Annotated[list[Path], typer.Argument(metavar="GAMES...", help="WTHOR, GGF or transcripts.")],
    min_games: MinGames = 1,
    player: Judge = None,
    as_json: Json = False,
) -> None:
    """Add the positions of recorded games."""
    from outflank.learners.opening_book import BookLearner

    if not path.exists():
        raise ValueError(f"{path} does not exist; outflank book build --out {path} --from GAMES makes a book")
    _check_writable(path)
    learner = BookLearner.load(path, player)
    _learn(path, learner, _records(sources), min_games, 0, as_json)


@books.command()
def make(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A book with a recipe: large.")] = "large",
    as_json: Json = False,
) -> None:
    """Make a book that is too large to ship, from its recipe; go on if that was interrupted.

    The same bytes on every machine. Players use it as book=large.
    """
    from outflank.learners.named_books import BookRecipe, is_missing, make_book
    from outflank.players.opening_book import OpeningBook

    recipe = BookRecipe.named(name)
    if is_missing(name):
        try:
            with meter("self-play", recipe.games, "games") as progress:
                path = make_book(name, lambda step: progress.advance(
                    step.games - progress.done, f"{step.positions:,} positions"))  # fmt: skip
        except KeyboardInterrupt:
            say(f"Interrupted; nothing is lost. Resume: outflank book make {name}")
            raise typer.Exit(130) from None
    path = make_book(name)
    book = OpeningBook.open(path)
    if as_json:
        print_json({"book": name, "file": str(path), "positions": len(book), "games": book.games})
    else:
        say(f"{path}: {len(book):,} positions from {book.games:,} games; valued by {recipe.player}")
        say(f"Look at it: outflank book show {name}   Play with it: a player with book={name}")


@books.command()
def export(
    path: Annotated[str, typer.Argument(metavar="FILE", help="A book's file, or default.")],
    target: Annotated[Path, typer.Option("--out", metavar="TEXT", help="The text to write.")],
    level: Annotated[int, typer.Option(help="Edax's level that the values count as.", min=0, max=60)] = 8,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Write a book as text that Edax's book import reads."""
    from outflank.files import write_whole
    from outflank.learners.edax_book import edax_lines
    from outflank.players.opening_book import OpeningBook

    check_free(target, force)
    lines = list(edax_lines(OpeningBook.open(path), level))
    write_whole(target, "".join(lines).encode())
    if as_json:
        print_json({"book": path, "out": str(target), "positions": len(lines), "level": level})
        return
    say(f"{target}: {len(lines):,} positions; in Edax: book import {target}")


@books.command()
def show(
    path: Annotated[str, typer.Argument(metavar="FILE", help="A book's file, default or large.")],
    moves: Annotated[str, typer.Argument(metavar="[MOVES]", help="The moves so far, like f5d6c3.")] = "",
    as_json: Json = False,
) -> None:
    """Show a position in a book, and what the book holds."""
    from outflank.board import Board
    from outflank.players.opening_book import OpeningBook

    book = OpeningBook.open(path)
    board = Board.from_transcript(moves).settled()
    report = book_report(book, board)
    if as_json:
        print_json(report)
    else:
        print_book(book, board, report)


def _check_writable(path: Path) -> None:
    """Fails now, rather than after hours of work."""
    if not path.parent.is_dir():
        raise ValueError(f"{path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise ValueError(f"{path}: the folder {path.parent} is not writable")


def _edax_positions(path: Path) -> tuple[EdaxPosition, ...]:
    """The positions of Edax's text; lines that cannot be read are skipped with a note."""
    from outflank.learners.edax_book import read_edax

    if (size := path.stat().st_size) > LARGEST_EDAX_TEXT:
        raise ValueError(f"{path} has {size >> 20} MB; a book's text has at most {LARGEST_EDAX_TEXT >> 20}")
    try:
        read = read_edax(path.read_text(encoding="ascii"))
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path}, byte {error.start}: this is not the text of Edax's book export; its .dat files are not "
            "read, but Edax turns them into text: book export FILE"
        ) from None
    if not read.positions:
        reason = f"; {read.problems[0]}" if read.problems else ""
        raise ValueError(f"{path} holds no position that can be read{reason}")
    if count := len(read.problems):
        note(f"{path}: {count:,} {'lines were' if count > 1 else 'line was'} skipped; {read.problems[0]}")
    return read.positions


def _records(sources: list[Path]) -> list[GameRecord]:
    """The games of all files; unreadable ones are skipped with a note."""
    from outflank.games.formats.any_format import read_game_file

    records = []
    for source in sources:
        read = read_game_file(source, skip_bad=True)
        if not read.records:
            reason = f"; {read.problems[0]}" if read.problems else ""
            raise ValueError(f"{source} holds no game that can be read{reason}")
        if count := len(read.problems):
            plural = "games were" if count > 1 else "game was"
            note(f"{source}: {count:,} {plural} skipped; {read.problems[0]}")
        records += read.records
    return records


def _learn(
    path: Path,
    learner: BookLearner,
    records: list[GameRecord],
    min_games: int,
    games: int,
    as_json: bool,
    positions: tuple[EdaxPosition, ...] = (),
) -> None:
    """Learns, saves every minute and at the end, also if interrupted, and reports."""
    from outflank.learners.edax_book import add_edax

    note_all(learner.judge)
    before, began = learner.step, time.perf_counter()
    interrupted = False
    try:
        if positions:
            add_edax(learner, positions)
        if records:
            learner.add_games(records, min_games)
        _save_regularly(path, learner, _judged(learner))
        if games:
            _save_regularly(path, learner, _extended(learner, games))
    except KeyboardInterrupt:
        interrupted = True
    learner.save(path)
    after = learner.step
    report = {
        "book": str(path), "positions": after.positions, "new_positions": after.positions - before.positions,
        "games": after.games, "new_games": after.games - before.games, "plies": learner.core.plies,
        "judge": learner.judge.name, "seed": learner.seed, "variety": learner.variety,
        "waiting": after.waiting, "seconds": round(time.perf_counter() - began, 3),
        "interrupted": interrupted,
    }  # fmt: skip
    if as_json:
        print_json(report)
    else:
        _print_learned(path, report, before.games + len(positions) + len(records) + games)
    if interrupted:
        raise typer.Exit(130)


def _save_regularly(path: Path, learner: BookLearner, steps: Iterator[BookStep]) -> None:
    saved = time.monotonic()
    for _ in steps:
        if time.monotonic() - saved > SAVE_EVERY:
            learner.save(path)
            saved = time.monotonic()


def _judged(learner: BookLearner) -> Iterator[BookStep]:
    waiting = learner.step.waiting
    if not waiting:
        return
    with meter("valuing", waiting, "positions") as progress:
        for step in learner.judge_waiting():
            progress.advance(waiting - step.waiting - progress.done)
            yield step


def _extended(learner: BookLearner, games: int) -> Iterator[BookStep]:
    played = learner.core.games
    with meter("self-play", games, "games") as progress:
        for step in learner.extend(games):
            progress.advance(step.games - played - progress.done, f"{step.positions:,} positions")
            yield step


def _print_learned(path: Path, report: dict[str, Any], wanted_games: int) -> None:
    say(
        f"{path}: {report['positions']:,} positions, {report['new_positions']:,} of them new, "
        f"from {report['games']:,} games; valued by {report['judge']}"
    )
    named = shlex.quote(str(path))
    if report["interrupted"]:
        waiting = f"{report['waiting']:,} positions have no value yet. " if report["waiting"] else ""
        left = max(1, wanted_games - report["games"])
        say(f"Interrupted; nothing is lost. {waiting}Resume: outflank book extend {named} --games {left}")
        return
    if report["games"] < wanted_games:
        say(f"No new position in many games: the book is complete to {report['plies']} plies.")
    say(f"Look at it: outflank book show {named}   Play with it: a player with book={named}")
