"""Every page in Chromium: phone and desktop, light and dark, by keyboard, without scripts, under attack."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import httpx
import pytest

from outflank.games.statistics import Tally
from outflank.games.tournaments.standings import PairResult, Standings
from outflank.interfaces.web.caching.table_cache import ROWS_PER_PAGE, Snapshot, TableQuery
from outflank.interfaces.web.rendering import STATIC, rendered
from outflank.interfaces.web.routes.pages import RateSection, table_page_responder
from outflank.league.competitions import FEW_RANDOM_MOVES, CompetitionState
from outflank.league.league import League, TableRow
from outflank.league.store import Store
from tests.interfaces.web.conftest import (
    SCRIPT,
    SIZES,
    PageAt,
    Scheme,
    Size,
    add_final_score,
    counter_file,
    screenshot,
)

PAGES = {
    "league": "/",
    "league-filtered": "/?filter=piece&sort=weights&order=descending",
    "player": "/players/1",
    "player-of-an-entrant": "/players/11",
    "player-waiting": "/players/12",
    "player-failed": "/players/13",
    "competitions": "/competitions",
    "competition-finished": "/competitions/1",
    "competition-playing": "/competitions/2",
    "competition-open": "/competitions/3",
    "compare-nobody": "/compare",
    "compare": "/compare?a=1&b=10",
    "submit": "/submit",
    "about": "/about",
    "api": "/api",
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_fits_and_can_be_read(page_at: PageAt, name: str) -> None:
    page = page_at(PAGES[name])
    _check_structure(page)
    sizes: tuple[Size, ...] = ("phone", "desktop")
    schemes: tuple[Scheme, ...] = ("light", "dark")
    for size, scheme in product(sizes, schemes):
        width, height = SIZES[size]
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        screenshot(page, f"{name}-{size}-{scheme}")


def _check_structure(page: Any) -> None:
    """What a screen reader needs: one heading of the page, levels in order, names for all that is used."""
    levels = page.eval_on_selector_all("h1, h2, h3", "all => all.map(one => Number(one.tagName[1]))")
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert page.locator("html[lang=en]").count() == 1
    assert page.locator("main").count() == page.locator("nav[aria-label=Main]").count() == 1
    unnamed = """all => all.filter(one => one.type !== "hidden" && !one.labels?.length).map(one => one.id)"""
    assert page.eval_on_selector_all("input, select, textarea", unnamed) == []
    assert page.locator("img:not([alt])").count() == 0
    assert page.locator("[style], script:not([src])").count() == 0
    assert page.locator("th:not([scope])").count() == 0
    empty = "all => all.filter(one => !one.textContent.trim() && !one.querySelector('img[alt]')).length"
    assert page.eval_on_selector_all("a, button", empty) == 0
    broken = "all => all.filter(one => one.complete && !one.naturalWidth).map(one => one.src)"
    assert page.eval_on_selector_all("img", broken) == []
    ids = page.eval_on_selector_all("[id]", "all => all.map(one => one.id)")
    assert len(ids) == len(set(ids))


def test_a_phone_shows_the_whole_menu_and_a_readable_glossary(page_at: PageAt) -> None:
    page = page_at("/about", "phone")
    page.set_viewport_size({"width": 360, "height": 640})
    for link in page.locator("header.site nav a").all():
        box = link.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360
    assert min(one.bounding_box()["width"] for one in page.locator(".glossary dd").all()) > 250


def test_the_table_says_where_everyone_stands(page_at: PageAt) -> None:
    page = page_at("/")
    names = page.locator("#table tbody th a").all_inner_texts()
    assert names[11:13] == ["waits", "fails"]  # after the eleven that have a score
    states = page.locator("#table .state").all_inner_texts()
    assert {"final", "provisional", "waiting", "failed"} == set(states)
    scores = [float(text) for text in page.locator("#table td .measured > :first-child").all_inner_texts()]
    assert scores == sorted(scores, reverse=True)
    final = page.locator("#table tr", has_text="disc-difference")
    assert "0.8600" in final.inner_text()
    assert "0.8580 to 0.8620" in final.inner_text()
    assert page.locator("h2#published").is_visible()
    assert page.get_by_text("0.9592").is_visible()  # all-2-inv of 2014


def test_the_table_is_sorted_and_filtered_without_scripts(page_at: PageAt) -> None:
    page = page_at("/", javascript=False)
    page.get_by_role("link", name="Weights").click()
    assert page.locator("th[aria-sort=ascending]").inner_text().startswith("Weights")
    page.get_by_role("link", name="Weights").click()
    assert page.locator("th[aria-sort=descending]").inner_text().startswith("Weights")
    assert page.locator("#table tbody th a").first.inner_text() == "all-rounder"
    page.get_by_label("Filter by").fill("ADA")
    page.get_by_role("button", name="Filter").click()
    assert set(page.locator("#table tbody th a").all_inner_texts()) == {"corners", "edges", "waits", "fails"}
    assert "4 players of" in page.locator("#found").inner_text()
    assert "sort=weights" in page.url
    page.get_by_label("Filter by").fill("nobody at all")
    page.keyboard.press("Enter")
    page.get_by_text("No player matches.").wait_for()


def test_the_table_is_filtered_while_one_types(page_at: PageAt) -> None:
    page = page_at("/")
    page.get_by_label("Filter by").press_sequentially("all-2")
    page.locator("#found", has_text=re.compile("^2 players of")).wait_for()
    assert page.locator("#table tbody tr").count() == 2
    assert page.url.endswith("/?filter=all-2")
    assert page.evaluate("document.activeElement.id") == "filter"


def test_scores_show_when_they_come(page_at: PageAt, league_database: str, tmp_path: Path) -> None:
    league = League(Store(league_database))
    key = league.register("Hedy")
    player = league.submit(key, counter_file(tmp_path, 78), name="just now", view="inversion")
    table, alone = page_at("/?filter=just now"), page_at(f"/players/{player.id}")
    assert table.locator("#table .state").inner_text() == "waiting"
    with league.store.writing() as session:
        add_final_score(session, player.id)
    for page in (table, alone):
        page.locator("main .state", has_text="final").first.wait_for()
    assert table.locator("[data-unsettled]").count() == 0
    assert table.url.endswith("/?filter=just%20now")
    league.remove(player.id)
    league.store.close()


def test_a_long_table_is_cut_into_pages() -> None:
    row = TableRow(None, 1, "", "Ada", "piece counter", "inversion", 64, 0.0, None, 0, None)
    rows = [replace(row, id=number, name=f"player {number:03}") for number in range(1, 2 * ROWS_PER_PAGE + 2)]

    def page_of(query: TableQuery) -> str:
        return table_page_responder(query).make(Snapshot(rows)).decode()

    last = page_of(TableQuery(sort="name").at_page(3))
    assert "Page 3 of 3" in last
    assert last.count('<th scope="row" class="name"><a') == 1
    assert 'rel="prev" href="/?sort=name&amp;page=2"' in last
    assert 'rel="next"' not in last
    assert "101 players, 101 to 101 shown" in last
    assert page_of(TableQuery(sort="name").at_page(99)) == last
    assert 'rel="next" href="/?page=2"' in page_of(TableQuery())


def test_distinct_double_games_are_shown() -> None:
    repeats = Tally(100, 0, 0, (0, 0, 0, 0, 50), repeated=48)
    standings = Standings.of([PairResult("one", "two", repeats)])
    state = CompetitionState(1, "Cup", "finished", 50, 0.0, (), 1, 1)
    page = rendered("competition.html", active="/competitions", title="Cup", competition=state,
                    sections=[RateSection(0.0, standings)], players={}, nominable=[],
                    few_random_moves=FEW_RANDOM_MOVES)  # fmt: skip
    text = " ".join(re.sub(r"<[^>]*>", " ", page).split())
    assert "Only 2 of 50 double games are distinct" in text
    assert "100 0 0 50 2 1.000" in text
    assert "100 wins, 0 draws, 0 losses; 2 distinct double games" in page


def test_a_cycle_is_named() -> None:
    beats = Tally(60, 0, 40, (0, 0, 40, 0, 10))
    legs = [("rock", "scissors"), ("scissors", "paper"), ("paper", "rock")]
    standings = Standings.of([PairResult(winner, loser, beats) for winner, loser in legs])
    state = CompetitionState(1, "Cup", "finished", 50, 0.0, (), 3, 9)
    words = rendered("competition.html", active="/competitions", title="Cup", competition=state,
                     sections=[RateSection(0.0, standings)], players={}, nominable=[],
                     few_random_moves=FEW_RANDOM_MOVES)  # fmt: skip
    text = " ".join(re.sub(r"<[^>]*>", "", words).split())
    assert (
        "Each beats the next, and the last the first. paper (0.600) → rock (0.600) → scissors (0.600) → paper"
        in text
    )


def test_the_whole_site_is_reached_by_keyboard(page_at: PageAt) -> None:
    page = page_at("/")
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to content"
    assert page.locator(":focus").bounding_box()["x"] >= 0
    seen = []
    for _ in range(16):
        page.keyboard.press("Tab")
        seen.append(page.locator(":focus").inner_text().strip() or page.evaluate("document.activeElement.id"))
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    assert [name for name in seen if name in ("Competitions", "Submit", "filter", "Filter")] == [
        "Competitions", "Submit", "filter", "Filter",
    ]  # fmt: skip
    page.locator("nav a", has_text="Compare").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/compare")
    page.get_by_label("First player").select_option("1")
    page.get_by_label("Second player").select_option("2")
    page.get_by_label("Second player").press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/compare?a=1&b=2")


def test_two_players_are_compared(page_at: PageAt) -> None:
    page = page_at("/compare?a=1&b=2", javascript=False)
    words = page.locator("main").inner_text()
    assert "standard-heuristic scores significantly more" in words
    assert "+0.0600" in words
    assert "Winter cup" in words
    page.get_by_role("button", name="Play 200 double games now").click()
    row = page.locator("tr", has_text="Short match")
    cells = [int(text) for text in row.locator("td").all_inner_texts()[1:]]
    assert sum(cells) == 400
    page.goto("/compare?a=2&b=1")  # the same games, seen from the other side
    turned = page.locator("tr", has_text="Short match").locator("td").all_inner_texts()[1:]
    assert [int(text) for text in turned] == cells[::-1]
    page.goto("/compare?a=3&b=3")
    assert page.get_by_text("the same player twice").is_visible()
    page.goto("/compare?a=&b=2")
    assert page.get_by_label("Second player").input_value() == "2"


def test_a_competition_shows_tables_and_who_beats_whom(page_at: PageAt) -> None:
    page = page_at("/competitions/1")
    assert page.locator("h2").all_inner_texts() == [f"{rate}\xa0% random moves" for rate in (0, 1, 10)]
    heat = page.locator("table.heat").last
    assert heat.locator("tbody tr").count() == 4
    values = [[float(v) for v in row.locator("td[class^=shade]").all_inner_texts()]
              for row in heat.locator("tbody tr").all()]  # fmt: skip
    assert [len(row) for row in values] == [3] * 4
    assert all(0 <= value <= 1 for row in values for value in row)
    shade = heat.locator("td[class^=shade]").first
    shown = page.evaluate("one => getComputedStyle(one).backgroundColor", shade.element_handle())
    assert shown != "rgba(0, 0, 0, 0)"
    games = page.locator("table").nth(0).locator("tbody tr").first.locator("td").all_inner_texts()[1:4]
    assert sum(int(text) for text in games) == 3 * 20


def test_an_entrant_registers_submits_and_nominates(page_at: PageAt, tmp_path: Path) -> None:
    page = page_at("/submit")
    page.get_by_role("button", name="Register").click()
    assert page.locator("#register-message").inner_text().startswith("Your name in the league:")
    page.get_by_label("Your name in the league").fill(SCRIPT[:40])
    page.keyboard.press("Enter")
    page.locator("#register-message.error", has_text="1 to 40 letters").wait_for()
    page.get_by_label("Your name in the league").fill("Grace (phone)")
    page.keyboard.press("Enter")
    page.locator("#key-text").wait_for()
    key = page.locator("#key-text").inner_text()
    assert len(key) > 30
    assert page.get_by_label("API key", exact=True).input_value() == key
    page.get_by_role("button", name="Copy the key").click()
    page.locator("#copied", has_text=re.compile("copy|Copied")).wait_for()
    screenshot(page, "submit-registered")
    _submit(page, b"<script>no player</script>", "by Grace")
    page.locator("#submit-message.error").wait_for()
    assert "<script>" not in page.locator("#submit-message").inner_html()
    screenshot(page, "submit-refused")
    _submit(page, counter_file(tmp_path, 77).read_bytes(), "by Grace")
    page.locator("#submit-message.done").wait_for()
    screenshot(page, "submit-done")
    page.get_by_role("link", name="its page").click()
    assert page.locator("h1").inner_text() == "by Grace"
    assert page.locator("dd", has_text="Grace (phone)").count() == 1
    page.goto("/competitions/3")
    page.get_by_label("Player").select_option(label="by Grace (Grace (phone))")
    page.get_by_label("API key").fill(key)
    page.keyboard.press("Enter")
    page.locator("li", has_text="by Grace").wait_for()
    page_at.complaints.clear()  # browsers note every refused request


def _submit(page: Any, content: bytes, name: str) -> None:
    file = {"name": "mine.player", "mimeType": "text/plain", "buffer": content}
    page.locator("#file").set_input_files(file)
    page.locator("#name").fill(name)
    page.get_by_label("View").select_option("inversion")
    page.get_by_role("button", name="Submit the player").click()


def test_scripts_in_text_stay_text(page_at: PageAt) -> None:
    page = page_at("/players/11")
    assert page.locator(".text").inner_text() == f"{SCRIPT}\nSecond line."
    link = page.get_by_role("link", name="https://example.org")
    assert link.get_attribute("rel") == "noopener nofollow ugc"
    page.goto("/players/12")
    assert SCRIPT in page.locator("dl").inner_text()
    page.goto(f"/?filter={SCRIPT[:60]}")
    assert page.get_by_label("Filter by").input_value() == SCRIPT[:60]
    assert page.title() == "League table · outflank league"
    page.goto('/players/"><script>document.title="owned"</script>')
    assert "owned" not in page.title()
    assert page.locator("h1").inner_text() == "Not found"
    screenshot(page, "error")
    page_at.complaints.clear()  # the last one was not found


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nowhere", 404), ("/players/0", 404), ("/players/99", 404), ("/players/-1", 404),
        ("/players/9999999999999999999999", 404), ("/players/%00", 404), ("/players/²", 404),
        ("/competitions/99", 404), ("/competitions/x", 404), ("/compare?a=99&b=1", 404),
        ("/compare?a=1%27--&b=1", 404), ("/?sort=nothing", 422), ("/?page=0", 422), ("/?page=999999", 200),
        ("/?filter=" + "x" * 81, 422), ("/?filter=%ff%fe", 200), ("/?filter=%25%27%22%00", 200),
    ],
)  # fmt: skip
def test_wrong_addresses_get_a_clear_page(league_server: str, path: str, status: int) -> None:
    answer = httpx.get(league_server + path, headers={"Accept": "text/html"}, timeout=60)
    assert answer.status_code == status
    assert "<h1>" in answer.text
    assert "Traceback" not in answer.text


def test_pages_are_for_machines_too(league_server: str) -> None:
    with httpx.Client(base_url=league_server, timeout=60) as client:
        assert client.head("/").status_code == client.head("/players/1").status_code == 200
        plain = client.get("/", headers={"Accept-Encoding": "identity"})
        packed = client.get("/", headers={"Accept-Encoding": "gzip"})
        assert "content-encoding" not in plain.headers
        assert packed.headers["content-encoding"] == "gzip"
        assert plain.text == packed.text
        assert client.get("/submit").headers["content-encoding"] == "gzip"
        assert "content-encoding" not in client.get("/api/v1/players/1/file").headers


@pytest.mark.parametrize("path", ["/", "/?sort=name", "/api/v1/players", "/api/v1/players?limit=3"])
def test_a_table_that_has_not_changed_is_not_sent_again(league_server: str, path: str) -> None:
    """Directly, and by a proxy that weakens the ETag."""
    with httpx.Client(base_url=league_server, timeout=60) as client:
        etag = client.get(path).headers["etag"]
        for known in (etag, f"W/{etag}", f'"other", {etag}'):
            again = client.get(path, headers={"If-None-Match": known})
            assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)
            assert again.headers["x-frame-options"] == "DENY"
        other = client.get(path, headers={"If-None-Match": '"other"'})
        assert (other.status_code, other.headers["etag"]) == (200, etag)
        identity = client.get(path, headers={"If-None-Match": etag, "Accept-Encoding": "identity"})
        assert identity.status_code == 200  # its bytes are others


def test_colours_can_be_told_apart() -> None:
    light, dark = _colours()
    assert set(dark) <= set(light)
    for colours in (light, light | dark):
        on_page = ["text", "quiet", "link", "error", "done"]
        pairs = [(front, back) for front in on_page for back in ("page", "raised")]
        pairs += [("text", f"shade-{n}") for n in range(11)] + [("on-accent", "accent")]
        pairs += [("error", "error-page"), ("text", "done-page"), ("link", "done-page")]
        for front, back in pairs:
            assert _contrast(colours[front], colours[back]) >= 4.5, (front, back)
        for front in ("edge", "focus", "bar", "bar-provisional"):
            assert _contrast(colours[front], colours["raised"]) >= 3, front


def _colours() -> tuple[dict[str, str], dict[str, str]]:
    style = (STATIC / "style.css").read_text()
    light, dark = style.split("prefers-color-scheme: dark")
    found = [dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6});", part)) for part in (light, dark)]
    return found[0], found[1]


def _contrast(one: str, other: str) -> float:
    """WCAG 2.2's ratio, from 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
