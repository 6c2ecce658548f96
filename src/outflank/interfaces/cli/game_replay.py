"""`outflank games replay`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from outflank.interfaces.cli.progress import note, out, print_json
from outflank.interfaces.cli.scoring import Json

if TYPE_CHECKING:
    from outflank.board import Board
    from outflank.games.game_record import GameRecord


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
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="WTHOR, GGF, transcripts or JSON lines.")],
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
    out.print(
        f"After {len(steps) - 1} moves: {score}, {'the game is over' if final.is_over else 'unfinished'}"
    )
    if move is None and count > 1:
        following = game % count + 1
        out.print(f"Another: outflank games replay {source} --game {following}", markup=False, soft_wrap=True)


def numbered_game(source: Path, number: int) -> tuple[GameRecord, int]:
    """Game number n of a file, and how many there are."""
    from outflank.games.records import read_game_file

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
            {
                "number": step.number,
                "mover": step.mover,
                "move": step.move,
                "is_after_pass": step.is_after_pass,
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
    out.print(
        f"{source.name}, game {record.number:,} of {count:,}{': ' + where if where else ''}", markup=False
    )
    if record.result is not None:
        ending = f" ({record.ending})" if record.ending else ""
        out.print(f"stored result: {record.result:+g} for Black{ending}")
    if record.theoretical is not None:
        out.print(
            f"with perfect play from {record.theoretical_empties} empty squares: {record.theoretical:+d}"
        )


def _print_boards(steps: list[Step]) -> None:
    from rich.columns import Columns
    from rich.console import Group
    from rich.text import Text

    cells = []
    for step in steps:
        passed = f"{'white' if step.mover == 'black' else 'black'} passes" if step.is_after_pass else ""
        # Without colours the two sides' discs would look alike.
        board = step.board if out.color_system else Text(str(step.board))
        cells.append(Group(Text(step.caption), board, Text(passed, style="dim")))
    out.print(Columns(cells, padding=(0, 4)))
