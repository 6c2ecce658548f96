"""Every example in docstrings, in the README and in docs is run, and every path they name exists.

A page's blocks run in order, in one empty folder per page, with nothing but the installed package:
`console` blocks line by line (a command follows `$ `, anything else is its output), `python` blocks as they
are. A block of Python or TOML whose first line is `# FILE` is also saved as that file. A comment
`<!-- server: ... -->` before a block keeps its last command running until the end of the page; port 8000 is
replaced by a free one. A comment `<!-- not run: REASON -->` before a block exempts it (it needs a cluster,
hours or files of others), and `<!-- not run on this page: REASON -->` all blocks after it; their commands are
still parsed, like those in the text. `python -m tests.test_documentation` prints how many there are.
"""

from __future__ import annotations

import contextlib
import doctest
import functools
import importlib
import itertools
import os
import pkgutil
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import typer
from benchmarks import core_report
from markdown_it import MarkdownIt
from markdown_it.token import Token

import outflank
from outflank.interfaces.cli import ClickError, app
from tests.conftest import ROOT

PACKAGE = ROOT / "src" / "outflank"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    ROOT / "examples" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "tutorial").glob("*.md")),
]
NOT_RUN = re.compile(r"<!-- not run(?P<page> on this page)?: \S.* -->\s*")
SERVER = re.compile(r"<!-- server: \S.* -->\s*")
FILE = re.compile(r"# (?P<name>[\w-]+\.(?:py|toml))(?=[:\s])")  # the first line of a block that is one
PORT = "8000"  # of a league, in documents
SECONDS_PER_COMMAND = 120
MODULES = [
    name
    for _, name, _ in pkgutil.walk_packages(outflank.__path__, "outflank.")
    if "_core" not in name and ".peers" not in name
]


@pytest.mark.parametrize("name", ["outflank", *MODULES])
def test_docstrings(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        if "pip install" not in str(error):  # the sentence of a module that needs an extra
            raise
        pytest.skip(str(error))
    assert doctest.testmod(module).failed == 0


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@dataclass(frozen=True)
class Block:
    """Code between fences, or indented."""

    language: str
    code: str
    is_run: bool
    is_server: bool = False


def _tokens(page: Path) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))


def _blocks(page: Path) -> Iterator[Block]:
    exempt: re.Match[str] | None = None
    is_server = False
    for token in _tokens(page):
        if token.type in ("fence", "code_block"):
            is_file = token.info == "toml" and FILE.match(token.content) is not None
            is_run = (token.info in ("console", "python") or is_file) and exempt is None
            # A plain block that holds a command of ours is an oversight: it counts as run, and fails.
            is_oversight = exempt is None and token.info != "python" and bool(_arguments(token.content))
            yield Block(token.info, token.content, is_run or is_oversight, is_server)
        is_server = token.type == "html_block" and SERVER.fullmatch(token.content) is not None
        if exempt is None or not exempt["page"]:
            exempt = NOT_RUN.fullmatch(token.content) if token.type == "html_block" else None


def _code_spans(page: Path) -> list[str]:
    inline = [child for token in _tokens(page) for child in token.children or ()]
    return [token.content for token in inline if token.type == "code_inline"]


def _arguments(code: str) -> list[list[str]]:
    """The arguments of every outflank command in a piece of shell."""
    found = []
    for line in code.replace("\\\n", " ").splitlines():
        if match := re.match(r"(?:\$ )?(?:\w+=\S+ )*outflank (.+)", line.strip()):
            words = shlex.split(match[1], comments=True)
            ends = [i for i, word in enumerate(words) if word in ("&", "&&", "|", ">", "<")]
            found.append(words[: min(ends, default=len(words))])
    return found


@pytest.mark.timeout(1200)  # a page is up to thirty commands
@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    monkeypatch.syspath_prepend(tmp_path)  # Python finds the files of the page, as in a folder of your own
    if page.parent.name == "examples":
        shutil.copytree(page.parent, tmp_path, dirs_exist_ok=True)
    modules = set(sys.modules)
    try:
        with _Reader(monkeypatch) as reader:
            for block in _blocks(page):
                if block.is_run:
                    reader.follow(block, page)
        assert not reader.faults, "\n\n".join(reader.faults)
    finally:
        for name in set(sys.modules) - modules:  # the next page may have another `mine`
            if getattr(sys.modules[name], "__file__", None) and str(tmp_path) in str(
                sys.modules[name].__file__
            ):
                del sys.modules[name]


def _commands(code: str) -> list[str]:
    lines = code.replace("\\\n", " ").splitlines()
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


class _Reader:
    """Does what a page says, block by block; servers that it starts end with it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.faults: list[str] = []
        self._monkeypatch = monkeypatch
        self._servers: list[subprocess.Popen[str]] = []
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self._port = str(probe.getsockname()[1])

    def __enter__(self) -> _Reader:
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._servers:
            server.terminate()
        for server in self._servers:
            server.communicate(timeout=60)

    def follow(self, block: Block, page: Path) -> None:
        code = re.sub(rf"(127\.0\.0\.1:|--port ){PORT}\b", rf"\g<1>{self._port}", block.code)
        if file := FILE.match(code):
            Path(file["name"]).write_text(code, encoding="utf-8")
        if block.language == "python":
            assert not self.faults, "\n\n".join(self.faults)  # the code may use what the commands made
            exec(compile(code, page.name, "exec"), {"__name__": page.stem})
        elif block.language == "console":
            commands = _commands(code)
            started = [commands.pop()] if block.is_server else []
            self.faults += [fault for command in commands if (fault := self._fault_of(command))]
            for command in started:
                self._start(command)
        elif file is None:
            self.faults.append(f"neither `console` nor marked as `<!-- not run: REASON -->`:\n{code}")

    def _fault_of(self, command: str) -> str:
        """Why a command failed; empty if it did not. A variable that it exports is there from now on."""
        exported = re.match(r"export (\w+)=", command)
        result = subprocess.run(
            [
                "bash",
                "-o",
                "pipefail",
                "-c",
                f'{command}; printf %s "${exported[1]}"' if exported else command,
            ],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS_PER_COMMAND,
        )
        if exported:
            self._monkeypatch.setenv(exported[1], result.stdout)
        return f"$ {command}\n{result.stderr or result.stdout}" if result.returncode else ""

    def _start(self, command: str) -> None:
        """A server, until its port answers."""
        with Path("server.log").open("w", encoding="utf-8") as log:
            process = subprocess.Popen(["bash", "-c", f"exec {command}"], stdout=log, stderr=log, text=True)
        self._servers.append(process)
        deadline = time.monotonic() + SECONDS_PER_COMMAND
        while time.monotonic() < deadline and process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", int(self._port)), 1):
                return
            time.sleep(0.1)
        self.faults.append(f"$ {command}\n{Path('server.log').read_text(encoding='utf-8')}")


def counted() -> dict[str, int]:
    """What the documents hold that tests run, and what they only parse."""
    blocks = [block for page in PAGES for block in _blocks(page)]
    run = [block for block in blocks if block.is_run]
    parsed = [block.code for block in blocks if not block.is_run and block.language != "python"]
    parsed += [span for page in PAGES for span in _code_spans(page)]
    finder = doctest.DocTestFinder()
    tests = [test for module in _importable() for test in finder.find(module)]
    return {
        "commands run": sum(len(_commands(block.code)) for block in run if block.language == "console"),
        "snippets of Python and files run": sum(block.language != "console" for block in run),
        "lines of doctests run": sum(len(test.examples) for test in tests),
        "commands parsed alone": sum(len(_arguments(code)) for code in parsed),
        "blocks of Python not run": sum(b.language == "python" and not b.is_run for b in blocks),
    }


def _importable() -> Iterator[Any]:
    for name in ("outflank", *MODULES):
        with contextlib.suppress(ImportError):
            yield importlib.import_module(name)


def test_most_of_the_documents_is_run() -> None:
    found = counted()
    assert found["commands run"] > 100
    assert found["snippets of Python and files run"] > 15
    assert found["lines of doctests run"] > 500
    assert found["blocks of Python not run"] < found["snippets of Python and files run"] / 5


def test_snippets_and_the_template_are_typed(tmp_path: Path) -> None:
    """What users copy passes `mypy --strict` as it is."""
    blocks = [block.code for block in _blocks(ROOT / "README.md") if block.language == "python"]
    assert blocks
    files = [tmp_path / f"readme_{number}.py" for number in range(len(blocks))]
    for file, code in zip(files, blocks, strict=True):
        file.write_text(code)
    template = ROOT / "examples" / "plugin" / "src"
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *map(str, [*files, *template.rglob("*.py")])],
        cwd=ROOT, env={**os.environ, "MYPYPATH": f"{template}"}, capture_output=True, text=True,
    )  # fmt: skip
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_commands_that_are_not_run_can_be_parsed(page: Path) -> None:
    pieces = [*_code_spans(page), *(block.code for block in _blocks(page) if block.language != "python")]
    for arguments in (arguments for piece in pieces for arguments in _arguments(piece)):
        _parse(arguments)


@functools.cache
def _command_line() -> Any:
    return typer.main.get_command(app)


def _parse(arguments: list[str]) -> None:
    """Fails on a command or an option that does not exist; values and files are not looked at."""
    command = _command_line()
    rest = [*arguments, "VALUE"]  # for an option that is named without its value
    while hasattr(command, "commands") and rest and not rest[0].startswith("-"):
        assert rest[0] in command.list_commands(None), f"no such command: outflank {shlex.join(arguments)}"
        command = command.get_command(None, rest.pop(0))
    context = command.context_class(command, **command.context_settings)
    try:
        command.make_parser(context).parse_args(args=rest)
    except ClickError as error:
        pytest.fail(f"outflank {shlex.join(arguments)}: {error}")


def test_stale_commands_would_be_found() -> None:
    with pytest.raises(AssertionError, match="no such command"):
        _parse(["scores", "all-2"])
    with pytest.raises(pytest.fail.Exception, match="--doubles"):
        _parse(["score", "all-2", "--doubles", "3"])
    assert _arguments("$ A=b outflank games stats *.wtb  # all\nls") == [["games", "stats", "*.wtb"]]


LINKED = [*PAGES, ROOT / "CHANGELOG.md", *sorted((ROOT / "docs" / "papers").glob("*.md"))]


@pytest.mark.parametrize("page", LINKED, ids=_name)
def test_links_lead_somewhere(page: Path) -> None:
    """Files and headings, by the anchors that GitHub gives them; the site's are the same."""
    children = [child for token in _tokens(page) for child in token.children or ()]
    targets = {str(token.attrs.get("href", token.attrs.get("src", ""))) for token in children} - {""}
    broken = []
    for target in sorted(target for target in targets if not target.startswith(("http", "mailto:"))):
        path, _, anchor = target.partition("#")
        file = page.parent / unquote(path) if path else page
        if not file.exists() or (anchor and unquote(anchor) not in _anchors(file)):
            broken.append(target)
    assert broken == []


@functools.cache
def _anchors(page: Path) -> set[str]:
    """Lower case, punctuation dropped, spaces as hyphens, and a number for a heading that comes again."""
    tokens = _tokens(page)
    titles = [
        "".join(child.content for child in inline.children or () if child.type in ("text", "code_inline"))
        for opening, inline in itertools.pairwise(tokens)
        if opening.type == "heading_open"
    ]
    anchors: set[str] = set()
    for title in titles:
        anchor = re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")
        number = next(n for n in itertools.count() if (f"{anchor}-{n}" if n else anchor) not in anchors)
        anchors.add(f"{anchor}-{number}" if number else anchor)
    return anchors


def test_missing_anchors_would_be_found(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("# A `view`, 10 % more\n\n## Twice\n\n## Twice\n")
    assert _anchors(tmp_path / "page.md") == {"a-view-10--more", "twice", "twice-1"}


# What a page names in `code`: files from the repository's root, from src/outflank or from core, and what is
# defined in them after a colon, as in `games/match.py:Match.play`.
NAMED_FILE = re.compile(
    r"([\w./-]*\w(?:/|\.(?:py|pyi|cpp|hpp|md|toml|txt|js|html|conf|cff|yaml)))(?::([\w.]+))?"
)
ARCHITECTURE = ROOT / "docs" / "architecture.md"
ROOTS = (ROOT, PACKAGE, ROOT / "core")


@pytest.mark.parametrize("page", [ARCHITECTURE, ROOT / "CONTRIBUTING.md"], ids=_name)
def test_what_the_page_names_is_there(page: Path) -> None:
    named = [match for span in _code_spans(page) if (match := NAMED_FILE.fullmatch(span))]
    assert named
    missing = [match[0] for match in named if not _is_there(match[1], match[2])]
    assert missing == []


def _is_there(path: str, name: str | None) -> bool:
    file = next((root / path for root in ROOTS if (root / path).exists()), None)
    if file is None or name is None:
        return file is not None
    if file.suffix == ".py" and file.is_relative_to(PACKAGE):
        found: Any = importlib.import_module(_module_name(file))
        for part in name.split("."):
            if not hasattr(found, part):
                return False
            found = getattr(found, part)
        return True
    return re.search(rf"\b{re.escape(name.split('.')[-1])}\b", file.read_text()) is not None


def _module_name(file: Path) -> str:
    parts = file.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_missing_names_would_be_found() -> None:
    assert _is_there("games/match.py", "Match.play")
    assert not _is_there("games/match.py", "Match.plays")
    assert not _is_there("games/" + "matches.py", None)
    assert _is_there("core/rules/bitboard.hpp", "flips")
    assert not _is_there("core/rules/bitboard.hpp", "flip_flops")


CITED = re.compile(r"(?<![\w/.])(?:\w+/)+\w+\.(?:py|cpp|hpp|md)\b")
FOLDERS = ("src", "core", "bindings", "tests", "benchmarks")
SOURCES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.[ch]pp"))]
SOURCES += [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]


def test_code_cites_files_that_are_there() -> None:
    there = "\n".join(f"{path}" for path in [*SOURCES, *PAGES, *(ROOT / "benchmarks").glob("*.md")]) + "\n"
    cited = {(path, name) for path in SOURCES for name in CITED.findall(path.read_text())}
    assert cited
    assert sorted((path, name) for path, name in cited if f"/{name}\n" not in there) == []


def test_the_speeds_are_those_of_the_result_file() -> None:
    marked = []
    for page in (core_report.README, core_report.STRENGTH):
        text = page.read_text()
        marked += [found[1] for found in core_report.MARKED.findall(text)]
        assert core_report.written(text) == text
    assert sorted(marked) == sorted(core_report.REPORTS)


def test_the_version_is_one() -> None:
    written = [
        re.search(r'^version(?:: | = ")([\w.]+)', (ROOT / file).read_text(), re.MULTILINE)
        for file in ("CITATION.cff", "pyproject.toml")
    ]
    assert [match and match[1] for match in written] == [outflank.__version__] * 2


def test_git_ignores_no_file_of_the_repository() -> None:
    """Such a file would be left out of wheels, and out of what ruff looks at."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone")
    command = ["git", "ls-files", "--cached", "--ignored", "--exclude-standard"]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout == ""


def _tree() -> list[Path]:
    """The files and folders of the tree in architecture.md: one entry per line, indented by its folder."""
    block = next(block for block in _blocks(ARCHITECTURE) if "src/outflank/" in block.code)
    paths: list[Path] = []
    folders: list[tuple[int, Path]] = [(-1, ROOT)]
    for line in block.code.splitlines():
        names = re.match(r"( *)(\S+(?:, \S+)*)(?:  |$)", line)
        if names is None:  # the rest of a description
            continue
        while len(names[1]) <= folders[-1][0]:
            folders.pop()
        paths += [folders[-1][1] / name for name in names[2].split(", ")]
        folders.append((len(names[1]), paths[-1]))
    return paths


def test_the_tree_is_the_repository() -> None:
    tree = _tree()
    assert [path for path in tree if not path.exists()] == []
    folders = [folder for folder in PACKAGE.glob("**/") if list(folder.glob("*.py"))]
    depth = len(PACKAGE.parts) + 2
    shown = {folder for folder in folders if len(folder.parts) <= depth and "peers" not in folder.name}
    assert shown <= set(tree), "folders that the tree does not show"


if __name__ == "__main__":
    print(", ".join(f"{count:,} {what}" for what, count in counted().items()))
