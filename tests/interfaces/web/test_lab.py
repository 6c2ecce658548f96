"""The lab: learning runs listed, drawn, and watched while they learn."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from outflank import PieceCounter
from outflank.evaluators.storage import StoredPlayer, save_player
from outflank.interfaces.web.rendering import rendered
from outflank.interfaces.web.routes.lab import MOST_PER_CLIENT
from outflank.learners.runs.folder import LOG, QUIET_SECONDS, SETTINGS, RunFolder, run_state
from outflank.learners.td import TdSettings
from tests.interfaces.web.conftest import PageAt, screenshot

COMMAND = "from outflank.interfaces.cli import main; main()"


@pytest.fixture(scope="module")
def client(league_server: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=league_server, timeout=30) as client:
        yield client


def measured(games: int, score: float, generation: int | None = None) -> dict[str, Any]:
    entry = {"games": games, "score": score, "ci95": [score - 0.02, score + 0.02], "seconds": games / 1000}
    return entry | ({} if generation is None else {"generation": generation})


def made_run(path: Path, scores: list[float], games: int = 10_000, seed: int = 1) -> RunFolder:
    """A run's folder with a measurement every 1,000 games."""
    folder = RunFolder.create(path, TdSettings(evaluator="all-2", games=games), seed)
    folder.rewrite_log([measured(1000 * number, score) for number, score in enumerate(scores)])
    return folder


@pytest.fixture(scope="module")
def made_runs(runs_folder: Path) -> dict[str, RunFolder]:
    found = {
        "plain": made_run(runs_folder / "plain", [0.2 + 0.06 * i for i in range(11)]),
        "several/seed-2": made_run(runs_folder / "several" / "seed-2", [0.1, 0.4, 0.5], seed=2),
        "several/seed-10": made_run(runs_folder / "several" / "seed-10", [0.2, 0.3, 0.6], seed=10),
    }
    (runs_folder / "no run").mkdir()
    (runs_folder / "broken").mkdir()
    (runs_folder / "broken" / SETTINGS).write_text("games = ", encoding="utf-8")
    evolved = runs_folder / "evolved"
    evolved.mkdir()
    text = 'seed = 3\nmethod = "cma-es"\ngenerations = 4\nseed_player = "/home/ada/secret/best.player"\n'
    (evolved / SETTINGS).write_text(text, encoding="utf-8")
    entries = [measured(100 * g, 0.3 + 0.1 * g, g) for g in (1, 2, 3, 4)]
    RunFolder(evolved).rewrite_log([entries[0], {"generation": 2, "games": 200}, *entries[2:]])
    return found


def test_runs_are_listed(client: httpx.Client, made_runs: dict[str, RunFolder]) -> None:
    response = client.get("/api/v1/runs")
    runs = {run["name"]: run for run in response.json()}
    names = [name for name in runs if name in (*made_runs, "evolved", "broken")]
    assert names == ["evolved", "plain", "several/seed-2", "several/seed-10"]
    plain = runs["plain"]
    assert (plain["state"], plain["done"], plain["total"], plain["seed"]) == ("finished", 10_000, 10_000, 1)
    assert plain["last"]["score"] == pytest.approx(0.8)
    assert (runs["evolved"]["unit"], runs["evolved"]["done"]) == ("generations", 4)
    assert runs["evolved"]["settings"]["seed_player"] == "best.player"
    assert "/home/ada" not in response.text
    log = client.get("/api/v1/runs/evolved/log").json()
    assert [one["generation"] for one in log["measurements"]] == [1, 3, 4]  # only what was measured


@pytest.mark.parametrize(
    "name", ["..", "../runs", "plain/..", "%2e%2e", "plain%2f..%2fplain", "/etc", "several", "no%20run",
             "%00", "broken", "plain/../../../../etc/passwd", "a" * 5000]
)  # fmt: skip
@pytest.mark.parametrize("kind", ["log", "events"])
def test_only_names_of_runs_lead_anywhere(
    client: httpx.Client, made_runs: dict[str, RunFolder], name: str, kind: str
) -> None:
    assert made_runs
    response = client.send(client.build_request("GET", f"/api/v1/runs/{name}/{kind}"))
    assert response.status_code in (404, 422)
    assert list(response.json()) == ["error"]


def test_a_log_may_hold_anything(tmp_path: Path) -> None:
    folder = made_run(tmp_path / "run", [0.5])
    whole = json.dumps(measured(1000, 0.6))
    lines = [
        "[]",
        "3",
        '{"score": NaN, "games": 1, "seconds": 1, "ci95": [0, 1]}',
        '{"score": 0.5}',
        whole,
        "",
        "{cut",
    ]
    (folder.path / LOG).write_text("\n".join(lines), encoding="utf-8")
    state = run_state("run", folder.path)
    assert state.last is not None
    assert (state.done, state.last.score) == (1000, 0.6)


def test_a_silent_run_has_stopped(tmp_path: Path) -> None:
    folder = made_run(tmp_path / "run", [0.5, 0.6])
    assert run_state("run", folder.path).state == "learning"
    long_ago = time.time() - 2 * QUIET_SECONDS
    for path in folder.path.iterdir():
        os.utime(path, (long_ago, long_ago))
    assert run_state("run", folder.path).state == "stopped"


def test_without_a_folder_the_page_says_how_to_get_one() -> None:
    text = rendered("lab.html", active="/lab", title="Lab", has_runs=False)
    assert "outflank serve --runs" in text
    assert "lab.js" not in text


def next_event(lines: Iterator[str]) -> tuple[str, Any]:
    kind = ""
    for line in lines:
        if line.startswith("event: "):
            kind = line.removeprefix("event: ")
        elif line.startswith("data: "):
            return kind, json.loads(line.removeprefix("data: "))
    raise AssertionError("the stream ended")


def test_events_follow_the_log(client: httpx.Client, runs_folder: Path) -> None:
    folder = made_run(runs_folder / "followed", [0.1, 0.2], games=5000)
    with client.stream("GET", "/api/v1/runs/followed/events") as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        lines = response.iter_lines()
        kind, log = next_event(lines)
        assert (kind, [one["score"] for one in log["measurements"]]) == ("log", [0.1, 0.2])
        folder.append_to_log(measured(2000, 0.3))
        kind, point = next_event(lines)
        assert (kind, point["games"], point["score"]) == ("measured", 2000, 0.3)
        kind, run = next_event(lines)
        assert (kind, run["done"], run["state"]) == ("run", 2000, "learning")
        folder.rewrite_log([measured(0, 0.1)])  # a resumed run goes back to its checkpoint
        kind, log = next_event(lines)
        assert (kind, len(log["measurements"])) == ("log", 1)
        folder.append_to_log(measured(5000, 0.9))
        assert [next_event(lines)[0] for _ in range(3)] == ["measured", "run", "end"]
        assert list(lines) == [""]


def test_streams_are_few_and_leave_when_their_clients_do(client: httpx.Client, runs_folder: Path) -> None:
    made_run(runs_folder / "crowded", [0.1])
    path = "/api/v1/runs/crowded/events"
    with ExitStack() as opened:
        lines = []  # a stream is closed when nobody holds its lines
        for _ in range(MOST_PER_CLIENT):
            lines.append(opened.enter_context(client.stream("GET", path)).iter_lines())
            assert next_event(lines[-1])[0] == "log"
        with client.stream("GET", path) as refused:
            assert refused.status_code == 503
            assert "too many streams" in json.loads(refused.read())["error"]
    for _ in range(50):  # the server notices within half a second or so
        with client.stream("GET", path) as response:
            if response.status_code == 200:
                return
        time.sleep(0.1)
    raise AssertionError("streams of clients that went are still counted")


def points(page: Any, style: int = 0) -> int:
    """How many measurements a curve has on the page."""
    path = page.locator(f"#chart .line.style-{style}").get_attribute("d")
    return 1 + str(path).count("L")


def test_a_run_grows_while_the_page_watches(page_at: PageAt, client: httpx.Client, runs_folder: Path) -> None:
    settings = ("games=15000", "measure_every=500", "measure_double_games=300")
    changes = [part for setting in settings for part in ("--set", setting)]
    command = [sys.executable, "-c", COMMAND, "learn", "all-2", *changes, "--out", str(runs_folder / "real")]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as learning:
        try:
            while "real" not in {run["name"] for run in client.get("/api/v1/runs").json()}:
                assert learning.poll() is None
                time.sleep(0.1)
            page = page_at("/lab?run=real")
            page.wait_for_selector("#chart .line.style-0")
            first = points(page)
            page.wait_for_function(f"() => {COUNT} > {first}")  # without asking: the list is asked every 10 s
            page.wait_for_selector('tr[data-run="real"] .state.finished', timeout=60_000)
        finally:
            learning.terminate()
    log = client.get("/api/v1/runs/real/log").json()
    assert log["run"]["done"] == 15_000
    page.wait_for_function(f"() => {COUNT} === {len(log['measurements'])}")
    assert f"{log['measurements'][-1]['score']:.4f}" in page.text_content("#legend")
    screenshot(page, "lab-live-desktop-light")


COUNT = "document.querySelector('#chart .line.style-0').getAttribute('d').split('L').length"


def test_runs_are_compared(page_at: PageAt, made_runs: dict[str, RunFolder]) -> None:
    assert made_runs
    page = page_at("/lab?run=plain&run=several/seed-2")
    page.wait_for_selector("#chart .line.style-1")
    assert [points(page, style) for style in (0, 1)] == [11, 3]
    page.check('tr[data-run="evolved"] input')
    page.wait_for_selector("#chart .line.style-2")
    assert "run=plain&run=several%2Fseed-2&run=evolved" in page.url
    legend = page.locator("#legend li").all_text_contents()
    assert [text.strip().split(":")[0] for text in legend] == ["plain", "several/seed-2", "evolved"]
    page.select_option("#by", "generations")
    assert page.locator("#chart .line").count() == 1
    assert "plain, several/seed-2" in page.text_content("#nothing")
    page.select_option("#by", "seconds")
    assert "Seconds of learning" in page.locator("#chart .name").all_text_contents()
    page.select_option("#by", "games")
    page.select_option("#axis", "logarithmic")
    assert points(page) == 10  # a logarithmic axis has no place for 0 games
    page.locator("#chart").focus()
    page.keyboard.press("End")
    assert "plain: score 0.8000" in page.text_content("#reading")
    page.keyboard.press("ArrowDown")
    assert "several/seed-2: score 0.5000" in page.text_content("#reading")
    page.keyboard.press("ArrowLeft")
    assert "after 1,000 games" in page.text_content("#reading")
    again = page_at(page.url)
    again.wait_for_selector("#chart .line.style-2")
    assert again.input_value("#axis") == "logarithmic"
    again.hover("#chart")
    again.wait_for_function("() => document.getElementById('reading').textContent.includes('score')")


def test_generations_of_runs_without_any_can_be_left_again(
    page_at: PageAt, made_runs: dict[str, RunFolder]
) -> None:
    assert made_runs
    page = page_at("/lab?run=plain")
    page.wait_for_selector("#chart .line.style-0")
    page.select_option("#by", "generations")
    assert "have no generations: plain" in page.text_content("#nothing")
    assert not page.is_visible("#chart")
    page.select_option("#by", "games")
    page.wait_for_selector("#chart .line.style-0")
    assert page.text_content("#nothing") == ""


def test_rows_stay_where_they_are_while_runs_learn(page_at: PageAt, runs_folder: Path) -> None:
    folders = [made_run(runs_folder / f"steady-{number}", [0.1], games=9000) for number in range(3)]
    page = page_at("/lab")
    page.wait_for_selector('tr[data-run="steady-2"]')
    names = "all => all.map(one => one.dataset.run)"
    before = page.eval_on_selector_all("#runs tr", names)
    folders[0].append_to_log(measured(1000, 0.2))  # it is now the latest to have changed
    page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")  # which lists them again
    page.wait_for_function(
        "() => document.querySelector('tr[data-run=\"steady-0\"]').textContent.includes('0.2000')"
    )
    made_run(runs_folder / "a-new-one", [0.1])
    page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_selector('tr[data-run="a-new-one"]')
    assert page.eval_on_selector_all("#runs tr", names) == ["a-new-one", *before]


def test_seeds_have_a_mean(page_at: PageAt, runs_folder: Path) -> None:
    for seed, scores in enumerate(([0.1, 0.3, 0.5], [0.3, 0.5, 0.9]), start=1):
        made_run(runs_folder / "pair" / f"seed-{seed}", scores)
    page = page_at("/lab?run=pair/seed-1&run=pair/seed-2")
    page.wait_for_selector("#chart .line.style-1")
    page.check("#mean")
    assert page.locator("#chart .line").count() == 1
    assert (
        page.locator("#legend li").all_text_contents()[0].strip().startswith("pair (mean of 2 seeds): 0.7000")
    )
    page.locator("#chart").focus()
    page.keyboard.press("End")
    assert "score 0.7000" in page.text_content("#reading")
    assert "0.5000 to 0.9000" in page.text_content("#reading")
    assert "from the lowest to the highest" in page.text_content("#about-bands")
    again = page_at(page.url)
    again.wait_for_selector("#chart .line.style-0")
    assert again.is_checked("#mean")


def test_a_run_is_played(page_at: PageAt, client: httpx.Client, runs_folder: Path) -> None:
    folder = made_run(runs_folder / "playable run", [0.1])
    row = 'tr[data-run="playable run"]'
    page = page_at("/lab")
    page.wait_for_selector(row)
    assert not page.is_visible(f"{row} a")
    refused = client.get("/api/v1/runs/playable%20run/player")
    assert (refused.status_code, "no player yet" in refused.json()["error"]) == (404, True)
    save_player(StoredPlayer(PieceCounter(range(64)), "negation"), folder.path / "best.safetensors")
    page.reload()
    page.get_by_role("link", name="Play playable run").click()
    page.wait_for_function("() => document.getElementById('board').getAttribute('aria-busy') === 'false'")
    assert page.text_content("#white-name") == "playable run"
    page.click('.cell[data-square="f5"]')
    page.wait_for_function("() => document.querySelectorAll('#moves .move').length === 2")


def test_scores_near_one_are_told_apart(page_at: PageAt, runs_folder: Path) -> None:
    scores = [0.2, 0.9, 0.98, 0.99, 0.995, 1.0]
    made_run(runs_folder / "champion", scores, games=5000)
    page = page_at("/lab?run=champion")
    page.wait_for_selector("#chart .line.style-0")
    path = page.get_attribute("#chart .line.style-0", "d")
    heights = [float(point.split(" ")[1]) for point in path[1:].split("L")]
    rises = [before - after for before, after in pairwise(heights)]
    assert min(rises) > 20  # in pixels: half of what is left is a step as clear as any
    ticks = page.locator("#chart .tick[text-anchor=end]").all_text_contents()
    assert {"0.9", "0.99", "0.999"} <= set(ticks)
    assert "Score (logit scale)" in page.locator("#chart .name").all_text_contents()


@pytest.mark.parametrize("size", ["phone", "desktop"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits(page_at: PageAt, made_runs: dict[str, RunFolder], size: Any, scheme: Any) -> None:
    assert made_runs
    page = page_at("/lab?run=plain&run=several/seed-2&run=several/seed-10&run=evolved", size, scheme)
    page.wait_for_selector("#chart .line.style-3")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.click('tr[data-run="plain"] summary')
    assert 'evaluator = "all-2"' in page.text_content('tr[data-run="plain"] pre')
    screenshot(page, f"lab-{size}-{scheme}")
