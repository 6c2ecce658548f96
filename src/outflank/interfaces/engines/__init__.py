"""Our players as engines: a conversation takes a line and gives lines, over any pair of streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Protocol

LONGEST_LINE = 1 << 20
# Stands for a line too long to be kept: GTP answers it as an unknown command, NBoard ignores it.
TOO_LONG = "line-too-long"


class Conversation(Protocol):
    """An engine's side of a protocol."""

    finished: bool

    def answers(self, line: str) -> Iterator[str]:
        """What to say to a line, piece by piece; each piece ends with a line end."""


def converse(conversation: Conversation, source: BinaryIO, sink: BinaryIO) -> None:
    """Talks until either side has had enough; every piece of an answer is flushed at once."""
    while not conversation.finished and (line := _next_line(source)) is not None:
        for piece in conversation.answers(line):
            sink.write(piece.encode())
            sink.flush()


def _next_line(source: BinaryIO) -> str | None:
    line = source.readline(LONGEST_LINE)
    if not line:
        return None
    if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
        while (more := source.readline(LONGEST_LINE)) and not more.endswith(b"\n"):
            pass
        return TOO_LONG
    return line.decode(errors="replace")
