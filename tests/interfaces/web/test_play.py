"""The board to play on: its answers against the rules, and whole games in a real browser."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from outflank import Board, Game, PieceCounter, named_player
from outflank.interfaces.web.compute.play import play_response
from outflank.players.greedy import GreedyPlayer
from outflank.players.search import minimax_values
from tests.interfaces.web.conftest import PageAt, screenshot

READY = "() => document.getElementById('board').getAttribute('aria-busy') === 'false'"


@pytest.fixture(scope="module")
def client(league_server: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=league_server, timeout=30) as client:
        yield client


@pytest.fixture(scope="module")
def ids(client: httpx.Client) -> dict[str, int]:
    rows = client.get("/api/v1/players", params={"limit": 1000}).json()["players"]
    return {row["name"]: row["id"] for row in rows}


def random_game(seed: int, length: int = 60) -> list[str]:
    chance, board = random.Random(seed), Board()
    moves: list[str] = []
    while not board.is_over and len(moves) < length:
        board = board.settled()
        moves.append(str(chance.choice(board.legal_moves)))
        board = board.play(moves[-1])
    return moves


def forced_pass() -> tuple[list[str], str, str]:
    """A game, a move after which the other side has to pass, and which side that is."""
    for seed in range(1000):
        board = Board()
        for number, move in enumerate(moves := random_game(seed)):
            board = board.settled().play(move)
            if board.settled() != board:
                return moves[:number], move, board.mover
    raise AssertionError("no game with a pass")


def answer(client: httpx.Client, **query: object) -> Any:
    response = client.get("/api/v1/play", params={key: str(value) for key, value in query.items()})
    assert response.status_code == 200, response.text
    return response.json()


@pytest.mark.parametrize("seed", range(8))
def test_every_position_is_that_of_the_rules(client: httpx.Client, ids: dict[str, int], seed: int) -> None:
    moves = random_game(seed)
    found = answer(client, moves=" ".join(moves).upper(), player=ids["all-2"])
    assert found["transcript"] == "".join(moves)
    assert len(found["positions"]) == len(moves) + 1
    board = Board()
    for number, position in enumerate(found["positions"]):
        if number:
            before = board.settled()
            board = before.play(moves[number - 1])
            gained = {name for name in _squares(board) if before.disc(name) not in (None, board.disc(name))}
            assert (position["move"], position["mover"]) == (moves[number - 1], before.mover)
            assert set(position["flipped"]) == gained
        settled = board.settled()
        assert position["squares"] == board.text[:64]
        assert position["legal"] == [str(square) for square in settled.legal_moves]
        assert position["turn"] == (None if board.is_over else settled.mover)
        assert position["passed"] == (board.mover if settled != board else None)
        assert (position["black"], position["white"]) == (board.black.bit_count(), board.white.bit_count())
        assert position["disc_difference"] == board.disc_difference
        assert (position["evaluation"] is None) == board.is_over
    assert board.is_over
    assert found["is_over"]
    assert found["outcome"] == board.outcome
    assert {key: found[key] for key in found["positions"][-1]} == found["positions"][-1]


def _squares(board: Board) -> Iterator[str]:
    return (f"{'abcdefgh'[i % 8]}{i // 8 + 1}" for i in range(64) if (board.black | board.white) >> i & 1)


@pytest.mark.parametrize("name", ["all-2", "standard-heuristic", "iago", "all-rounder"])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_values_are_those_of_minimax(
    client: httpx.Client, ids: dict[str, int], name: str, depth: int
) -> None:
    player = named_player(name)
    assert isinstance(player, GreedyPlayer)
    moves = random_game(3, length=20)
    found = answer(client, moves="".join(moves), player=ids[name], values=1, depth=depth)
    board = Board.from_transcript("".join(moves)).settled()
    expected = dict(minimax_values(player, board, depth))
    assert found["depth"] == depth
    assert {one["square"]: one["value"] for one in found["values"]} == {
        str(square): pytest.approx(value, rel=1e-5, abs=1e-5) for square, value in expected.items()
    }
    values = [one["value"] for one in found["values"]]
    assert values == sorted(values, reverse=True)
    assert found["choice"]["value"] == pytest.approx(values[0])


def test_the_deepest_search_plays_the_last_squares_perfectly(
    client: httpx.Client, ids: dict[str, int]
) -> None:
    moves = random_game(5, length=51)
    found = answer(client, moves="".join(moves), player=ids["all-2"], values=1, depth=6)
    board = Board.from_transcript("".join(moves)).settled()
    exact = {str(move): _score_for(board.mover, board.play(move)) for move in board.legal_moves}
    assert {one["square"]: one["discs"] for one in found["values"]} == exact
    assert found["choice"]["discs"] == max(exact.values())


def _score_for(side: str, board: Board) -> int:
    """The disc difference at the end under perfect play, slowly."""
    board = board.settled()
    if board.is_over:
        return board.disc_difference if side == "black" else -board.disc_difference
    scores = [_score_for(side, board.play(move)) for move in board.legal_moves]
    return max(scores) if board.mover == side else min(scores)


def test_evaluations_do_not_depend_on_who_moved(client: httpx.Client, ids: dict[str, int]) -> None:
    """The start is the same for both sides, and swapped colours swap the sign."""
    assert answer(client, player=ids["all-2"])["evaluation"] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ({"moves": "a1"}, 422, "move 1 (a1) is not legal for black"),
        ({"moves": "f5d"}, 422, "two characters per move"),
        ({"moves": "f5x9"}, 422, "squares are a1 to h8"),
        ({"moves": "f5" * 500}, 422, "400 characters"),
        ({"moves": "".join(random_game(1)) + "a1"}, 422, "is not legal"),
        ({"moves": "f5", "player": "9999"}, 404, "no player 9999"),
        ({"player": "-1"}, 422, "player"),
        ({"player": "1", "depth": "7"}, 422, "depth"),
        ({"player": "1", "depth": "0"}, 422, "depth"),
        ({"values": "1"}, 422, "player=ID"),
        ({"player": "1", "moves": "<script>"}, 422, "squares are a1 to h8"),
    ],
)
def test_what_cannot_be_played_is_refused(
    client: httpx.Client, query: dict[str, str], status: int, said: str
) -> None:
    response = client.get("/api/v1/play", params=query)
    assert response.status_code == status
    assert list(response.json()) == ["error"]
    assert said in response.json()["error"]


@pytest.mark.parametrize("weight", [1e36, -1e36, 1e6, 2e4])
@pytest.mark.parametrize("depth", [1, 2, 6])
def test_values_beyond_all_measure_do_no_harm(weight: float, depth: int) -> None:
    """A search counts in numbers of four bytes, and a won game as a million."""
    game = Game.from_transcript("".join(random_game(2, length=50)))
    answer = play_response(
        game, GreedyPlayer(PieceCounter([weight] * 64), "negation"), depth, with_values=True
    )
    assert answer.choice is not None
    assert answer.choice.square in answer.legal
    assert {move.square for move in answer.values or []} == set(answer.legal)
    assert all(move.value is None or math.isfinite(move.value) for move in answer.values or [])


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


def test_a_game_by_mouse_is_shared_by_its_address(page_at: PageAt, ids: dict[str, int]) -> None:
    page = page_at(f"/play?player={ids['standard-heuristic']}&colour=black")
    chance = random.Random(1)
    page.wait_for_function(READY)
    while moves := playable(page):
        page.click(f'.cell[data-square="{chance.choice(moves)}"] .square')
        page.wait_for_function(READY)
    transcript = page.input_value("#transcript")
    board = Board.from_transcript(transcript)
    assert board.is_over
    assert squares(page) == board.text[:64]
    winner = {"black": "Black wins", "white": "White wins", "draw": "a draw", None: "?"}[board.outcome]
    assert winner in status(page)
    assert "Game over" in status(page)
    again = page_at(page.url)
    again.wait_for_function(READY)
    assert (again.input_value("#transcript"), squares(again)) == (transcript, squares(page))
    assert status(again) == status(page)[status(page).index("Game over") :]
    assert again.get_attribute("#graph", "aria-valuemax") == str(len(transcript) // 2)
    screenshot(again, "play-finished-desktop-light")


def test_a_game_by_keyboard_as_white(page_at: PageAt, ids: dict[str, int]) -> None:
    page = page_at(f"/play?player={ids['all-2']}&colour=white&depth=2")
    page.wait_for_function(READY)
    assert "Your turn: you are white" in status(page)
    page.locator('.cell[tabindex="0"]').focus()
    while moves := playable(page):
        go_to(page, moves[-1])
        label = page.evaluate("document.activeElement.getAttribute('aria-label')")
        assert label == f"{moves[-1]}, legal move"
        page.keyboard.press("Enter")
        page.wait_for_function(READY)
    board = Board.from_transcript(page.input_value("#transcript"))
    assert board.is_over
    assert squares(page) == board.text[:64]
    assert re.search(r"You won|all-2 won|a draw", status(page))
    assert page.locator('.cell[tabindex="0"]').count() == 1


def go_to(page: Any, square: str) -> None:
    here = page.evaluate("document.activeElement.dataset.square")
    for forward, back, steps in (
        ("ArrowRight", "ArrowLeft", ord(square[0]) - ord(here[0])),
        ("ArrowDown", "ArrowUp", int(square[1]) - int(here[1])),
    ):
        for _ in range(abs(steps)):
            page.keyboard.press(forward if steps > 0 else back)
    assert page.evaluate("document.activeElement.dataset.square") == square


def test_back_and_forth_in_a_game(page_at: PageAt, ids: dict[str, int]) -> None:
    moves = random_game(11, length=20)
    page = page_at(f"/play?player={ids['all-2']}&colour=black&moves={''.join(moves)}")
    page.wait_for_function(READY)
    boards = [Board.from_transcript("".join(moves[:count])) for count in range(21)]
    assert boards[20].mover == "black"
    page.click("#undo")
    page.click("#undo")
    page.wait_for_function(READY)
    assert squares(page) == boards[18].text[:64]
    assert "at=18" in page.url
    page.click("#redo")
    assert squares(page) == boards[19].text[:64]
    assert page.is_visible("#continue")  # the computer's turn in the past: it does not move by itself
    assert page.input_value("#transcript") == "".join(moves)
    page.click("#redo")
    assert page.is_disabled("#redo")
    page.click("#take-back")  # one's own last move and the answer to it
    assert squares(page) == boards[18].text[:64]
    page.click(f'.cell[data-square="{playable(page)[0]}"] .square')
    page.wait_for_function(READY)
    line = page.input_value("#transcript")
    assert line.startswith("".join(moves[:18]))
    assert squares(page) == Board.from_transcript(line).text[:64]
    page.click("#sides")
    page.wait_for_function(READY)
    assert page.input_value("#colour") == "white"
    assert "colour=white" in page.url
    assert len(page.input_value("#transcript")) > len(line)  # it moved for Black
    page.locator("#graph").focus()
    page.keyboard.press("Home")
    assert squares(page) == boards[0].text[:64]
    assert page.get_attribute("#graph", "aria-valuetext").startswith("start of the game")
    page.mouse.click(*middle_of(page, "#graph"))
    assert "at=" in page.url
    assert squares(page) != boards[0].text[:64]
    page.click("#new")
    page.wait_for_function(READY)
    assert "moves=" not in page.url or len(page.input_value("#transcript")) == 2
    page.go_back()
    page.wait_for_function("() => document.getElementById('transcript').value.length > 30")


def test_at_the_end_of_a_line_the_game_goes_on(page_at: PageAt, ids: dict[str, int]) -> None:
    moves = random_game(11, length=21)
    assert Board.from_transcript("".join(moves)).settled().mover == "white"
    page = page_at(f"/play?player={ids['all-2']}&colour=black&moves={''.join(moves)}&at=19")
    page.wait_for_function(READY)
    assert page.input_value("#transcript") == "".join(moves)
    page.click("#redo")
    page.click("#redo")
    page.wait_for_function(f"() => document.getElementById('transcript').value.length > {2 * len(moves)}")
    page.wait_for_function(READY)
    assert "Your turn" in status(page)


def middle_of(page: Any, selector: str) -> tuple[float, float]:
    box = page.locator(selector).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_values_lie_on_the_board_when_asked_for(
    page_at: PageAt, client: httpx.Client, ids: dict[str, int]
) -> None:
    moves = random_game(12, length=20)
    page = page_at(f"/play?player={ids['all-2']}&colour=both&moves={''.join(moves)}")
    page.wait_for_function(READY)
    assert page.locator(".cell.valued").count() == 0
    page.click("#values")
    page.wait_for_selector(".cell.valued")
    page.wait_for_function(READY)
    expected = answer(client, player=ids["all-2"], moves="".join(moves), values=1)["values"]
    assert page.locator(".cell.valued").count() == len(expected)
    best = page.locator(".cell.best-move")
    assert best.first.get_attribute("data-square") == expected[0]["square"]
    assert best.first.get_attribute("aria-label").endswith(", best")
    assert page.get_attribute("#values", "aria-pressed") == "true"
    assert "values=1" in page.url
    page.click("#values")
    page.wait_for_selector(".cell.valued", state="detached")


def test_a_pass_is_announced(page_at: PageAt, ids: dict[str, int]) -> None:
    moves, move, side = forced_pass()
    page = page_at(f"/play?player={ids['all-2']}&colour=both&moves={''.join(moves)}")
    page.wait_for_function(READY)
    page.click(f'.cell[data-square="{move}"] .square')
    page.wait_for_function(READY)
    assert f"{side.capitalize()} has no move: pass." in status(page)
    assert page.get_attribute("#status", "aria-live") == "polite"


def test_a_wrong_address_says_so_and_begins_a_game(page_at: PageAt) -> None:
    page = page_at("/play?player=9999&moves=a1a2&colour=pink&depth=77&at=-1")
    page.wait_for_function(READY)
    page.wait_for_selector("#error:not([hidden])")
    assert "move 1 (a1) is not legal" in page.text_content("#error-text")
    assert squares(page) == Board().text[:64]
    assert page_at.complaints
    page_at.complaints.clear()  # the browser notes the refusal


@pytest.mark.parametrize("size", ["phone", "desktop"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits(page_at: PageAt, ids: dict[str, int], size: Any, scheme: Any) -> None:
    moves = "".join(random_game(4, length=28))
    page = page_at(
        f"/play?player={ids['all-rounder']}&depth=2&values=1&colour=both&moves={moves}", size, scheme
    )
    page.wait_for_selector(".cell.valued")
    page.wait_for_function(READY)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("#graph .name").all_text_contents() == ["Move", "Disc difference", "Evaluation"]
    if size == "phone":
        page.tap(f'.cell[data-square="{playable(page)[0]}"] .square')
        page.wait_for_function(READY)
        assert len(page.input_value("#transcript")) == len(moves) + 2
    screenshot(page, f"play-{size}-{scheme}")
