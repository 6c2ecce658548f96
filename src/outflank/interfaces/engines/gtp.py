r"""GTP 2 (Go Text Protocol) as Othello programs use it: our players as engines.

>>> from outflank import named_player
>>> engine = GtpEngine(named_player("all-2"))
>>> "".join(engine.answers("7 play black F5\n"))
'=7\n\n'

Specification: https://www.lysator.liu.se/~gunnar/gtp/gtp2-spec-draft2. Squares are a1 (top left) to
h8, as in all Othello programs. `set_game` and `list_games` are Quarry's; our own commands have a prefix.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

from outflank.board import Board, Colour, Square
from outflank.players.greedy import Player

MARGIN = 0.9  # share of the time for a move that is used; the rest is for overhead such as the pipe
SHORTEST = 0.01  # seconds for a move when time has run out


class Clock:
    """How long a player may think about a move: main time, then periods of a number of moves each.

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
        """`time_left`: zero moves means main time."""
        self._left[colour] = (seconds, moves)

    def seconds_for(self, board: Board) -> float | None:
        """For the mover's next move; None if there is no limit."""
        no_limit = self._moves == 0 and (self._period > 0 or (self._main == 0 and not self._left))
        if no_limit:
            return None
        seconds, moves = self._time_of(board.mover)
        if moves > 0:
            return max(MARGIN * seconds / moves, SHORTEST)
        per_move_later = self._period / self._moves if self._moves else 0.0
        own_moves_to_come = max(1, (64 - board.discs + 1) // 2)
        return max(MARGIN * max(seconds / own_moves_to_come, per_move_later), SHORTEST)

    def spent(self, colour: Colour, seconds: float) -> None:
        """Main time used by a move; the controller's `time_left` overrides it."""
        left, moves = self._time_of(colour)
        if moves == 0:
            self._left[colour] = (max(0.0, left - seconds), 0)

    def _time_of(self, colour: Colour) -> tuple[float, int]:
        if colour in self._left:
            return self._left[colour]
        return (self._main, 0) if self._main > 0 else (self._period, self._moves)


_COLOURS: dict[str, Colour] = {"black": "black", "b": "black", "white": "white", "w": "white"}
_COMMAND = re.compile(r"(?:(\d+)(?:\s+|$))?(\S*)\s*(.*)")


class GtpError(Exception):
    """The text after the question mark."""


class GtpEngine:
    """A player's side of a GTP conversation."""

    def __init__(self, player: Player, version: str = "") -> None:
        self.finished = False
        self._player, self._version = player, version
        self._boards = [Board()]  # after each command that changed it; the last is current
        self._clock = Clock()
        self._commands: dict[str, Callable[[str], str]] = {
            "protocol_version": lambda _: "2",
            "name": lambda _: f"outflank {player.name}",
            "version": lambda _: version,
            "known_command": lambda name: "true" if name in self._commands else "false",
            "list_commands": lambda _: "\n".join(self._commands),
            "quit": self._quit,
            "boardsize": self._boardsize,
            "clear_board": self._clear_board,
            "komi": self._komi,
            "play": self._play,
            "genmove": self._genmove,
            "reg_genmove": lambda colour: _name(self._choice(colour)[1]),
            "undo": self._undo,
            "showboard": self._showboard,
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            "final_score": self._final_score,
            "set_game": self._set_game,
            "list_games": lambda _: "Othello",
            "outflank-setup_position": self._setup_position,
        }

    @property
    def board(self) -> Board:
        return self._boards[-1]

    def answers(self, line: str) -> Iterator[str]:
        """One response, or nothing for an empty line or a comment."""
        line = "".join(letter for letter in line.replace("\t", " ") if letter.isprintable())  # GTP 2, 3.1
        line = line.partition("#")[0].strip()
        if not line:
            return
        match = _COMMAND.fullmatch(line)
        assert match is not None
        number, name, arguments = match[1] or "", match[2], match[3].strip()
        try:
            command = self._commands.get(name)
            if command is None:
                raise GtpError("unknown command")
            yield _response("=", number, command(arguments))
        except GtpError as error:
            yield _response("?", number, str(error))
        except Exception as error:  # a player may fail in any way, but the controller must get an answer
            yield _response("?", number, f"{type(error).__name__}: {error}")

    def _quit(self, _arguments: str) -> str:
        self.finished = True
        return ""

    def _boardsize(self, size: str) -> str:
        if not size.isdigit():
            raise GtpError("syntax error")
        if int(size) != 8:
            raise GtpError("unacceptable size")
        return ""

    def _clear_board(self, _arguments: str) -> str:
        self._boards = [Board()]
        return ""

    def _komi(self, komi: str) -> str:
        _number(komi)
        return ""

    def _play(self, arguments: str) -> str:
        words = arguments.lower().split()
        if len(words) != 2:
            raise GtpError("syntax error")
        colour, name = _colour(words[0]), words[1]
        if not re.fullmatch(r"[a-h][1-8]|pass", name):
            raise GtpError("syntax error")
        board = self._turn_of(colour, "illegal move")
        try:
            self._boards.append(board.pass_turn() if name == "pass" else board.play(name))
        except ValueError:
            raise GtpError("illegal move") from None
        return ""

    def _genmove(self, colour: str) -> str:
        board, move = self._choice(colour)
        if move is not None:
            self._boards.append(board.play(move))
        elif not board.is_over:
            self._boards.append(board.pass_turn())
        return _name(move)

    def _choice(self, colour: str) -> tuple[Board, Square | None]:
        """The board where a colour is to move, and its move there; None is a pass."""
        side = _colour(colour.lower())
        if self.board.is_over:
            return self.board, None
        board = self._turn_of(side, f"it is the turn of {self.board.mover}")
        if not board.has_moves:
            return board, None
        player = self._player
        seconds = self._clock.seconds_for(board)
        if seconds is not None and hasattr(player, "with_seconds"):
            player = player.with_seconds(seconds)
        began = time.perf_counter()
        move = Square(player.choose(board))
        self._clock.spent(side, time.perf_counter() - began)
        return board, move

    def _turn_of(self, colour: Colour, otherwise: str) -> Board:
        """The board with a colour to move; the opponent's pass may be omitted."""
        if self.board.mover == colour:
            return self.board
        if self.board.has_moves:
            raise GtpError(otherwise)
        return self.board.pass_turn()

    def _undo(self, _arguments: str) -> str:
        if len(self._boards) == 1:
            raise GtpError("cannot undo")
        self._boards.pop()
        return ""

    def _showboard(self, _arguments: str) -> str:
        board = self.board
        black, white = board.black.bit_count(), board.white.bit_count()
        turn = "game over" if board.is_over else f"{board.mover} to move"
        return f"\n{board}\nblack X {black}, white O {white}: {turn}"

    def _time_settings(self, arguments: str) -> str:
        main, period, moves = _numbers(arguments, 3)
        self._clock.set(main, period, int(moves))
        return ""

    def _time_left(self, arguments: str) -> str:
        colour, _, rest = arguments.partition(" ")
        side = _colour(colour.lower())
        seconds, moves = _numbers(rest, 2)
        self._clock.set_left(side, seconds, int(moves))
        return ""

    def _final_score(self, _arguments: str) -> str:
        if not self.board.is_over:
            raise GtpError("cannot score: the game is not over")
        difference = self.board.disc_difference
        return "0" if difference == 0 else f"{'B' if difference > 0 else 'W'}+{abs(difference)}"

    def _set_game(self, game: str) -> str:
        if game.lower() not in ("othello", "reversi"):
            raise GtpError("unsupported game")
        return ""

    def _setup_position(self, text: str) -> str:
        try:
            self._boards = [Board(text)]
        except ValueError as error:
            raise GtpError(str(error)) from None
        return ""


def _response(sign: str, number: str, text: str) -> str:
    """An answer without empty lines, which would end it."""
    lines = [line.rstrip() for line in text.split("\n")]
    first, *more = [line for i, line in enumerate(lines) if line or i == 0]
    head = f"{sign}{number} {first}".rstrip()
    return "\n".join([head, *more]) + "\n\n"


def _name(move: Square | None) -> str:
    return "pass" if move is None else str(move).upper()


def _colour(word: str) -> Colour:
    if word not in _COLOURS:
        raise GtpError("syntax error")
    return _COLOURS[word]


def _numbers(text: str, count: int) -> list[float]:
    words = text.split()
    if len(words) != count:
        raise GtpError("syntax error")
    return [_number(word) for word in words]


def _number(word: str) -> float:
    if not re.fullmatch(r"-?\d{1,9}(\.\d*)?", word):
        raise GtpError("syntax error")
    return float(word)
