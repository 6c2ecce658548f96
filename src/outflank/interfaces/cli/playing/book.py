"""`outflank book build`, `extend`, `import` and `show`.

What `outflank book show` says of a book and of a position.
"""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.interfaces.cli.options import Json
from outflank.interfaces.cli.progress import Meter, meter, note, out, print_json
from outflank.interfaces.cli.terminal_board import terminal_board

if TYPE_CHECKING:
    from outflank.board import Board
    from outflank.games.game import GameRecord
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
    from rich.table import Table

    out.print(terminal_board(board, with_colours=bool(out.color_system)))
    if not report["moves"]:
        out.print("The game is over." if board.is_over else "This position is not in the book.")
    else:
        out.print(f"{board.mover} to move, {report['value']:+.2f} discs for {board.mover}")
        table = Table()
        for name in ("move", "value", "games", "best play from there"):
            table.add_column(name, justify="right" if name in ("value", "games") else "left", overflow="fold")
        for equal in _equal_moves(book, board):
            first = equal[0]
            others = f" (or {', '.join(str(move.square) for move in equal[1:])})" if len(equal) > 1 else ""
            games = "leaves the book" if first.is_deviation else f"{first.games:,}"
            line = _line(book, board, first)
            table.add_row(f"{first.square}{others}", f"{first.value_for_mover:+.2f}", games, line)
        out.print(table)
    made = report["made_by"]
    judge = f", judged by {made['judge']}" if "judge" in made else ""
    out.print(
        f"{book.name}: {report['positions']:,} positions to {report['plies']} plies from"
        f" {report['games']:,} games{judge}",
        markup=False, soft_wrap=True,
    )  # fmt: skip
    by_ply = " ".join(f"{count:,}" for count in report["positions_by_ply"])
    out.print(f"positions by ply from 0: {by_ply}", soft_wrap=True)
    if report["waiting"]:
        out.print(f"{report['waiting']:,} positions wait to be judged: outflank book extend {book.name}")


def _equal_moves(book: OpeningBook, board: Board) -> list[list[BookMove]]:
    """The moves of a board, those that are each other's mirror images together."""
    groups: dict[Board, list[BookMove]] = {}
    for move in book.moves(board):
        groups.setdefault(board.play(move.square).canonical, []).append(move)
    return list(groups.values())


SAVE_EVERY = 60.0  # seconds: so much may a power cut cost
Games = Annotated[int, typer.Option(help="How many games of self-play to add.", min=1)]
BookFile = Annotated[Path, typer.Argument(metavar="FILE", help="A book's file.")]
MinGames = Annotated[
    int, typer.Option(help="Leave out positions that fewer of the imported games reached.", min=1)
]

books = typer.Typer(help="Opening books: build, extend, import games, show.", rich_markup_mode=None)


def add_to(app: typer.Typer) -> None:
    app.add_typer(books, name="book")


@books.callback(invoke_without_command=True)
def _books(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@books.command()
def build(
    path: Annotated[Path, typer.Option("--out", metavar="FILE", help="The book to make.")],
    games: Annotated[
        int | None, typer.Option(help="Games of self-play; 1,000, or none with --from.", min=0)
    ] = None,
    player: Annotated[
        str | None, typer.Option(metavar="PLAYER", help="Who judges moves; all-rounder,depth=4 by default.")
    ] = None,
    plies: Annotated[int, typer.Option(help="How many moves deep.", min=1, max=60)] = 20,
    sources: Annotated[
        list[Path] | None, typer.Option("--from", metavar="GAMES", help="Games to begin with; repeatable.")
    ] = None,
    min_games: MinGames = 1,
    variety: Annotated[
        float, typer.Option(help="A move this many discs worse is followed e times less often.", min=0)
    ] = 1.0,
    seed: Annotated[int, typer.Option(help="The same seed gives the same book.")] = 1,
    as_json: Json = False,
) -> None:
    """Learn a book from nothing: by self-play, from recorded games, or both."""
    from outflank.learners.opening_book import DEFAULT_JUDGE, BookLearner

    if path.exists():
        raise ValueError(f"{path} is already there; outflank book extend adds to it, or choose another --out")
    _check_writable(path)
    learner = BookLearner.new(plies, player or DEFAULT_JUDGE, seed, variety)
    records = _records(sources or [])
    if games is None:
        games = 0 if records else 1000
    if games == 0 and not records:
        raise ValueError("a book is made of games: give --games or --from")
    _learn(path, learner, records, min_games, games, as_json)


@books.command()
def extend(
    path: BookFile,
    games: Games = 1000,
    player: Annotated[
        str | None, typer.Option(metavar="PLAYER", help="Another judge than the one it was built with.")
    ] = None,
    plies: Annotated[
        int | None,
        typer.Option(help="Go this deep from now on; as deep as before by default.", min=1, max=60),
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
    player: Annotated[
        str | None, typer.Option(metavar="PLAYER", help="Another judge than the one it was built with.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Add the positions of recorded games."""
    from outflank.learners.opening_book import BookLearner

    if not path.exists():
        raise ValueError(f"{path} is not there; outflank book build --out {path} --from GAMES makes a book")
    _check_writable(path)
    learner = BookLearner.load(path, player)
    _learn(path, learner, _records(sources), min_games, 0, as_json)


@books.command()
def show(
    path: Annotated[str, typer.Argument(metavar="FILE", help="A book's file, or default.")],
    moves: Annotated[str, typer.Argument(metavar="[MOVES]", help="The moves so far, like f5d6c3.")] = "",
    as_json: Json = False,
) -> None:
    """What a book says of a position, and what is in it."""
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
    """Better now than after hours of work."""
    if not path.parent.is_dir():
        raise ValueError(f"{path}: there is no folder {path.parent}")
    if not os.access(path.parent, os.W_OK):
        raise ValueError(f"{path}: the folder {path.parent} is not writable")


def _records(sources: list[Path]) -> list[GameRecord]:
    """The games of all files; what cannot be read is left out with a note."""
    from outflank.games.formats.any_format import read_game_file

    records = []
    for source in sources:
        read = read_game_file(source, skip_bad=True)
        if not read.records:
            reason = f"; {read.problems[0]}" if read.problems else ""
            raise ValueError(f"{source} holds no game that can be read{reason}")
        if count := len(read.problems):
            plural = "games were" if count > 1 else "game was"
            note(f"{source}: {count:,} {plural} left out; {read.problems[0]}")
        records += read.records
    return records


def _learn(
    path: Path, learner: BookLearner, records: list[GameRecord], min_games: int, games: int, as_json: bool
) -> None:
    """Learns, saves now and then and in the end, also if interrupted, and reports."""
    for text in getattr(learner.judge, "notes", ()):
        note(text)
    before, began = learner.step, time.perf_counter()
    interrupted = False
    try:
        if records:
            learner.add_games(records, min_games)
        _save_on_the_way(path, learner, _judged(learner))
        if games:
            _save_on_the_way(path, learner, _extended(learner, games))
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
        _print_learned(path, report, before.games + len(records) + games)
    if interrupted:
        raise typer.Exit(130)


def _save_on_the_way(path: Path, learner: BookLearner, steps: Iterator[BookStep]) -> None:
    saved = time.monotonic()
    for _ in steps:
        if time.monotonic() - saved > SAVE_EVERY:
            learner.save(path)
            saved = time.monotonic()


def _judged(learner: BookLearner) -> Iterator[BookStep]:
    waiting = learner.step.waiting
    if not waiting:
        return
    with meter("judging", waiting, "positions") as progress:
        for step in learner.judge_waiting():
            progress.advance(waiting - step.waiting - progress.done)
            yield step


def _extended(learner: BookLearner, games: int) -> Iterator[BookStep]:
    played = learner.core.games
    with meter("self-play", games, "games") as progress:
        for step in learner.extend(games):
            _advance(progress, step, played)
            yield step


def _advance(progress: Meter, step: BookStep, played: int) -> None:
    progress.advance(step.games - played - progress.done, f"{step.positions:,} positions")


def _print_learned(path: Path, report: dict[str, Any], wanted_games: int) -> None:
    out.print(
        f"{path}: {report['positions']:,} positions, {report['new_positions']:,} of them new,"
        f" from {report['games']:,} games; judged by {report['judge']}",
        markup=False, soft_wrap=True,
    )  # fmt: skip
    named = shlex.quote(str(path))
    if report["interrupted"]:
        waiting = f"{report['waiting']:,} positions wait to be judged. " if report["waiting"] else ""
        left = max(1, wanted_games - report["games"])
        out.print(
            f"Interrupted; nothing is lost. {waiting}Go on: outflank book extend {named} --games {left}",
            markup=False, soft_wrap=True,
        )  # fmt: skip
        return
    if report["games"] < wanted_games:
        out.print(f"No new position in many games: complete to {report['plies']} plies as far as games go.")
    out.print(
        f"Look at it: outflank book show {named}   Play with it: a player with book={named}",
        markup=False, soft_wrap=True,
    )  # fmt: skip
