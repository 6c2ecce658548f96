"""The folder that `outflank page` writes: the board of the league's play page, the core, and players.

    index.html, page.css, page.js     the board: static/board, static/engine and static/page as one script
    files/NAME.js                     engine, players, their tunings and the book, packed (packing.py)
    manifest.webmanifest, icons, service-worker.js   installable, and offline once a host has served it

Everything is a script or a style sheet, because browsers let file:// pages load nothing else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any

from outflank.evaluators.doubled import DoubledFunction
from outflank.evaluators.protocol import CoreEvaluator
from outflank.evaluators.storage import VIEWS, StoredPlayer, View, file_content, read_player
from outflank.files import write_whole
from outflank.interfaces.page.bundle import bundled
from outflank.interfaces.page.packing import pack_file
from outflank.players.built_in import BUILT_IN, built_in_file
from outflank.players.names import short_name, split_name
from outflank.players.opening_book import built_in_book_file
from outflank.players.plugin_player import names_plugin_player
from outflank.players.search_tuning import SearchTuning, tuning_file
from outflank.players.solver import ordering_file
from outflank.suggestions import unknown

WEB = Path(__file__).parent.parent / "web"
STATIC = WEB / "static"
MARK = "<!-- outflank page -->"  # in every index.html of ours
IN_NO_LEVEL = ("league-champion", "td-all-rounder")  # so a page has them only if they are named
COACH = "all-rounder"  # gives hints, judges games
BOOK, ORDERING = "default.book", "solver-ordering.safetensors"
MOST_WEIGHTS, MOST_PLACEMENTS = 1 << 24, 1 << 14  # as in bindings/wasm/instance.hpp
OPTIONS = ("view", "tuned")
ICONS = ("icon-192.png", "icon-512.png")


@dataclass(frozen=True)
class PagePlayer:
    """A player as a page has it."""

    id: str
    name: str
    file: str  # the name of its file within the page
    content: bytes
    view: View
    tuning: bytes | None = None
    is_listed: bool = True
    note: str | None = None  # for whoever makes the page

    def config(self) -> dict[str, Any]:
        return {
            "id": self.id, "name": self.name, "note": "", "file": self.file, "view": self.view,
            "tuning": None if self.tuning is None else f"{self.id}.json", "isListed": self.is_listed,
        }  # fmt: skip


def named_page_player(text: str, number: int = 1) -> PagePlayer:
    """The player that a text names, for a page: a built-in name or a file, with view= or tuned=.

    >>> named_page_player("all-2").view
    'inversion'
    """
    source, options = split_name(text)
    if wrong := next((key for key in options if key not in OPTIONS), None):
        taken = " and ".join(OPTIONS)
        raise ValueError(f"{text}: {wrong} is chosen on the page; a player of a page takes {taken}")
    if source in BUILT_IN:
        path = built_in_file(source)
        id_, file = source, path.name
    elif Path(source).is_file():
        path, id_ = Path(source), f"player-{number}"
        file = f"{id_}.safetensors" if path.suffix == ".safetensors" else f"{id_}.player"
    elif names_plugin_player(source):
        raise ValueError(f"{source} is a plug-in, which is code; players of a page are data: name a file")
    else:
        raise ValueError(unknown(source, tuple(BUILT_IN), "a player or a file"))
    if path.suffix == ".onnx":
        raise ValueError(
            f"{source} is an ONNX network; a page plays n-tuple networks, piece counters and MLPs"
        )
    content = file_content(path)
    stored = read_player(content, source)
    _check_size(stored.evaluator, source)
    view, note = _view(text, source, stored, options.get("view"))
    return PagePlayer(id_, short_name(source), file, content, view, _tuning(source, options), note=note)


def _view(text: str, source: str, stored: StoredPlayer, asked: str | None) -> tuple[View, str | None]:
    """The view, and what its maker should know about it."""
    views: dict[str, View] = {view: view for view in VIEWS}
    if asked is not None and asked not in views:
        raise ValueError(unknown(asked, VIEWS, "a view"))
    chosen = views[asked] if asked else BUILT_IN[source].view if source in BUILT_IN else stored.view
    if (chosen == "doubled") != isinstance(stored.evaluator, DoubledFunction):
        raise ValueError(f"{text}: the view doubled is that of files with two evaluators, and of no other")
    if chosen is not None:
        return chosen, None
    advice = f"if it was made for board inversion, name it {source},view=inversion"
    return "negation", f"{source} does not say its view, so it plays by negation; {advice}"


def _tuning(source: str, options: Mapping[str, str]) -> bytes | None:
    path = Path(options["tuned"]) if "tuned" in options else tuning_file(source)
    if "tuned" not in options and (source not in BUILT_IN or not path.exists()):
        return None
    SearchTuning.load(path)  # which refuses what is none
    return path.read_bytes()


def _check_size(evaluator: object, source: str) -> None:
    parts = [evaluator]
    if isinstance(evaluator, DoubledFunction):
        parts = [evaluator.for_black, evaluator.for_white]
    for part in parts:
        if not isinstance(part, CoreEvaluator):
            continue
        weights = part.weights.size
        placements = sum(map(len, part.architecture.get("tables", ())))
        if weights > MOST_WEIGHTS or placements > MOST_PLACEMENTS:
            raise ValueError(
                f"{source} is too large for a page: it has {weights:,} weights and {placements:,} "
                f"placements; the most are {MOST_WEIGHTS:,} and {MOST_PLACEMENTS:,}"
            )


def house_players(listed: Sequence[PagePlayer]) -> list[PagePlayer]:
    """The built-in players that the levels are made of, but those that are listed anyway."""
    there = {player.id for player in listed}
    names = [name for name in BUILT_IN if name not in (*there, *IN_NO_LEVEL)]
    unlisted = [named_page_player(name) for name in names]
    return [PagePlayer(p.id, p.name, p.file, p.content, p.view, p.tuning, is_listed=False) for p in unlisted]


def page_files(listed: Sequence[PagePlayer], title: str = "outflank") -> dict[str, bytes]:
    """The files of a page by their paths within its folder."""
    players = [*listed, *house_players(listed)]
    packed = {
        "engine.wasm": (STATIC / "engine" / "engine.wasm").read_bytes(),
        "engine-worker.js": _script("engine/engine-worker.js").encode(),
        BOOK: built_in_book_file().read_bytes(),
        ORDERING: ordering_file(),
        **{player.file: player.content for player in players},
        **{f"{player.id}.json": player.tuning for player in players if player.tuning is not None},
    }
    config = {"players": [p.config() for p in players], "coach": COACH, "book": BOOK, "ordering": ORDERING}
    files = {
        "index.html": _index(title, config).encode(),
        "page.css": b"".join((STATIC / name).read_bytes() for name in ("style.css", "board/board.css")),
        "page.js": _script("page/start.js").encode(),
        "manifest.webmanifest": _manifest(title).encode(),
        "icon.svg": (STATIC / "icon.svg").read_bytes(),
        **{name: (STATIC / "page" / name).read_bytes() for name in ICONS},
        **{f"files/{name}.js": pack_file(name, content).script(name) for name, content in packed.items()},
    }
    return {**files, "service-worker.js": _service_worker(files).encode()}


def write_page(files: Mapping[str, bytes], folder: Path) -> None:
    """Writes a page; replaces one of ours, and no other folder."""
    index = folder / "index.html"
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder} is a file; choose another folder")
    is_ours = index.is_file() and MARK in index.read_text(encoding="utf-8", errors="replace")
    if folder.is_dir() and any(folder.iterdir()) and not is_ours:
        raise ValueError(f"{folder} has other files in it; choose another folder with --out")
    (folder / "files").mkdir(parents=True, exist_ok=True)
    for old in (folder / "files").glob("*.js"):
        if f"files/{old.name}" not in files:
            old.unlink()
    for name, content in files.items():
        write_whole(folder / name, content)


def _script(entry: str) -> str:
    return bundled(entry, lambda path: (STATIC / path).read_text(encoding="utf-8"))


def _index(title: str, config: Mapping[str, Any]) -> str:
    template = Template((STATIC / "page" / "index.html").read_text(encoding="utf-8"))
    board = (WEB / "templates" / "board.html").read_text(encoding="utf-8")
    escaped = title.replace("&", "&amp;").replace("<", "&lt;")
    return template.substitute(title=escaped, board=board, config=json.dumps(config).replace("<", "\\u003c"))


def _manifest(title: str) -> str:
    icons = [
        {"src": name, "sizes": f"{name[5:8]}x{name[5:8]}", "type": "image/png", "purpose": "any maskable"}
        for name in ICONS
    ]
    return json.dumps(
        {
            "name": title, "short_name": "outflank", "start_url": "./", "scope": "./",
            "display": "standalone", "background_color": "#1d6b45", "theme_color": "#1d6b45", "icons": icons,
        }
    )  # fmt: skip


def _service_worker(files: Mapping[str, bytes]) -> str:
    digest = hashlib.sha256()
    for name in sorted(files):
        digest.update(name.encode() + b"\0" + files[name])
    names = ["./", *files]
    text = (STATIC / "page" / "service-worker.js").read_text(encoding="utf-8")
    return (
        f"const VERSION = {json.dumps(digest.hexdigest()[:16])};\nconst FILES = {json.dumps(names)};\n{text}"
    )
