"""The time of a GTP game: main time, then periods of so many moves each."""

from __future__ import annotations

from outflank.board import Board, Colour

MARGIN = 0.9  # of the time for a move: the rest is for what we cannot measure, such as the pipe

SHORTEST = 0.01  # seconds for a move when the time has run out


class Clock:
    """How long a player may think about a move.

    >>> clock = Clock()
    >>> clock.seconds_for(Board()) is None  # no limit was set
    True
    >>> clock.set(main=300, period=0, moves=0)
    >>> clock.seconds_for(Board())  # 30 moves to come
    9.0
    """

    def __init__(self) -> None:
        self._main = self._period = 0.0
        self._moves = 0
        self._left: dict[Colour, tuple[float, int]] = {}

    def set(self, main: float, period: float, moves: int) -> None:
        """`time_settings`: a period of zero moves means no limit (GTP 2, section 4.2)."""
        self._main, self._period, self._moves = main, period, moves
        self._left = {}

    def set_left(self, colour: Colour, seconds: float, moves: int) -> None:
        """`time_left`: zero moves mean that it is main time."""
        self._left[colour] = (seconds, moves)

    def seconds_for(self, board: Board) -> float | None:
        """For the mover's next move; None where there is no limit."""
        no_limit = self._moves == 0 and (self._period > 0 or (self._main == 0 and not self._left))
        if no_limit:
            return None
        seconds, moves = self._time_of(board.mover)
        if moves > 0:
            return max(MARGIN * seconds / moves, SHORTEST)
        a_move_later = self._period / self._moves if self._moves else 0.0
        own_moves_to_come = max(1, (64 - board.discs + 1) // 2)
        return max(MARGIN * max(seconds / own_moves_to_come, a_move_later), SHORTEST)

    def spent(self, colour: Colour, seconds: float) -> None:
        """Main time that a move took; the controller's `time_left`, if it comes, has the last word."""
        left, moves = self._time_of(colour)
        if moves == 0:
            self._left[colour] = (max(0.0, left - seconds), 0)

    def _time_of(self, colour: Colour) -> tuple[float, int]:
        if colour in self._left:
            return self._left[colour]
        return (self._main, 0) if self._main > 0 else (self._period, self._moves)
