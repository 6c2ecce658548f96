"""The notebooks of `examples/` as pages, with the outputs that are stored in them."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for path in sorted(EXAMPLES.glob("*.ipynb")):
        cells = nbformat.read(path, as_version=4).cells  # type: ignore[no-untyped-call]  # nbformat has no types
        figures: dict[str, bytes] = {}
        parts = [part for cell in cells for part in _parts(cell, path.stem, figures)]
        title, _, rest = "\n\n".join(parts).partition("\n")
        text = f"{title}\n\n*This page is the notebook `examples/{path.name}`.*\n{rest}\n"
        files.append(File.generated(config, f"examples/{path.stem}.md", content=text))
        for name, data in figures.items():
            files.append(File.generated(config, f"examples/{name}", content=data))
    return files


def _parts(cell: Any, stem: str, figures: dict[str, bytes]) -> Iterator[str]:
    """A cell in Markdown: text, or code and what it shows. Figures are added to those of the notebook."""
    if cell.cell_type == "markdown":
        yield cell.source
        return
    yield f"```python\n{cell.source}\n```"
    for output in cell.outputs:
        data = output.get("data", {})
        if "image/png" in data:
            name = f"{stem}-{len(figures) + 1}.png"
            figures[name] = base64.b64decode(data["image/png"])
            yield f"![what the cell above shows]({name})"
        elif text := output.get("text") or data.get("text/plain"):
            yield f"```text\n{text.rstrip()}\n```"
