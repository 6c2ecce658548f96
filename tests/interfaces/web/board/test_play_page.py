"""Games at the board in Chromium: whole games by mouse, touch and keyboard, levels, hints, clock, results."""

from __future__ import annotations

import random
import re
from typing import Any

import httpx
import pytest

from outflank import Board
from tests.interfaces.web.board.conftest import (
    READY,
    click_square,
    moves_shown,
    playable,
    random_game,
    squares,
    status,
)
from tests.interfaces.web.conftest import PageAt, screenshot

OVER = "() => document.getElementById('status').textContent.includes('Game over')"


def game_in(page: Any) -> str:
    """The moves in the address, without variations."""
    found = re.search(r"[#&]game=([a-h1-8]*)", page.url)
    return found[1] if found else ""


def start(page: Any, black: str, white: str, minutes: str = "0", strength: str | None = None) -> None:
    page.click("#new")
    page.select_option("#black-by", black)
    page.select_option("#white-by", white)
    page.select_option("#minutes", minutes)
    if strength is not None:
        page.select_option("#strength", strength)
    page.get_by_role("button", name="Start", exact=True).click()


def forced_pass() -> tuple[list[str], str, str]:
    """A game, a move after which the other side has to pass, and which side that is."""
    for seed in range(1000):
        board = Board()
        for number, move in enumerate(moves := random_game(seed)):
            board = board.settled().play(move)
            if board.settled() != board and not board.is_over:
                return moves[:number], move, board.mover
    raise AssertionError("no game with a pass")


def test_the_first_visit_is_a_game_at_a_fair_level(page_at: PageAt) -> None:
    page = page_at("/play")
    page.wait_for_function(READY)
    assert status(page) == "Your turn: you are black."
    assert page.text_content("#white-name") == "Level 3"
    assert page.is_checked("#sound") is False
    page.click("#new")
    options = page.eval_on_selector_all(
        "#white-by optgroup[label=Levels] option", "all => all.map(one => one.value)"
    )
    assert options == [f"level-{number}" for number in range(1, 11)]
    players = page.eval_on_selector_all(
        "#white-by optgroup[label=Players] option", "all => all.map(one => one.textContent)"
    )
    assert any(name.startswith("corners") for name in players)
    assert not any(name.startswith("fails") for name in players)
    page.keyboard.press("Escape")
    assert not page.is_visible("#new-dialog")


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_the_board_is_above_the_fold(page_at: PageAt, size: Any) -> None:
    """All that a move needs is seen at once at 1280 x 800 and 360 x 640."""
    page = page_at("/play", size)
    page.set_viewport_size(
        {"width": 360, "height": 640} if size == "phone" else {"width": 1280, "height": 800}
    )
    page.wait_for_function(READY)
    bottom = 640 if size == "phone" else 800
    for part in (".sides", "#board", "#status", "#hint", "#new"):
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] <= bottom, part
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("#board svg").bounding_box()["width"] >= (320 if size == "phone" else 480)


def test_a_whole_game_by_mouse(page_at: PageAt) -> None:
    page = page_at("/play#black=you&white=level-2")
    chance = random.Random(1)
    page.wait_for_function(READY)
    while moves := playable(page):
        click_square(page, chance.choice(moves))
        page.wait_for_function(READY)
    page.locator("#result-dialog").wait_for()
    board = Board.from_transcript(game_in(page))
    assert board.is_over
    assert squares(page) == board.text[:64]
    winner = {"black": "You won", "white": "Level 2 won", "draw": "a draw", None: "?"}[board.outcome]
    assert winner in page.text_content("#result-dialog")
    discs = sorted((board.black.bit_count(), board.white.bit_count()), reverse=True)
    assert f"{discs[0]} to {discs[1]}" in page.text_content("#result-text")
    screenshot(page, "play-result-desktop-light")
    page.get_by_role("button", name="Close").click()
    again = page_at(page.url)  # the link is the game
    again.wait_for_function(READY)
    assert (game_in(again), squares(again)) == (game_in(page), squares(page))
    assert not again.is_visible("#result-dialog")
    assert again.get_attribute("#graph", "aria-valuemax") == str(len(game_in(page)) // 2)


def test_a_whole_game_by_keyboard_as_white(page_at: PageAt) -> None:
    page = page_at("/play")
    page.wait_for_function(READY)
    page.locator("#new").focus()
    page.keyboard.press("Enter")
    page.locator("#swap").focus()
    page.keyboard.press("Enter")
    assert page.input_value("#white-by") == "you"
    page.get_by_role("button", name="Start", exact=True).focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => location.hash.includes('game=')")
    page.wait_for_function(READY)
    assert "Your turn: you are white" in status(page)
    page.locator('.cell[tabindex="0"]').focus()
    while moves := playable(page):
        go_to(page, moves[-1])
        label = page.evaluate("document.activeElement.getAttribute('aria-label')")
        assert label == f"{moves[-1]}, legal move"
        page.keyboard.press("Enter")
        page.wait_for_function(READY)
        assert page.locator('.cell[tabindex="0"]').count() == 1
    page.locator("#result-dialog").wait_for()
    board = Board.from_transcript(game_in(page))
    assert board.is_over
    assert squares(page) == board.text[:64]
    assert page.evaluate("document.activeElement.closest('dialog')?.id") == "result-dialog"


def go_to(page: Any, square: str) -> None:
    here = page.evaluate("document.activeElement.dataset.square")
    for forward, back, steps in (
        ("ArrowRight", "ArrowLeft", ord(square[0]) - ord(here[0])),
        ("ArrowDown", "ArrowUp", int(square[1]) - int(here[1])),
    ):
        for _ in range(abs(steps)):
            page.keyboard.press(forward if steps > 0 else back)
    assert page.evaluate("document.activeElement.dataset.square") == square


@pytest.mark.parametrize("level", range(1, 11))
def test_every_level_moves(page_at: PageAt, level: int) -> None:
    moves = random_game(21, length=45)
    white = Board.from_transcript("".join(moves)).settled().mover == "black"
    mine, theirs = ("black", "white") if not white else ("white", "black")
    page = page_at(f"/play#{mine}=you&{theirs}=level-{level}&game={''.join(moves)}")
    page.wait_for_function(
        f"() => location.hash.includes('{''.join(moves)}') && /game=[a-h1-8]{{92}}/.test(location.hash)"
    )
    board = Board.from_transcript(game_in(page))  # legal
    assert f"Level {level}" in page.text_content("#game")
    assert len(game_in(page)) >= 92
    assert board.discs >= 50


def test_a_tablet_shows_a_large_board_and_a_phone_every_tab(page_at: PageAt) -> None:
    page = page_at("/play")
    page.wait_for_function(READY)
    page.set_viewport_size({"width": 820, "height": 1180})
    board = page.locator("#board svg").bounding_box()
    assert board["width"] > 0.85 * 820
    page.set_viewport_size({"width": 360, "height": 640})
    tabs = page.locator(".tabs")
    assert tabs.evaluate("(all) => all.scrollWidth <= all.clientWidth")


@pytest.mark.parametrize(("width", "height"), [(360, 640), (820, 1180), (740, 360)])
def test_the_board_stays_in_sight_while_one_reads(page_at: PageAt, width: int, height: int) -> None:
    """On phones and tablets: the board is whole on the screen at the last move of the list, and nothing peeks
    out beside it. A phone on its side has the board at the left."""
    page = page_at(f"/play#black=you&white=you&game={''.join(random_game(4))}", "phone")
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function(READY)
    page.locator("#moves").evaluate("(list) => list.scrollIntoView({ block: 'end' })")
    page.wait_for_function("() => scrollY > 0")
    box = page.locator("#board svg").bounding_box()
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= height
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    at = f"document.elementFromPoint(5, {box['y'] + box['height'] / 2})"
    assert page.evaluate(f"{at}.closest('.panels')") is None
    page.locator("#moves .move").nth(30).click()
    assert squares(page) == Board.from_transcript("".join(random_game(4)[:31])).text[:64]


def test_players_of_the_league_play_as_deep_as_is_chosen(page_at: PageAt, league_server: str) -> None:
    rows = httpx.get(f"{league_server}/api/v1/players", params={"limit": 1000}).json()["players"]
    chosen = next(row["id"] for row in rows if row["name"] == "corners")
    page = page_at(f"/play?player={chosen}")  # as the player's own page links here
    page.wait_for_function(READY)
    assert page.text_content("#white-name") == "corners"
    page.click("#new")
    assert page.is_visible("#strength-field")
    page.select_option("#white-by", "level-3")
    assert page.is_hidden("#strength-field")  # a level has its own
    page.select_option("#white-by", f"player-{chosen}")
    page.select_option("#strength", "4")
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_function(READY)
    click_square(page, "f5")
    page.wait_for_function("() => /game=f5../.test(location.hash)")
    assert f"white=player-{chosen}" in page.url
    assert "depth=4" in page.url


def test_a_hint_and_values_are_in_discs(page_at: PageAt) -> None:
    moves = "".join(random_game(12, length=20))
    page = page_at(f"/play#black=you&white=you&game={moves}")
    page.wait_for_function(READY)
    page.click("#hint")
    page.wait_for_selector(".cell.hinted")
    hinted = page.get_attribute(".cell.hinted", "data-square")
    assert re.search(rf"Hint: {hinted}, [+\u2212]?[\d.]+ discs for (black|white)\.", status(page))
    assert hinted in playable(page)
    page.click("#values")
    page.wait_for_selector(".cell.valued")
    assert page.locator(".cell.valued").count() == len(playable(page))
    best = page.locator(".cell.best-move").first
    assert best.get_attribute("aria-label").endswith("discs, best")
    texts = page.locator(".cell.valued .value").all_text_contents()
    assert all(re.fullmatch(r"0\.0|[+\u2212][\d.]+", text) for text in texts)
    assert all(abs(float(text.replace("\u2212", "-"))) <= 64 for text in texts)
    assert "values=1" in page.url
    page.click("#values")
    page.wait_for_selector(".cell.valued", state="detached")


def test_the_last_squares_are_solved(page_at: PageAt) -> None:
    moves = random_game(5, length=52)
    board = Board.from_transcript("".join(moves)).settled()
    page = page_at(f"/play#black=you&white=you&values=1&game={''.join(moves)}")
    page.wait_for_selector(".cell.valued")
    shown = {
        cell.get_attribute("data-square"): int(cell.locator(".value").text_content().replace("\u2212", "-"))
        for cell in page.locator(".cell.valued").all()
    }
    assert shown == {str(move): _score_for(board.mover, board.play(move)) for move in board.legal_moves}


def _score_for(side: str, board: Board) -> int:
    """The result under perfect play, slowly; empty squares go to the winner."""
    board = board.settled()
    if board.is_over:
        difference = board.disc_difference
        whole = difference + (64 - board.discs) * ((difference > 0) - (difference < 0))
        return whole if side == "black" else -whole
    scores = [_score_for(side, board.play(move)) for move in board.legal_moves]
    return max(scores) if board.mover == side else min(scores)


def test_taking_back_branches_and_loses_nothing(page_at: PageAt) -> None:
    page = page_at("/play#black=you&white=level-2&game=f5d6c3d3")
    page.wait_for_function(READY)
    boards = [Board.from_transcript("f5d6c3d3"[:count]) for count in (0, 2, 4, 6, 8)]
    page.click("#take-back")
    assert squares(page) == boards[2].text[:64]
    click_square(page, "c4")
    page.wait_for_function(READY)
    page.wait_for_function("() => /game=f5d6c3\\(c4../.test(location.hash)")
    assert moves_shown(page)[:4] == ["f5", "d6", "c3", "c4"]  # c4 is a variation of c3
    assert "d3" in moves_shown(page)
    page.click("#first")
    assert squares(page) == boards[0].text[:64]
    page.click("#forward")
    page.click("#forward")
    page.click("#forward")
    assert squares(page) == Board.from_transcript("f5d6c4").text[:64]  # the line one came from
    page.click("#back")
    page.locator('#moves [aria-label^="move 3, black c3"]').click()
    assert squares(page) == boards[3].text[:64]
    page.keyboard.press("ArrowDown")  # to the variation
    assert squares(page) == Board.from_transcript("f5d6c4").text[:64]
    page.keyboard.press("Home")
    assert squares(page) == boards[0].text[:64]
    again = page_at(page.url)
    again.wait_for_function(READY)
    assert moves_shown(again) == moves_shown(page)


def test_a_variation_becomes_the_main_line_or_goes(page_at: PageAt) -> None:
    page = page_at("/play#black=you&white=you&game=f5d6c3(c4d3)d3c4&at=f5d6c4")
    page.wait_for_function(READY)
    page.get_by_role("button", name="Make it the main line").click()
    assert "game=f5d6c4(c3d3c4)d3" in page.url
    assert squares(page) == Board.from_transcript("f5d6c4").text[:64]
    assert not page.is_visible("#variation")
    page.locator('#moves [aria-label^="move 4, white d3"]').first.click()
    assert squares(page) == Board.from_transcript("f5d6c3d3").text[:64]
    page.get_by_role("button", name="Delete the variation").click()
    assert moves_shown(page) == ["f5", "d6", "c4", "d3"]
    assert squares(page) == Board.from_transcript("f5d6").text[:64]
    assert not page.is_visible("#variation")


def test_the_engine_goes_on_when_asked(page_at: PageAt) -> None:
    page = page_at("/play#black=you&white=level-2&game=f5d6c3d3c4f4&at=f5d6c3")
    page.wait_for_function(READY)
    assert squares(page) == Board.from_transcript("f5d6c3").text[:64]
    assert "Level 2 to move" in status(page)
    page.click("#play-on")
    page.wait_for_function("() => document.getElementById('status').textContent.includes('Your turn')")
    assert moves_shown(page)[:3] == ["f5", "d6", "c3"]


def test_two_players_are_watched(page_at: PageAt) -> None:
    page = page_at("/play")
    page.wait_for_function(READY)
    start(page, "level-1", "level-2")
    page.wait_for_function("() => /game=.{16}/.test(location.hash)")
    page.click("#pause")
    page.wait_for_function(READY)
    stopped = game_in(page)
    assert page.get_attribute("#pause", "aria-pressed") == "true"
    page.wait_for_timeout(400)
    assert game_in(page) == stopped
    page.click("#pause")
    page.locator("#result-dialog").wait_for()
    assert Board.from_transcript(game_in(page)).is_over


def test_watching_goes_on_from_an_earlier_position(page_at: PageAt) -> None:
    page = page_at("/play")
    page.wait_for_function(READY)
    start(page, "level-1", "level-1")
    page.wait_for_function("() => /game=.{12}/.test(location.hash)")
    page.click("#first")
    page.wait_for_function(READY)
    played = moves_shown(page)
    assert not page.is_visible("#pause")  # nothing runs
    page.click("#play-on")
    page.locator("#result-dialog").wait_for()
    assert set(played) <= set(moves_shown(page))  # a branch, or the same line
    assert "at=" not in page.url or Board.from_transcript(page.url.split("at=")[1]).is_over


def test_the_clock_stands_while_one_looks_back_or_pauses(page_at: PageAt) -> None:
    page = page_at("/play")
    page.wait_for_function(READY)
    page.clock.install()
    page.reload()
    page.clock.run_for(1000)
    start(page, "you", "you", minutes="1")
    click_square(page, "f5")
    page.click("#back")
    page.clock.run_for(10_000)
    assert page.text_content("#white-time") == "1:00"
    page.click("#forward")
    page.clock.run_for(20_500)
    assert page.text_content("#white-time") in ("0:39", "0:40")  # it runs again
    page.goto("/play#black=level-1&white=level-2")
    page.reload()
    start(page, "level-1", "level-2", minutes="1")
    while "game=" not in page.url:  # the players move by the page's clock, the engine thinks by its own
        page.clock.run_for(100)
        page.wait_for_timeout(20)
    page.click("#pause")
    before = page.text_content("#black-time"), page.text_content("#white-time")
    page.clock.run_for(90_000)
    assert (page.text_content("#black-time"), page.text_content("#white-time")) == before
    assert "ran out of time" not in status(page)


def test_a_game_lost_on_time_can_be_tried_again(page_at: PageAt) -> None:
    page = page_at("/play")
    page.wait_for_function(READY)
    page.clock.install()
    page.reload()
    page.clock.run_for(1000)
    start(page, "you", "you", minutes="1")
    click_square(page, "f5")
    page.clock.run_for(62_000)
    assert "White ran out of time" in status(page)
    page.get_by_role("button", name="Close").click()
    page.click("#back")
    click_square(page, "d3")
    page.clock.run_for(62_000)
    assert moves_shown(page) == ["f5", "d3"]
    assert status(page).endswith("White to move.")  # without a clock


def test_a_clock_runs_for_the_side_to_move(page_at: PageAt) -> None:
    page = page_at("/play")
    page.wait_for_function(READY)
    page.clock.install()
    page.reload()
    page.clock.run_for(1000)
    start(page, "you", "you", minutes="1")
    assert (page.text_content("#black-time"), page.text_content("#white-time")) == ("1:00", "1:00")
    click_square(page, "f5")
    page.clock.run_for(20_500)
    assert page.text_content("#black-time") == "1:00"
    assert page.text_content("#white-time") in ("0:39", "0:40")
    page.clock.run_for(41_000)
    assert "White ran out of time" in status(page)
    page.clock.run_for(1000)
    assert "Black wins" in page.text_content("#result-title")


def test_a_pass_is_announced(page_at: PageAt) -> None:
    moves, move, side = forced_pass()
    page = page_at(f"/play#black=you&white=you&game={''.join(moves)}")
    page.wait_for_function(READY)
    click_square(page, move)
    assert f"{side.capitalize()} has no move: pass." in status(page)
    assert page.get_attribute("#status", "aria-live") == "polite"


def test_moves_that_are_not_legal_are_refused(page_at: PageAt) -> None:
    page = page_at("/play#black=you&white=you")
    page.wait_for_function(READY)
    click_square(page, "a1")
    assert status(page).startswith("a1 is not a legal move.")
    assert game_in(page) == ""


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("/play#game=a1a2", "move 1 (a1) is not legal"),
        ("/play#game=f5d6(f4", "parenthesis is not closed"),
        ("/play#black=you&white=player-9999", "not here"),
        ("/play?player=9999&moves=f5&colour=pink&depth=77&at=-1", "not here"),
        ("/play#start=xyz", "64 squares"),
    ],
)
def test_a_damaged_link_says_so_and_begins_a_game(page_at: PageAt, address: str, sentence: str) -> None:
    page = page_at(address)
    page.wait_for_selector("#error:not([hidden])")
    assert sentence in page.text_content("#error")
    assert playable(page) or "is thinking" in status(page)
    if "moves=f5" in address:
        page.wait_for_function("() => /game=f5[a-h][1-8]/.test(location.hash)")
        assert sentence in page.text_content("#error")  # the reply leaves it


def test_a_link_may_name_one_side(page_at: PageAt) -> None:
    for address, black, white in (
        ("#white=level-5", "You", "Level 5"),
        ("#black=level-1", "Level 1", "You"),
        ("#white=you", "Level 3", "You"),
    ):
        page = page_at(f"/play{address}")
        page.wait_for_function("() => document.getElementById('status').textContent.includes('Your turn')")
        assert (page.text_content("#black-name"), page.text_content("#white-name")) == (black, white)
        assert not page.is_visible("#error")


def test_back_returns_to_the_game_before(page_at: PageAt) -> None:
    page = page_at("/play#black=you&white=you&game=f5d6c3")
    page.wait_for_function(READY)
    start(page, "you", "you")
    assert game_in(page) == ""
    page.go_back()
    page.wait_for_function("() => location.hash.includes('f5d6c3')")
    assert squares(page) == Board.from_transcript("f5d6c3").text[:64]
    page.go_forward()
    page.wait_for_function("() => !location.hash.includes('f5d6c3')")
    assert squares(page) == Board().text[:64]


def test_the_game_goes_on_without_the_server(page_at: PageAt) -> None:
    """Once loaded, nothing is asked of the server: the page thinks by itself."""
    page = page_at("/play#black=you&white=level-3")
    page.wait_for_function(READY)
    click_square(page, "f5")
    page.wait_for_function("() => document.getElementById('status').textContent.includes('Your turn')")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.context.set_offline(True)
    for _ in range(4):
        click_square(page, playable(page)[0])
        page.wait_for_function("() => document.getElementById('status').textContent.includes('Your turn')")
    assert [url for url in asked if "icon.svg" not in url] == []  # that one is cached
    page.context.set_offline(False)


def test_motion_is_for_those_who_want_it(page_at: PageAt) -> None:
    page = page_at("/play#black=you&white=you")
    page.wait_for_function(READY)
    animation = "() => getComputedStyle(document.querySelector('.cell.turned .disc')).animationName"
    click_square(page, "f5")
    assert page.evaluate(animation) == "none"
    page.emulate_media(reduced_motion="no-preference")
    click_square(page, "d6")
    assert page.evaluate(animation) == "turn"
