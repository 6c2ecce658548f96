"""The documentation site as it is built: strict, whole, and without anything from other sites."""

from __future__ import annotations

import functools
import http.server
import importlib.util
import json
import os
import re
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
import typer
from markdown_it import MarkdownIt

import outflank
from outflank.interfaces.cli import app
from tests.conftest import ROOT
from tests.interfaces.web.conftest import browser as browser

PAGES = [path for folder in (".", "tutorial", "papers") for path in (ROOT / "docs" / folder).glob("*.md")]
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As `make docs` builds it."""
    if importlib.util.find_spec("mkdocs") is None:
        pytest.skip("mkdocs is not installed: pip install 'outflank[docs]'")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    assert result.returncode == 0, result.stderr
    return folder


class _Page(HTMLParser):
    """What a page links to and loads, what can be linked to in it, and the elements of its text."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.elements: Counter[str] = Counter()
        self._is_text = False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        self._is_text |= tag == "article"
        if self._is_text:
            self.elements[tag] += 1
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        elif tag == "link" and values.get("rel") not in ("canonical", "next", "prev"):
            self.loaded.append(values["href"])
        elif "src" in values:
            self.loaded.append(values["src"])

    def handle_endtag(self, tag: str) -> None:
        self._is_text &= tag != "article"


@functools.cache
def _page(path: Path) -> _Page:
    return _Page(path)


@pytest.mark.parametrize("hook", sorted((ROOT / "docs" / "hooks").glob("*.py")), ids=lambda path: path.stem)
def test_hooks(hook: Path) -> None:
    """The examples in what makes pages while the site is built."""
    result = subprocess.run([sys.executable, "-m", "doctest", str(hook)], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_page_has_one_place_in_the_menu() -> None:
    """One that is there twice is its neighbours' next page as well as their previous one."""
    menu = (ROOT / "mkdocs.yml").read_text().partition("\nnav:")[2].partition("\nvalidation:")[0]
    pages = Counter(re.findall(r"[\w/.-]+\.md\b", menu))
    assert len(pages) > 30
    assert [page for page, count in pages.items() if count > 1] == []


def test_links_and_anchors(site: Path) -> None:
    broken = []
    for path in site.rglob("*.html"):
        if path.name == "404.html":  # links from the root of a host
            continue
        page = _page(path)
        for link in {*page.links, *page.loaded}:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https", "mailto", "data", "javascript"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            anchor = unquote(parts.fragment)
            if not target.is_file() or (
                anchor and target.suffix == ".html" and anchor not in _page(target).anchors
            ):
                broken.append(f"{path.relative_to(site)}: {link}")
    assert sorted(broken) == []


def test_nothing_comes_from_other_sites(site: Path) -> None:
    loaded = {address for path in site.rglob("*.html") for address in _page(path).loaded}
    styles = {
        address
        for path in site.rglob("*.css")
        for address in re.findall(r"url\(['\"]?(?!data:)([^)'\"]+)", path.read_text())
    }
    assert [address for address in loaded | styles if re.match(r"(https?:)?//", address)] == []


def test_every_public_name_is_in_the_reference(site: Path) -> None:
    pages = "".join(path.read_text() for path in (site / "reference").rglob("*.html"))
    missing = [name for name in outflank.__all__ if f'id="{_defined_in(name)}.{name}"' not in pages]
    assert missing == []


def _defined_in(name: str) -> str:
    return str(getattr(outflank, name).__module__)


def test_every_command_and_option_is_in_the_reference(site: Path) -> None:
    text = re.sub(r"<[^>]+>", "", (site / "reference" / "cli.html").read_text())
    root: Any = typer.main.get_command(app)

    def commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
        yield name, command
        for inner in command.list_commands(None) if hasattr(command, "commands") else ():
            yield from commands(command.get_command(None, inner), f"{name} {inner}")

    found = [(name, command) for name, command in commands(root, "outflank") if name != "outflank"]
    assert len(found) > 30
    for name, command in found:
        assert f"{name}&para;" in text or f"{name}¶" in text, name
        for option in (
            each for each in command.params if each.param_type_name == "option" and not each.hidden
        ):
            assert option.opts[0] in text, f"{name} {option.opts[0]}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT / "docs").as_posix())
def test_pages_read_as_in_the_repository(page: Path, site: Path) -> None:
    """Lists, tables and blocks of code are the same by CommonMark, as on GitHub, and by MkDocs."""
    html = MarkdownIt("commonmark").enable("table").render(page.read_text(encoding="utf-8"))
    inside = page.relative_to(ROOT / "docs").with_suffix(".html")
    built = _page(site / (inside.with_name("index.html") if page.stem == "README" else inside))
    kinds = ("li", "table", "tr", "pre", "img", "h2", "h3")
    expected = {kind: len(re.findall(rf"<{kind}[ >]", html)) for kind in kinds}
    assert {kind: built.elements[kind] for kind in kinds} == expected


@pytest.mark.parametrize("notebook", sorted((ROOT / "examples").glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_are_shown_whole(notebook: Path, site: Path) -> None:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    figures = sum("image/png" in output.get("data", {}) for output in outputs)
    codes = sum(cell["cell_type"] == "code" for cell in cells)
    page = _page(site / "examples" / f"{notebook.stem}.html")
    assert page.elements["img"] == figures
    assert page.elements["pre"] == codes + len(outputs) - figures


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("size", SIZES)
def test_in_a_browser(size: str, address: str, browser: Any) -> None:
    """Search works, the theme changes, nothing is wider than the window, no other site is asked."""
    width, height = SIZES[size]
    context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce")
    context.set_default_timeout(120_000)  # a busy machine is no error
    page = context.new_page()
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    for path in (
        "/",
        "/reference/cli.html",
        "/reference/players.html",
        "/learning.html",
        "/examples/learn-and-look.html",
    ):
        page.goto(address + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("c => getComputedStyle(document.body).backgroundColor != c", arg=before)

    page.goto(address)
    if size == "phone":
        page.locator("label.md-header__button[for=__search]").click()
    page.locator(".md-search__input").click()
    page.keyboard.type("forced random move")
    page.locator(".md-search-result__link").first.wait_for()
    assert page.locator(".md-search-result__link").count() > 3
    context.close()
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []
    assert complaints == []
