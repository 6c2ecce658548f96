"""What is said and typed at the prompt of `outflank play`, and how a player comes to its reply."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from outflank.board import Board, Square
from outflank.interfaces.cli.progress import out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from outflank.players.analysis import Analysis
    from outflank.players.names import NamedPlayer

LONGEST_LINE = 8  # moves shown of the play that a player expects


def say(text: str) -> None:
    out.print(text, markup=False)


def uses_colours() -> bool:
    """Whether discs can be told apart by colour; otherwise they are letters."""
    return out.color_system is not None and "utf" in out.encoding.lower()


def typed(prompt: str) -> str | None:
    """A line from the person, or from a file in its place; None at its end."""
    try:
        text = input(prompt)
    except EOFError:
        out.print()
        return None
    if not sys.stdin.isatty():
        say(text)  # as if it had been typed
    return text


@dataclass(frozen=True)
class Reply:
    """A player's move, and what it thinks of it if it can tell."""

    square: Square
    analysis: Analysis | None = None
    is_from_book: bool = False


def reply_of(player: NamedPlayer, board: Board, with_thoughts: bool) -> Reply:
    """The player's move; a search can be interrupted."""
    from outflank.players.greedy import GreedyPlayer
    from outflank.players.search import SearchPlayer

    if len(board.legal_moves) == 1 and not with_thoughts:
        return Reply(board.legal_moves[0])
    if not isinstance(player, SearchPlayer) or not isinstance(player.inner, GreedyPlayer):
        return Reply(Square(player.choose(board)))
    if player.book is not None and (known := player.book.choose(board, best=player.book_best)) is not None:
        return Reply(known, is_from_book=True)
    analysis = player.analyze(board)
    return Reply(analysis.best, analysis)


def said_of_reply(name: str, reply: Reply, with_thoughts: bool) -> Iterator[str]:
    yield f"{name} plays {reply.square}{' from its book' if reply.is_from_book else ''}"
    found = reply.analysis
    if not with_thoughts or found is None:
        return
    value = found.value_for_mover
    effort = f"{found.nodes:,} nodes, {found.seconds:.2f} s"
    if found.exact:
        how = f"wins by {value:.0f}" if value > 0 else f"loses by {-value:.0f}" if value < 0 else "draws"
        yield f"  solved: it {how}; {effort}"
    else:
        unit = "discs" if found.is_in_discs else "in its own unit"
        yield f"  it expects {value:+z.2f} {unit}; depth {found.depth}, {effort}"
    if expected := found.principal_variation[1:LONGEST_LINE]:
        yield f"  and then {' '.join(map(str, expected))}"


def said_of_moves(analysis: Analysis) -> str:
    """Where the values of moves come from."""
    if analysis.exact:
        return "solved: the disc differences at the end, for you, with best play"
    return f"estimated disc differences at the end, for you; all-rounder, depth {analysis.depth}"
