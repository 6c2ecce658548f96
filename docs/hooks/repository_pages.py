"""Files outside docs/ that pages link to are pages of the site as well, and all links lead to them.

In the repository, `docs/league.md` links to `../deploy/nginx.conf`, and `CONTRIBUTING.md` to
`docs/architecture.md`. Readers there see the files; here each such file becomes a page: Markdown as it
is, code between fences.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(?<=\]\()(?!https?:|mailto:|#)(?P<path>[^)#\s]+)(?P<anchor>#[^)\s]*)?(?=\))")
# Pages of their own, by their path in the repository.
PAGES = {
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "SECURITY.md": "project/security.md",
    "README.md": "index.md",
    "examples/README.md": "examples/index.md",
    "examples/plugin/README.md": "examples/plugin.md",
    "examples/plugin": "examples/plugin.md",
}
LANGUAGES = {".conf": "nginx", ".py": "python", ".toml": "toml", ".cff": "yaml", ".txt": "text"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages, and every file that one of them links to."""
    waiting = [ROOT / path for path in PAGES if path.endswith(".md") and path != "README.md"]
    waiting += [
        Path(file.abs_src_path) for file in files if file.is_documentation_page() and file.abs_src_path
    ]
    seen: set[str] = set()
    while waiting:
        source = waiting.pop()
        inside = source.relative_to(ROOT).as_posix()
        if inside in seen:
            continue
        seen.add(inside)
        if not inside.startswith("docs/") and source.suffix != ".ipynb":
            files.append(File.generated(config, page_of(inside), content=_content(source)))
        if source.suffix == ".md":
            waiting += [target for target in _targets(source) if target.suffix != ".ipynb"]
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Links, which are relative to the file in the repository, become relative to the page."""
    here = page.file.src_uri
    source = SOURCES.get(here, f"docs/{here}")

    def moved(link: re.Match[str]) -> str:
        inside = os.path.normpath(Path(source).parent / link["path"])
        if not (ROOT / inside).exists():  # a notebook's figure, beside its page; MkDocs finds broken links
            return link[0]
        target = page_of(inside)
        return os.path.relpath(target, Path(here).parent) + (link["anchor"] or "")

    is_repository_file = (ROOT / source).exists()
    return LINK.sub(moved, markdown) if is_repository_file else markdown


def page_of(inside: str) -> str:
    """The page that shows a file of the repository."""
    if inside in PAGES:
        return PAGES[inside]
    if inside.startswith("docs/"):
        return inside.removeprefix("docs/")
    if inside.endswith(".ipynb"):
        return inside.removesuffix(".ipynb") + ".md"
    return f"source/{inside}.md" if not inside.endswith(".md") else f"source/{inside}"


SOURCES = {page: path for path, page in PAGES.items() if path.endswith(".md") and path != "README.md"}
SOURCES |= {
    page_of(f"examples/{path.name}"): f"examples/{path.name}" for path in (ROOT / "examples").glob("*.ipynb")
}


def _targets(source: Path) -> Iterator[Path]:
    for link in LINK.finditer(source.read_text(encoding="utf-8")):
        target = Path(os.path.normpath(source.parent / link["path"]))
        if target.is_dir() and target.is_relative_to(ROOT):
            target = target / "README.md"
        if target.is_file() and not target.is_relative_to(ROOT / "docs") and target != ROOT / "README.md":
            yield target


def _content(source: Path) -> str:
    text = source.read_text(encoding="utf-8")
    if source.suffix == ".md":
        return text
    inside = source.relative_to(ROOT).as_posix()
    if source.suffix == ".py" and (about := ast.get_docstring(ast.parse(text))):
        heading = f"# {source.name}\n\n{about.splitlines()[0]}\n\n`{inside}`"
    else:
        heading = f"# {source.name}\n\n`{inside}`"
    if "```" in text:
        raise PluginError(f"{inside} has a fence of its own")
    return f"{heading}\n\n```{LANGUAGES.get(source.suffix, 'text')}\n{text}```\n"
