"""What axe-core finds on every page, at both sizes and in both schemes, and what a screen reader gets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.web.board.conftest import READY, random_game
from tests.interfaces.web.board.test_study import REVIEWED
from tests.interfaces.web.conftest import PageAt, screenshot

axe_package = pytest.importorskip("axe_playwright_python")
AXE = (Path(axe_package.__file__).parent / "axe.min.js").read_text()
PAGES = ("/", "/players/1", "/competitions/1", "/compare?a=1&b=2", "/submit", "/lab", "/about", "/api")
LOOKS = [("phone", "dark"), ("desktop", "light")]


def serious_problems(page: Any) -> list[str]:
    """What axe-core finds, serious or worse; of pictures that have a name, the name counts."""
    page.evaluate(AXE)
    found = page.evaluate("() => axe.run({ exclude: ['.small-board *'] }, { resultTypes: ['violations'] })")
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:200]} ({len(one['nodes'])})"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize("path", PAGES)
def test_pages(page_at: PageAt, path: str) -> None:
    for size, scheme in LOOKS:
        assert serious_problems(page_at(path, size, scheme)) == []  # type: ignore[arg-type]


@pytest.mark.parametrize(("size", "scheme"), [*LOOKS, ("phone", "light"), ("desktop", "dark")])
def test_the_board_with_a_reviewed_game(page_at: PageAt, size: Any, scheme: Any) -> None:
    page = page_at(f"/play#black=you&white=level-2&values=1&game={''.join(random_game(4, 52))}", size, scheme)
    page.wait_for_function(READY)
    page.click("#review")
    page.wait_for_function(REVIEWED)
    page.click("#hint")
    page.wait_for_selector(".cell.hinted")
    assert serious_problems(page) == []
    screenshot(page, f"play-game-{size}-{scheme}")
    page.click("#new")
    assert serious_problems(page) == []
    screenshot(page, f"play-new-{size}-{scheme}")


@pytest.mark.parametrize(("size", "scheme"), LOOKS)
@pytest.mark.parametrize("name", ["explain", "book", "files", "editor"])
def test_the_panels(page_at: PageAt, name: str, size: Any, scheme: Any) -> None:
    page = page_at(f"/play#black=you&white=you&game={''.join(random_game(4, 10))}", size, scheme)
    page.wait_for_function(READY)
    page.click(f"#tab-{name}")
    if name == "explain":
        page.wait_for_selector(".reasons li")
        page.click("#show-tables")
        page.wait_for_selector(".tables li")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert serious_problems(page) == []
    screenshot(page, f"play-{name}-{size}-{scheme}")


def test_the_board_is_read_out(page_at: PageAt) -> None:
    """Roles and names, as assistive technology gets them."""
    page = page_at("/play#black=you&white=you&game=f5d6")
    page.wait_for_function(READY)
    grid = page.get_by_role("grid", name="Othello board")
    assert grid.get_by_role("row").count() == 8
    assert grid.get_by_role("gridcell").count() == 64
    assert grid.get_by_role("gridcell", name="d6, white, last move").count() == 1
    assert grid.get_by_role("gridcell", name="c3, legal move").count() == 1
    assert page.get_by_role("status").first.inner_text() == "Black to move."
    tabs = page.get_by_role("tab")
    tabs.first.focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.id") == "tab-explain"
    assert page.get_by_role("tabpanel").get_attribute("aria-labelledby") == "tab-explain"
    page.keyboard.press("End")
    assert page.get_by_role("tab", selected=True).inner_text() == "Set up"
    slider = page.locator("#graph")
    page.keyboard.press("Home")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    assert slider.get_attribute("aria-valuetext") == "move 1, black f5, disc difference +3"


def test_everything_is_reached_by_the_tab_key(page_at: PageAt) -> None:
    page = page_at("/play#black=you&white=level-2&game=f5d6")
    page.wait_for_function(READY)
    page.locator("header.site a").last.focus()
    seen = []
    for _ in range(16):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.id || document.activeElement.dataset.square || ''"))
    for wanted in (
        "d3",
        "back",
        "take-back",
        "hint",
        "values",
        "new",
        "tab-game",
        "graph",
        "review",
        "both",
        "sound",
    ):
        assert wanted in seen, wanted
