"""Our players as engines: line-based conversations over any pair of streams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, Protocol

LONGEST_LINE = 1 << 20
# Replaces a line that is too long: for GTP an unknown command, for NBoard one to ignore.
TOO_LONG = "line-too-long"


class Conversation(Protocol):
    """An engine's side of a protocol."""

    finished: bool

    def answers(self, line: str) -> Iterator[str]:
        """The answer to a line, in pieces that each end with a line end."""


def converse(conversation: Conversation, source: BinaryIO, sink: BinaryIO) -> None:
    """Reads and answers lines until either side quits; every piece of an answer is flushed at once."""
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
