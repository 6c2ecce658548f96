"""The board: rules, notation, text and symmetries.

>>> board = Board().play("f5").play("d6")
>>> board.mover, [str(move) for move in board.legal_moves]
('black', ['c3', 'c4', 'c5', 'c6', 'c7'])
>>> Board.from_transcript("f5d6c3d3c4").text
'------------------XO------XXX------OXX-----O-------------------- O'
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Literal, Self

from outflank import _core
from outflank.arguments import check_whole
from outflank.suggestions import shown

if TYPE_CHECKING:
    from rich.text import Text

Colour = Literal["black", "white"]
_COLUMNS = "abcdefgh"
_DISCS = {"X": "black", "x": "black", "*": "black", "B": "black", "b": "black",
          "O": "white", "o": "white", "W": "white", "w": "white"}  # fmt: skip
_EMPTY = "-."


class Square(int):
    """A square 0..63, row by row from a1, made from its number or its name.

    >>> Square("f5"), int(Square("f5")), str(Square(37))
    (Square('f5'), 37, 'f5')
    """

    def __new__(cls, square: int | str) -> Self:
        if isinstance(square, str):
            name = square.strip().lower()
            if len(name) != 2 or name[0] not in _COLUMNS or name[1] not in "12345678":
                raise ValueError(f"{square!r} is not a square; squares are a1 to h8")
            square = 8 * (int(name[1]) - 1) + _COLUMNS.index(name[0])
        elif not isinstance(square, int | Integral):
            raise TypeError(f"a square is a number 0..63 or a name such as 'f5', not {shown(square)}")
        if not 0 <= square <= 63:
            raise ValueError(f"square {square} is outside 0..63")
        return super().__new__(cls, square)

    @property
    def row(self) -> int:
        """0 to 7, from the top: `a1` is in row 0."""
        return int(self) // 8

    @property
    def column(self) -> int:
        """0 to 7, from the left: `a1` is in column 0."""
        return int(self) % 8

    def __str__(self) -> str:
        return f"{_COLUMNS[self.column]}{self.row + 1}"

    def __repr__(self) -> str:
        return f"Square({str(self)!r})"


def squares_in(bits: int) -> tuple[Square, ...]:
    """The squares of a 64-bit set, in ascending order."""
    return tuple(Square(i) for i in range(64) if bits >> i & 1)


def symmetric_square(square: int, symmetry: int) -> Square:
    """The image of a square under a symmetry of the board (0..7; 0 is the identity)."""
    return Square(_core.symmetric(1 << square, symmetry).bit_length() - 1)


@dataclass(frozen=True, slots=True, repr=False, init=False)
class Board:
    """A position: black and white discs as 64-bit sets, and whose move it is.

    Immutable. `Board()` is the start of a game; `Board(text)` reads 64 characters (X black, O white,
    - empty) and the side to move, as in the FFO test files; `repr` returns that call.
    """

    black: int
    white: int
    mover: Colour

    def __init__(self, text: str | None = None) -> None:
        if not isinstance(text, str | None):
            raise TypeError(f"a board is a text such as {Board().text!r}, got {shown(text)}")
        black, white, mover = (_START_BLACK, _START_WHITE, "black") if text is None else _parse(text)
        object.__setattr__(self, "black", black)
        object.__setattr__(self, "white", white)
        object.__setattr__(self, "mover", mover)

    @classmethod
    def from_discs(cls, black: int, white: int, mover: Colour = "black") -> Board:
        """A board from two 64-bit sets of discs; a1 is bit 0, h8 bit 63."""
        for colour, discs in (("black", black), ("white", white)):
            check_whole(f"{colour} discs as 64 bits", discs)
        if not isinstance(mover, str) or mover not in ("black", "white"):
            raise ValueError(f"the mover is black or white, got {shown(mover)}")
        if black & white:
            raise ValueError(f"{squares_in(black & white)[0]} holds a black and a white disc")
        if not (0 <= black < 1 << 64 and 0 <= white < 1 << 64):
            raise ValueError("discs must be sets of 64 bits")
        board = object.__new__(cls)
        object.__setattr__(board, "black", black)
        object.__setattr__(board, "white", white)
        object.__setattr__(board, "mover", mover)
        return board

    @classmethod
    def from_transcript(cls, transcript: str, start: Board | None = None) -> Board:
        """The board after the moves of a transcript such as `f5d6c3`; passes are implied."""
        board = cls() if start is None else start
        for number, square in enumerate(transcript_squares(transcript), start=1):
            board = board.settled()
            if square not in board.legal_moves:
                raise ValueError(f"move {number} ({square}) is not legal for {board.mover}")
            board = board.play(square)
        return board

    @property
    def mover_discs(self) -> int:
        """The discs of the side to move, as a 64-bit set."""
        return self.black if self.mover == "black" else self.white

    @property
    def opponent_discs(self) -> int:
        """The discs of the other side, as a 64-bit set."""
        return self.white if self.mover == "black" else self.black

    @property
    def legal_moves(self) -> tuple[Square, ...]:
        """Where the mover may play, in ascending order; empty if it must pass or the game is over."""
        return squares_in(self._moves)

    @property
    def has_moves(self) -> bool:
        """Whether the mover has a legal move."""
        return self._moves != 0

    @property
    def _moves(self) -> int:
        return _core.legal_moves(self.mover_discs, self.opponent_discs)

    @property
    def is_over(self) -> bool:
        """Neither side can move."""
        return not self.has_moves and not self._other_side().has_moves

    def why_impossible(self) -> str | None:
        """Why no game from the standard start can reach this board; None if no reason was found."""
        discs = self.black | self.white
        if missing := squares_in(_CENTRE & ~discs):
            return f"{missing[0]} is empty, but a game starts with discs on the four centre squares"
        reached, grown = 0, _CENTRE
        while reached != grown:  # each disc was placed next to another
            reached = grown
            grown = (reached | _beside(reached)) & discs
        if apart := squares_in(discs & ~reached):
            return f"the disc on {apart[0]} is not connected to the centre"
        return None

    @property
    def disc_difference(self) -> int:
        """Black discs minus white discs."""
        return self.black.bit_count() - self.white.bit_count()

    @property
    def discs(self) -> int:
        """The number of discs on the board."""
        return (self.black | self.white).bit_count()

    @property
    def outcome(self) -> Literal["black", "white", "draw"] | None:
        """The winner by disc count; None until the game is over."""
        if not self.is_over:
            return None
        if self.disc_difference == 0:
            return "draw"
        return "black" if self.disc_difference > 0 else "white"

    def play(self, square: int | str) -> Board:
        """The board after the mover plays on a square."""
        move = Square(square)
        if not self._moves >> move & 1:
            raise ValueError(f"{move} is not a legal move for {self.mover} on this board")
        flipped = _core.flips(move, self.mover_discs, self.opponent_discs)
        mover, opponent = self.mover_discs | flipped | 1 << move, self.opponent_discs & ~flipped
        if self.mover == "black":
            return Board.from_discs(mover, opponent, "white")
        return Board.from_discs(opponent, mover, "black")

    def pass_turn(self) -> Board:
        """The board after a pass, which only a side without a move may make."""
        if self.has_moves:
            raise ValueError(f"{self.mover} has a legal move and may not pass")
        return self._other_side()

    def _other_side(self) -> Board:
        return Board.from_discs(self.black, self.white, "white" if self.mover == "black" else "black")

    def settled(self) -> Board:
        """This board, or the one after a pass if the mover has no move and the other side has."""
        if self.has_moves:
            return self
        passed = self._other_side()
        return passed if passed.has_moves else self

    def symmetric(self, symmetry: int) -> Board:
        """One of the eight symmetric images of the board; 0 is the board itself."""
        return Board.from_discs(
            _core.symmetric(self.black, symmetry), _core.symmetric(self.white, symmetry), self.mover
        )

    @property
    def symmetries(self) -> tuple[Board, ...]:
        """All eight symmetric images; the first is the board itself."""
        return tuple(self.symmetric(symmetry) for symmetry in range(8))

    @property
    def canonical(self) -> Board:
        """The one of the eight images that stands for all of them: equal for symmetric boards."""
        return min(self.symmetries, key=lambda board: (board.black, board.white))

    def disc(self, square: int | str) -> Colour | None:
        """The colour of the disc on a square; None if it is empty."""
        at = Square(square)
        return "black" if self.black >> at & 1 else "white" if self.white >> at & 1 else None

    @property
    def text(self) -> str:
        """64 characters and the side to move, as in the FFO files."""
        return f"{''.join(self._letters())} {'X' if self.mover == 'black' else 'O'}"

    def _letters(self) -> Iterator[str]:
        for i in range(64):
            yield "X" if self.black >> i & 1 else "O" if self.white >> i & 1 else "-"

    def __repr__(self) -> str:
        return "Board()" if self == Board() else f"Board({self.text!r})"

    def __str__(self) -> str:
        moves = self._moves
        letters = ["." if moves >> i & 1 else letter for i, letter in enumerate(self._letters())]
        rows = [f"{row + 1} {' '.join(letters[8 * row : 8 * row + 8])}" for row in range(8)]
        return "\n".join(["  " + " ".join(_COLUMNS), *rows])

    def __rich__(self) -> Text:
        from rich.text import Text

        text = Text("  " + " ".join(_COLUMNS) + "\n", style="dim")
        for row in range(8):
            text.append(f"{row + 1} ", style="dim")
            for column in range(8):
                square = 8 * row + column
                mark, style = {"black": ("● ", "black on green4"), "white": ("● ", "white on green4")}.get(
                    self.disc(square) or "",
                    ("· ", "grey85 on green4") if self._moves >> square & 1 else ("  ", "on green4"),
                )
                text.append(mark, style=style)
            text.append("\n" if row < 7 else "")
        return text

    def _repr_svg_(self) -> str:
        return self.svg()

    def svg(self, size: int = 320) -> str:
        """A picture for notebooks and web pages: discs, legal moves as small rings, the mover below."""
        cells = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size * 9.7 / 9:.0f}"'
            ' viewBox="0 0 90 97" role="img" font-family="sans-serif">',
            f"<title>Othello board, {self.mover} to move</title>",
            '<rect x="8" y="8" width="80" height="80" fill="#2e7d4f"/>',
            '<path d="' + "".join(f"M8 {8 + 10 * i}h80M{8 + 10 * i} 8v80" for i in range(9))
            + '" stroke="#123" stroke-width=".5"/>',
        ]  # fmt: skip
        for i in range(8):
            cells.append(
                f'<text x="{13 + 10 * i}" y="6" font-size="5" text-anchor="middle">{_COLUMNS[i]}</text>'
            )
            cells.append(f'<text x="4" y="{15 + 10 * i}" font-size="5" text-anchor="middle">{i + 1}</text>')
        moves = self._moves
        for square in map(Square, range(64)):
            centre = f'cx="{13 + 10 * square.column}" cy="{13 + 10 * square.row}"'
            if (disc := self.disc(square)) is not None:
                fill = "#111" if disc == "black" else "#fafafa"
                cells.append(f'<circle {centre} r="4.2" fill="{fill}" stroke="#111" stroke-width=".3"/>')
            elif moves >> square & 1:
                cells.append(f'<circle {centre} r="1.6" fill="none" stroke="#dfe" stroke-width=".6"/>')
        cells.append(f'<text x="48" y="95" font-size="5" text-anchor="middle">{self._caption()}</text></svg>')
        return "".join(cells)

    def _caption(self) -> str:
        count = f"black {self.black.bit_count()}, white {self.white.bit_count()}"
        return f"{count}: game over" if self.is_over else f"{count}: {self.mover} to move"


def _beside(squares: int) -> int:
    """The squares and their neighbours in all eight directions."""
    wide = squares | (squares & ~_COLUMN_H) << 1 | (squares & ~_COLUMN_A) >> 1
    return (wide | wide << 8 | wide >> 8) & (1 << 64) - 1


_CENTRE = 1 << 27 | 1 << 28 | 1 << 35 | 1 << 36
_COLUMN_A = 0x0101010101010101
_COLUMN_H = 0x8080808080808080
_START_BLACK = 1 << 28 | 1 << 35
_START_WHITE = 1 << 27 | 1 << 36


def transcript_squares(transcript: str) -> tuple[Square, ...]:
    """The squares of a transcript such as `f5d6c3` or `F5 D6 C3`."""
    if not isinstance(transcript, str):
        raise TypeError(f"a transcript is a text such as 'f5d6c3', got {shown(transcript)}")
    letters = "".join(transcript.split())
    if len(letters) % 2:
        raise ValueError(f"a transcript has two characters per move, but {letters!r} has {len(letters)}")
    moves = (letters[i : i + 2] for i in range(0, len(letters), 2))
    return tuple(_transcript_square(number, name) for number, name in enumerate(moves, start=1))


def _transcript_square(number: int, name: str) -> Square:
    try:
        return Square(name)
    except ValueError as error:
        raise ValueError(f"move {number} of the transcript: {error}") from None


def _parse(text: str) -> tuple[int, int, Colour]:
    letters, _, rest = text.strip().partition(" ")
    side = rest.strip()
    if len(letters) == 65 and not side:
        letters, side = letters[:64], letters[64]
    if len(letters) != 64:
        raise ValueError(f"a board has 64 characters, then the side to move; got {len(letters)}")
    if side not in _DISCS:
        raise ValueError(f"the side to move is X (black) or O (white), got {side!r}")
    black = white = 0
    for i, letter in enumerate(letters):
        if letter in _EMPTY:
            continue
        if letter not in _DISCS:
            raise ValueError(f"{letter!r} at {Square(i)} is not X, O or -")
        if _DISCS[letter] == "black":
            black |= 1 << i
        else:
            white |= 1 << i
    return black, white, "black" if _DISCS[side] == "black" else "white"


def checked_board(board: object) -> Board:
    """The board, or an error that says how to make one.

    >>> checked_board("f5d6")
    Traceback (most recent call last):
    TypeError: a position is a Board, such as Board.from_transcript('f5d6'), got 'f5d6'
    """
    if not isinstance(board, Board):
        raise TypeError(f"a position is a Board, such as Board.from_transcript('f5d6'), got {shown(board)}")
    return board
