"""What `outflank book show` says of a book and of a position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outflank.interfaces.cli.progress import out
from outflank.interfaces.terminal_board import terminal_board

if TYPE_CHECKING:
    from outflank.board import Board
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
