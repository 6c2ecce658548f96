"""The folder of `outflank page`: from file://, from a host, offline."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from outflank import Mlp, PieceCounter
from outflank.evaluators.storage import StoredPlayer, save_player
from outflank.interfaces.page.folder import STATIC, named_page_player, page_files, write_page
from tests.conftest import Outflank
from tests.interfaces.web.conftest import browser  # noqa: F401
from tests.interfaces.web.engine.conftest import Serve, serve  # noqa: F401

LARGEST = 3_000_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("made")
    save_player(StoredPlayer(PieceCounter(range(64)), "negation"), made / "mine.safetensors")
    page = made / "page"
    listed = [named_page_player("all-rounder"), named_page_player(str(made / "mine.safetensors"), 2)]
    write_page(page_files(listed, "My <players>"), page)
    return page


def test_a_page_with_all_rounder_has_at_most_3_mb() -> None:
    assert sum(map(len, page_files([named_page_player("all-rounder")]).values())) <= LARGEST


def test_the_levels_have_their_players() -> None:
    text = (STATIC / "board" / "opponents.js").read_text()
    needed = set(re.findall(r'player: "([^"]+)"', text))
    index = page_files([named_page_player("league-champion")])["index.html"].decode()
    config = json.loads(re.findall(r'id="config">(.*?)</script>', index)[0])
    assert needed
    assert needed <= {player["id"] for player in config["players"]}


def test_the_same_players_give_the_same_bytes(folder: Path) -> None:
    again = page_files([named_page_player("all-2")])
    assert again == page_files([named_page_player("all-2")])
    assert "service-worker.js" in again
    assert (folder / "index.html").read_text().count("&lt;players>") == 1


class Opened:
    """A page of the folder, and all that it asked for or complained about."""

    def __init__(self, context: Any, address: str) -> None:
        self.complaints: list[str] = []
        self.asked: list[str] = []
        self.page = context.new_page()
        self.page.on("console", lambda message: self._heard(message.type, message.text))
        self.page.on("pageerror", lambda error: self._heard("error", str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(address)

    def _heard(self, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.complaints.append(text)

    def play_one_move(self, opponent: str) -> None:
        """Black is a person, White answers."""
        page = self.page
        page.click("#new")
        page.select_option("#black-by", "you")
        page.select_option("#white-by", opponent)
        page.click("#new-form button.main[value=start]")
        page.click('.cell[data-square="f5"] .square')
        page.wait_for_function(
            "() => document.querySelectorAll('#moves .move').length === 2", timeout=120_000
        )


@pytest.fixture
def context(browser: Any) -> Iterator[Any]:  # noqa: F811
    made = browser.new_context()
    yield made
    made.close()


def test_it_works_from_a_file(context: Any, folder: Path) -> None:
    opened = Opened(context, (folder / "index.html").as_uri())
    for opponent in ("player-all-rounder", "player-player-2", "level-4"):
        opened.play_one_move(opponent)
    assert opened.complaints == []
    assert all(url.startswith(("file://", "blob:", "data:")) for url in opened.asked)


def test_it_works_offline_once_it_was_served(context: Any, folder: Path, serve: Serve) -> None:  # noqa: F811
    address = serve(folder)
    opened = Opened(context, f"{address}/index.html")
    opened.page.evaluate("async () => { await navigator.serviceWorker.ready; }")
    opened.page.wait_for_function("() => navigator.serviceWorker.controller !== null")
    assert all(url.startswith((address, "blob:", "data:")) for url in opened.asked)
    manifest = json.loads((folder / "manifest.webmanifest").read_text())
    assert {icon["sizes"] for icon in manifest["icons"]} == {"192x192", "512x512"}
    context.set_offline(True)
    again = Opened(context, f"{address}/")
    again.play_one_move("player-all-rounder")
    assert opened.complaints == again.complaints == []


def test_the_command(outflank: Outflank, tmp_path: Path) -> None:
    out = tmp_path / "page"
    made = json.loads(outflank("page", "all-2", "league-champion", "--out", str(out), "--json").stdout)
    assert made["players"] == ["all-2", "league-champion"]
    assert made["bytes"] == sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    (out / "files" / "stale.js").write_text("")
    said = outflank("page", "all-2", "--out", str(out)).stdout
    assert "Open" in said
    assert not (out / "files" / "stale.js").exists()
    assert not (out / "files" / "league-champion.safetensors.js").exists()


def test_what_a_page_cannot_have_is_refused(outflank: Outflank, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("mine")
    (tmp_path / "broken.player").write_text("1 2")
    save_player(StoredPlayer(Mlp()), tmp_path / "mlp.safetensors")
    for arguments, sentence in (
        (["all-2", "--out", str(tmp_path / "other")], "has other files in it"),
        (["all-2", "--out", str(tmp_path / "broken.player")], "is a file"),
        (["all-2,depth=3"], "depth is chosen on the page"),
        (["all-22"], "did you mean all-2"),
        (["random"], "random"),
        ([str(tmp_path / "broken.player")], "line 1"),
        ([f"{tmp_path / 'mlp.safetensors'},view=doubled"], "two evaluators"),
        (["all-2", "all-2"], "named twice"),
    ):
        done = outflank("page", "--out", str(tmp_path / "page"), *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert sentence in done.stderr
    assert (tmp_path / "other" / "thesis.txt").read_text() == "mine"
