"""Study at the board in Chromium: review, explanations, the book, files, pictures, set-up positions."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest

from outflank import Board, Game, named_player
from outflank.games.formats.any_format import write_games
from outflank.games.game import GameRecord
from outflank.players.opening_book import OpeningBook
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

REVIEWED = (
    "() => !document.getElementById('review-result').hidden"
    " && document.getElementById('review-progress').hidden"
)


def test_a_game_is_reviewed(page_at: PageAt) -> None:
    moves = random_game(4)
    page = page_at(f"/play#black=you&white=level-2&game={''.join(moves)}")
    page.wait_for_function(READY)
    page.click("#review")
    page.wait_for_function(REVIEWED)
    marks = page.eval_on_selector_all("#moves .sign", "all => all.map(one => one.textContent)")
    assert page.locator("#moves .move").first.locator(".sign").count() == 0  # all first moves are alike
    assert set(marks) <= {"?!", "?", "??"}
    assert len(marks) > 10  # random moves
    assert page.locator("#graph .mistake").count() == len(marks)
    mine = page.locator(".mistakes li")
    assert all("You gave away" in text for text in mine.all_text_contents())
    ply, move, better = re.match(
        r"(\d+)\. (..)\S* You gave away .* discs; (..) was better", mine.first.inner_text()
    ).groups()  # type: ignore[union-attr]
    assert moves[int(ply) - 1] == move != better
    last = page.evaluate("() => document.getElementById('graph').getAttribute('aria-valuetext')")
    result = Board.from_transcript("".join(moves)).disc_difference
    assert f"{abs(result)} discs for Black" in last
    screenshot(page, "play-review-desktop-light")
    mine.first.get_by_role("button", name="Better:").click()
    assert move in moves_shown(page)  # the variation is kept beside the game
    assert squares(page) == Board.from_transcript("".join(moves[: int(ply) - 1]) + better).text[:64]
    mine.first.get_by_role("button", name="Try again from here").click()
    assert squares(page) == Board.from_transcript("".join(moves[: int(ply) - 1])).text[:64]
    assert status(page).startswith("Try another move.")
    other = next(one for one in playable(page) if one not in (move, better))
    click_square(page, other)
    page.wait_for_function("() => document.getElementById('status').textContent.includes('Your turn')")
    assert {move, better, other} <= set(moves_shown(page))


def test_a_game_of_others_is_reviewed_for_both_sides(page_at: PageAt) -> None:
    """Neither side of a pasted game is "You", and its winner is no level."""
    page = page_at("/play")
    page.wait_for_function(READY)
    page.click("#tab-files")
    page.fill("#paste", "".join(random_game(4)))
    page.click("#paste-form button.main")
    page.click("#tab-game")
    assert page.is_checked("#both")
    assert re.fullmatch(r"Game over: \w+ wins \d+ to \d+\.", status(page))
    page.click("#review")
    page.wait_for_function(REVIEWED)
    whose = [text.split(" ")[2] for text in page.locator(".mistakes .plain").all_text_contents()]
    assert set(whose) == {"Black", "White"}


def test_the_review_of_solved_moves_is_exact(page_at: PageAt) -> None:
    """Where the coach solves, a mistake costs exactly what perfect play says."""
    moves = random_game(8)
    page = page_at(f"/play#black=you&white=you&game={''.join(moves)}")
    page.wait_for_function(READY)
    page.click("#review")
    page.wait_for_function(REVIEWED)
    solver = named_player("all-rounder,depth=1,solve=14")
    for ply in range(51, len(moves)):
        board = Board.from_transcript("".join(moves[:ply])).settled()
        after = board.play(moves[ply]).settled()
        if after.is_over:
            continue
        before = solver.analyze(board).value_for_mover  # type: ignore[union-attr]
        reply = solver.analyze(after).value_for_mover  # type: ignore[union-attr]
        loss = before - (reply if after.mover == board.mover else -reply)
        label = page.locator(f'#moves [aria-label^="move {ply + 1}, "]').get_attribute("aria-label")
        told = re.search(r"gives away (\d+) discs", label)
        assert (int(told[1]) if told else 0) == (loss if loss >= 2 else 0)


def test_the_review_of_a_finished_game_is_in_sight_on_a_phone(page_at: PageAt) -> None:
    moves = next(game for game in map(random_game, range(99)) if len(game) == 60)
    page = page_at(f"/play#black=you&white=you&game={''.join(moves[:59])}", "phone")
    page.set_viewport_size({"width": 360, "height": 640})
    page.wait_for_function(READY)
    click_square(page, moves[59])
    page.locator("#result-dialog").get_by_role("button", name="Review the game").click()
    page.wait_for_function(REVIEWED)
    assert 0 < page.locator("#graph").bounding_box()["y"] < 640
    page.click("#first")
    page.locator("#moves .sign").first.click()
    found = page.locator("#moves [aria-current]").get_attribute("aria-label")
    assert found.split(", ", 2)[2] in status(page)  # what the review says of the move


def test_a_review_is_stopped(page_at: PageAt) -> None:
    page = page_at(f"/play#black=you&white=you&game={''.join(random_game(9))}")
    page.wait_for_function(READY)
    stopped = """
    () => new Promise((done) => {
      const [button, bar] = ['review', 'review-progress'].map((id) => document.getElementById(id));
      const look = () => {
        if (bar.value > 0) { done(button.textContent); button.click(); } else setTimeout(look, 1);
      };
      button.click();
      look();
    })"""
    assert page.evaluate(stopped) == "Stop the review"
    page.wait_for_function("() => document.getElementById('review').textContent === 'Review the game'")
    assert not page.is_visible("#review-progress")
    assert not page.is_visible("#review-result")


def test_tables_explain_a_choice(page_at: PageAt) -> None:
    """The differences of the tables add up to the difference of the two moves at one ply."""
    moves = random_game(3, length=24)
    board = Board.from_transcript("".join(moves)).settled()
    page = page_at(f"/play#black=you&white=you&game={''.join(moves)}")
    page.wait_for_function(READY)
    page.click("#tab-explain")
    page.wait_for_selector(".reasons li")
    first, second = page.input_value("#explain-a"), page.input_value("#explain-b")
    assert first != second
    assert {first, second} <= {str(move) for move in board.legal_moves}
    said = page.text_content("#explain-status")
    better = re.search(r"prefers (..) to (..) by ([\d.]+) discs", said)
    values = {str(square): value for square, value in named_player("all-rounder").judge(board)}  # type: ignore[union-attr]
    assert better is not None
    assert values[better[1]] >= values[better[2]]
    assert page.locator(".reasons figure svg[role=img]").count() >= 4
    page.locator(".reasons .light").first.click()
    assert page.locator(".cell.shining").count() == len(
        page.locator(".reasons .light").first.inner_text().split("from ")[1].split()
    )
    page.select_option("#explain-b", first)
    page.wait_for_function(
        "() => document.getElementById('explain-status').textContent.includes('two different')"
    )
    page.select_option("#explain-player", "standard-heuristic")
    page.select_option("#explain-b", second)
    page.wait_for_selector(".reasons li")
    page.select_option("#explain-player", "iago")
    page.wait_for_function(
        "() => document.getElementById('explain-status').textContent.includes('no tables')"
    )


def test_every_table_shows_its_best_and_worst(page_at: PageAt) -> None:
    page = page_at("/play#black=you&white=you")
    page.wait_for_function(READY)
    page.click("#tab-explain")
    groups = page.eval_on_selector_all("#explain-player optgroup", "all => all.map(one => one.label)")
    assert groups == ["Players", "Built in"]  # which may have the same names
    page.select_option("#explain-player", value="all-2")
    page.click("#show-tables")
    page.get_by_role("button", name="Show all 32 tables").click()
    assert page.locator(".tables li").count() == 32
    first = page.locator(".tables li").first
    values = [
        float(text.split()[1].replace("\u2212", "-"))
        for text in first.locator("figcaption").all_text_contents()
    ]
    assert values[0] >= values[1] > values[3] >= values[2]
    assert not page.is_visible("#tables-stage")
    page.select_option("#explain-player", "all-rounder")
    page.click("#show-tables")
    page.wait_for_selector("#tables-stage", state="visible")
    page.get_by_role("button", name="Show all 23 tables").click()
    assert page.locator(".tables li").count() == 23
    assert page.locator("#tables-stage option").count() == 20
    page.select_option("#tables-stage", "3")
    page.get_by_role("button", name="Show all 23 tables").wait_for()


def test_the_book_is_explored(page_at: PageAt) -> None:
    page = page_at("/play#black=you&white=you")
    page.wait_for_function(READY)
    page.click("#tab-book")
    book = OpeningBook.open("default")
    line = ""
    for _ in range(4):
        page.wait_for_selector("#book tbody tr")
        known = [(str(move.square), move.value_for_mover) for move in book.moves(Board.from_transcript(line))]
        shown = page.locator("#book tbody tr")
        assert sorted(shown.locator("th").all_text_contents()) == sorted(move for move, _ in known)
        values = [
            float(text.replace("\u2212", "-"))
            for text in shown.locator("td:nth-child(2)").all_text_contents()
        ]
        assert values == pytest.approx(sorted((value for _, value in known), reverse=True), abs=0.06)
        line += shown.first.locator("th").inner_text()
        before = page.text_content("#book")
        shown.first.locator("button").click()
        page.wait_for_function(
            "(before) => document.getElementById('book').textContent !== before", arg=before
        )
    assert squares(page) == Board.from_transcript(line).text[:64]
    page.goto(f"/play#black=you&white=you&game={''.join(random_game(2, 40))}")
    page.reload()
    page.click("#tab-book")
    page.get_by_text("This position is not in the book.").wait_for()


def test_games_are_pasted_and_opened(page_at: PageAt, tmp_path: Path) -> None:
    page = page_at("/play#black=you&white=you")
    page.wait_for_function(READY)
    page.click("#tab-files")
    page.fill("#paste", "1. F5 d6 2. C3 d3\n3. C4")
    page.get_by_role("button", name="Open the text").click()
    assert squares(page) == Board.from_transcript("f5d6c3d3c4").text[:64]
    assert page.input_value("#transcript") == "f5d6c3d3c4"
    page.fill("#paste", "f5d6a1")
    page.get_by_role("button", name="Open the text").click()
    assert "move 3 (a1) is not legal for black" in page.text_content("#open-message")
    games = [Game.from_transcript("".join(random_game(seed))) for seed in range(5)]
    for ending in ("wtb", "ggf", "sgf", "txt"):
        path = tmp_path / f"games.{ending}"
        write_games([GameRecord(game, black="Ada", white="Grace") for game in games], path)
        page.set_input_files("#file", path)
        page.wait_for_function(
            "(count) => document.querySelectorAll('#games option').length === count", arg=len(games)
        )
        page.select_option("#games", "3")
        assert page.input_value("#transcript") == games[3].transcript
        assert squares(page) == games[3].final.text[:64]
        page.select_option("#games", "0")
        assert "5 games were found" in page.text_content("#open-message")
    page.set_input_files("#file", {"name": "bad.wtb", "mimeType": "text/plain", "buffer": b"\xff" * 99})
    page.wait_for_selector("#open-message.error")
    board = Board.from_transcript("".join(random_game(6, 30))).settled()
    page.fill("#paste", board.text)
    page.get_by_role("button", name="Open the text").click()
    assert squares(page) == board.text[:64]
    assert f"{board.mover.capitalize()} to move" in status(page)
    assert "start=" in page.url


def test_a_game_is_found_among_thousands(page_at: PageAt, tmp_path: Path) -> None:
    """By the names of its players, which WTHOR keeps in a file of its own."""
    games = [Game.from_transcript("".join(random_game(seed % 7))) for seed in range(2500)]
    records = [GameRecord(game, black="Ada", white=f"G{i % 500}") for i, game in enumerate(games)]
    write_games(records, path := tmp_path / "games.wtb")
    page = page_at("/play#black=you&white=you")
    page.wait_for_function(READY)
    page.click("#tab-files")
    page.set_input_files("#file", path.with_suffix(".jou"))
    page.get_by_text(re.compile(r"50\d names of players were read")).wait_for()
    page.set_input_files("#file", path)
    page.get_by_text("The first 2,000 of 2,500 are listed").wait_for()
    page.fill("#find", "ada  g499")
    page.get_by_text("5 of 2,500 games.").wait_for()
    shown = page.locator("#games option").all_text_contents()
    assert [int(text.split(".")[0]) for text in shown] == [500, 1000, 1500, 2000, 2500]
    page.select_option("#games", "2499")
    assert page.input_value("#transcript") == games[2499].transcript
    page.set_input_files("#file", [path, path.with_suffix(".jou")])
    page.wait_for_function("() => document.getElementById('find').value === ''")
    page.fill("#find", "nobody")
    page.get_by_text("0 of 2,500 games.").wait_for()


def test_a_position_is_set_up_and_played(page_at: PageAt) -> None:
    page = page_at("/play#black=you&white=level-2")
    page.wait_for_function(READY)
    page.click("#tab-editor")
    page.click("#edit-clear")
    assert squares(page) == "-" * 64
    page.click("#edit-done")
    assert "Nobody has a move" in page.text_content("#edit-message")
    for square in ("c3", "d3"):
        click_square(page, square)
    page.click("[data-brush='O']")
    for square in ("e3", "d4", "d4", "c4"):
        click_square(page, square)
    page.click("[data-mover='white']")
    assert "2 black and 2 white discs" in page.text_content("#edit-message")
    page.click("[data-mover='black']")
    page.click("#edit-done")
    assert squares(page) == Board("-" * 16 + "--XXO---" + "--O-----" + "-" * 32 + "X").text[:64]
    assert sorted(playable(page)) == ["b5", "c5", "f3"]
    click_square(page, "f3")
    page.wait_for_function(READY)
    again = page_at(page.url)
    again.wait_for_function(READY)
    assert squares(again) == squares(page)


def test_the_position_is_shared_as_picture(page_at: PageAt, tmp_path: Path) -> None:
    moves = "".join(random_game(10, 20))
    page = page_at(f"/play#black=you&white=you&game={moves}")
    page.wait_for_function(READY)
    page.click("#tab-files")
    with page.expect_download() as drawn:
        page.get_by_role("button", name="Picture (SVG)").click()
    drawn.value.save_as(tmp_path / "board.svg")
    text = (tmp_path / "board.svg").read_text()
    assert text.startswith("<svg")
    board = Board.from_transcript(moves)
    assert text.count("<circle") == board.discs + 1  # and the last move
    with page.expect_download() as painted:
        page.get_by_role("button", name="Picture (PNG)").click()
    painted.value.save_as(tmp_path / "board.png")
    assert (tmp_path / "board.png").read_bytes().startswith(b"\x89PNG")
    page.get_by_role("button", name="Copy transcript").click()
    page.get_by_text("The transcript is copied.").wait_for()
    page.wait_for_function(
        "() => document.getElementById('share-message').textContent === ''"
    )  # not for good
    assert page.input_value("#transcript") == moves


@pytest.mark.long
def test_a_random_walk_over_the_page(page_at: PageAt) -> None:
    """A hundred clicks anywhere: the board shown is always that of its address, and nothing breaks."""
    page = page_at("/play#black=you&white=level-1")
    page.wait_for_function(READY)
    chance = random.Random(7)
    buttons = ["#first", "#back", "#forward", "#last", "#take-back", "#hint", "#values", "#play-on", "#both",
               "#tab-game", "#tab-explain", "#tab-book", "#tab-files"]  # fmt: skip
    for _ in range(100):
        moves = playable(page)
        if moves and chance.random() < 0.6:
            click_square(page, chance.choice(moves))
        else:
            button = page.locator(chance.choice(buttons))
            if button.is_visible() and button.is_enabled():
                button.click()
        page.evaluate(
            "() => { const dialog = document.getElementById('result-dialog');"
            " if (dialog.open) dialog.close('close'); }"
        )
    page.wait_for_function(READY)
    shown: Any = page.evaluate(
        "async () => { const { readAddress } = await import('/static/board/address.js');"
        " return readAddress(location).tree.current.position.text; }"
    )
    assert shown == squares(page)
