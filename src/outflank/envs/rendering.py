"""Pictures of a board: as text, and as pixels.

>>> render(Board(), "rgb_array").shape
(320, 320, 3)
>>> print(str(render(Board(), "ansi")).splitlines()[4])
4 - - . O X - - -
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from outflank.board import Board
from outflank.envs.rules import action_mask

RenderMode = Literal["ansi", "rgb_array"]
MODES: tuple[RenderMode, ...] = ("ansi", "rgb_array")
CELL = 40  # pixels per square
_GREEN, _LINE, _BLACK, _WHITE, _LEGAL = (
    (46, 125, 79), (17, 34, 51), (17, 17, 17), (250, 250, 250), (120, 180, 145),
)  # fmt: skip


def checked_mode(mode: str | None) -> str | None:
    if mode is not None and mode not in MODES:
        raise ValueError(f"render_mode is {' or '.join(MODES)}, got {mode!r}")
    return mode


def render(board: Board, mode: str) -> str | npt.NDArray[np.uint8]:
    """The board as text (ansi) or as an image (rgb_array)."""
    return str(board) if mode == "ansi" else _image(board)


def _image(board: Board) -> npt.NDArray[np.uint8]:
    image = np.full((8 * CELL, 8 * CELL, 3), _GREEN, dtype=np.uint8)
    image[::CELL], image[:, ::CELL] = _LINE, _LINE
    centre = (CELL - 1) / 2
    rows, columns = np.mgrid[:CELL, :CELL]
    distance = np.hypot(rows - centre, columns - centre)
    legal = action_mask(board)
    for square in range(64):
        top, left = square // 8 * CELL, square % 8 * CELL
        cell = image[top : top + CELL, left : left + CELL]
        if (disc := board.disc(square)) is not None:
            cell[distance < 0.42 * CELL] = _BLACK if disc == "black" else _WHITE
        elif legal[square]:
            cell[distance < 0.12 * CELL] = _LEGAL
    return image
