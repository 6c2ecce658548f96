"""The changelog's section of a release, printed: `python .github/release_notes.py v0.1.0`.

Ends with a sentence unless tag, pyproject.toml, package, citation and changelog name one version.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = {
    "pyproject.toml": r'^version = "(.+)"$',
    "src/outflank/__init__.py": r'^__version__ = "(.+)"$',
    "CITATION.cff": r"^version: (.+)$",
}


def release_notes(tag: str, root: Path = ROOT) -> str:
    for file, pattern in VERSIONS.items():
        found = re.search(pattern, (root / file).read_text(), re.MULTILINE)
        if found is None or f"v{found[1]}" != tag:
            raise ValueError(f"the tag is {tag}, but {file} says {found[1] if found else 'nothing'}")
    heading = rf"^## \[{re.escape(tag.removeprefix('v'))}\].*\n"
    section = re.search(heading + r"((?:(?!## ).*\n?)*)", (root / "CHANGELOG.md").read_text(), re.MULTILINE)
    if section is None or not section[1].strip():
        raise ValueError(f"CHANGELOG.md has no section for {tag}: give [Unreleased] that name and a date")
    return section[1].strip()


if __name__ == "__main__":
    try:
        print(release_notes(sys.argv[1]))
    except ValueError as error:
        sys.exit(str(error))
