"""A real server on a seeded league, and Debian's Chromium to look at it."""

from __future__ import annotations

import io
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal

import httpx
import pytest
from sqlalchemy.orm import Session

from outflank import PieceCounter
from outflank.evaluators.storage import StoredPlayer, save_player
from outflank.games.statistics import Tally
from outflank.league.competitions import Competitions
from outflank.league.league import League
from outflank.league.published import PublishedFiles
from outflank.league.schema import Player, Score, counts
from outflank.league.scoring import DOUBLE_GAMES
from outflank.league.seeding import seed
from outflank.league.store import Store
from outflank.league.worker import Worker
from outflank.players.greedy import GreedyPlayer
from outflank.plots.networks import draw_evaluator

CHROMIUM = Path("/usr/bin/chromium")
SIZES = {"phone": (360, 740), "desktop": (1280, 900)}
ADMIN = "the-token-of-the-tests"
SCRIPT = '<script>document.title="owned"</script><img src=x onerror="document.title=\'owned\'">'
SERVER = """
import sys, uvicorn
from pathlib import Path
from outflank.interfaces.web.app import create_app
from outflank.interfaces.web.settings import WebSettings
settings = WebSettings(database=sys.argv[1], runs=Path(sys.argv[3]), admin_token=sys.argv[4],
                       reads_per_minute=10**6, plays_per_minute=10**6, writes_per_minute=10**6)
uvicorn.run(create_app(settings), host="127.0.0.1", port=int(sys.argv[2]), log_level="warning")
"""
Size = Literal["phone", "desktop"]
Scheme = Literal["light", "dark"]


@pytest.fixture(scope="session")
def league_database(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A league with all that pages show: final, provisional, waiting and failed scores; competitions that
    are finished, playing and open; and text that tries to be a script."""
    folder = tmp_path_factory.mktemp("league")
    url = f"sqlite:///{folder / 'league.db'}"
    store = Store(url)
    league = League(store)
    seed(league, PublishedFiles(None))
    key = league.register("Ada")
    competitions = Competitions(league)
    for number, name in enumerate(("corners", "edges")):
        league.submit(
            key, counter_file(folder, number), name=name, view="negation", note=f"{SCRIPT}\nSecond line.",
            link="https://example.org/ada?a=1&b=2",
        )  # fmt: skip
    ids = {row.name: row.id for row in league.table()}
    for name in ("Winter cup", "Spring cup", "Summer cup"):
        competition = competitions.open(name, 10)
        for player in ("standard-heuristic", "disc-difference", "corners", "edges"):
            competitions.nominate_any(competition, ids[player])
    competitions.start(1)
    worker = Worker(store, double_games=100, threads=1, draw=small_picture)
    while (held := worker.jobs.take()) is not None:
        assert worker.do(held)
    competitions.start(2)
    waiting = league.submit(key, counter_file(folder, 2), name="waits", view="inversion")
    failed = league.submit(key, counter_file(folder, 3), name="fails", view="inversion")
    with store.writing() as session:
        session.get_one(Player, failed.id).error = "it could not be read again"
        session.get_one(Player, waiting.id).description = f"a name of {SCRIPT}"
        for player_id in range(1, 5):
            add_final_score(session, player_id)
    store.close()
    return url


@pytest.fixture(scope="session")
def runs_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The learning runs that the server shows: none, until a test puts one there."""
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="session")
def league_server(
    league_database: str, runs_folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The base URL of a running server with a seeded league, but without a worker."""
    folder = tmp_path_factory.mktemp("server")
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-c", SERVER, league_database, str(port), str(runs_folder), ADMIN]
    with (folder / "log").open("w") as log, subprocess.Popen(command, stderr=log, cwd=folder) as process:
        try:
            _await(f"http://127.0.0.1:{port}", process, folder / "log")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(20)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One for a module: while it is open no other event loop can run in this process."""
    if not CHROMIUM.exists():
        pytest.skip("Chromium is not installed")
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield chromium
        chromium.close()


class PageAt:
    """Opens pages, and notes what browsers complain about: errors, and what the security policy forbids."""

    def __init__(self, browser: Any, base: str) -> None:
        self._browser, self._base = browser, base
        self._contexts: list[Any] = []
        self.complaints: list[str] = []

    def __call__(
        self, path: str, size: Size = "desktop", scheme: Scheme = "light", *, javascript: bool = True
    ) -> Any:
        width, height = SIZES[size]
        context = self._browser.new_context(
            base_url=self._base, viewport={"width": width, "height": height}, color_scheme=scheme,
            java_script_enabled=javascript, reduced_motion="reduce", has_touch=size == "phone",
        )  # fmt: skip
        context.set_default_timeout(120_000)  # a busy machine is no error
        self._contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: self._note(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self._note(str(error)))
        page.goto(path)
        return page

    def _note(self, text: str) -> None:
        self.complaints.append(text)

    def close(self) -> None:
        for context in self._contexts:
            context.close()


@pytest.fixture
def page_at(browser: Any, league_server: str) -> Iterator[PageAt]:
    """page_at("/players/1", "phone", "dark"): a page, open. The test fails if the browser complained, unless
    it expected that and cleared page_at.complaints."""
    opened = PageAt(browser, league_server)
    yield opened
    opened.close()
    assert opened.complaints == []


def screenshot(page: Any, name: str) -> None:
    """The whole page as a picture, if a folder for pictures is named."""
    if folder := os.environ.get("OUTFLANK_SCREENSHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)


def counter_file(folder: Path, number: int) -> Path:
    """A player of its own for each number."""
    path = folder / f"counter-{number}.player"
    save_player(StoredPlayer(PieceCounter([float(number + square % 9) for square in range(64)])), path)
    return path


def small_picture(_player: GreedyPlayer) -> bytes:
    """One for all: to draw large networks takes seconds."""
    return _picture_of_a_counter()


@cache
def _picture_of_a_counter() -> bytes:
    picture = io.BytesIO()
    draw_evaluator(PieceCounter([float(square % 9) for square in range(64)])).savefig(picture, dpi=50)
    return picture.getvalue()


def add_final_score(session: Session, player_id: int) -> None:
    score = 0.98 - 0.06 * (player_id % 8)
    wins = round(2 * DOUBLE_GAMES * score)
    doubles = (0, 0, 2 * DOUBLE_GAMES - wins, 0, wins - DOUBLE_GAMES)
    tally = Tally(wins, 0, 2 * DOUBLE_GAMES - wins, doubles)
    session.add(
        Score(player_id=player_id, double_games=DOUBLE_GAMES, seed="1", measured=time.time(), **counts(tally))
    )


def _await(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 180
    while time.monotonic() < until:
        assert process.poll() is None, log.read_text(encoding="utf-8")
        try:
            if httpx.get(f"{url}/healthz", timeout=60).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.1)
    raise AssertionError(f"no answer from the server: {log.read_text(encoding='utf-8')}")
