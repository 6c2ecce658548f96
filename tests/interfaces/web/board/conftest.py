"""The board's page in Chromium: fixtures and what its tests share."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from outflank import Board

READY = "() => document.getElementById('board').getAttribute('aria-busy') === 'false'"
Call = Callable[..., Any]


def random_game(seed: int, length: int = 60) -> list[str]:
    chance, board = random.Random(seed), Board()
    moves: list[str] = []
    while not board.is_over and len(moves) < length:
        board = board.settled()
        moves.append(str(chance.choice(board.legal_moves)))
        board = board.play(moves[-1])
    return moves


@pytest.fixture(scope="module")
def script(browser: Any, league_server: str) -> Iterator[Call]:
    """script("game/rules.js", "(module, argument) => ..."): a function of the page's modules, called."""
    context = browser.new_context(base_url=league_server)
    page = context.new_page()
    page.goto("/about")

    def call(module: str, function: str, argument: object = None) -> Any:
        code = f"async (argument) => ({function})(await import('/static/board/{module}'), argument)"
        return page.evaluate(code, argument)

    yield call
    context.close()


def status(page: Any) -> str:
    return str(page.text_content("#status"))


def squares(page: Any) -> str:
    """The board as the page shows it."""
    disc = "(cell) => cell.matches('.black') ? 'X' : cell.matches('.white') ? 'O' : '-'"
    return str(page.evaluate(f"() => [...document.querySelectorAll('.cell')].map({disc}).join('')"))


def playable(page: Any) -> list[str]:
    found = page.evaluate(
        "() => [...document.querySelectorAll('.cell.playable')].map((cell) => cell.dataset.square)"
    )
    return [str(square) for square in found]


def click_square(page: Any, square: str) -> None:
    page.click(f'.cell[data-square="{square}"]')


def moves_shown(page: Any) -> list[str]:
    """The moves in the list, variations included, in the order of the page."""
    found = page.eval_on_selector_all(
        "#moves .move", "all => all.map(one => one.getAttribute('aria-label').split(' ')[3].replace(',', ''))"
    )
    return [str(move) for move in found]
