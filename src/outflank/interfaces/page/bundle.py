"""ES modules as one classic script: browsers load neither modules nor workers from file:// pages.

>>> modules = {"a.js": "export const one = 1;", "b.js": 'import { one } from "./a.js";\\nalert(one);'}
>>> "const { one } = modules[0];" in bundled("b.js", modules.__getitem__)
True

For our own modules: imports by name or as a namespace, one statement each at the start of a line; exports in
front of a declaration. Anything else is refused.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from graphlib import CycleError, TopologicalSorter

IMPORT = re.compile(r'^import\s+(?:\*\s+as\s+(\w+)|\{([^}]*)\})\s+from\s+"(\.[^"]+)";[ \t]*$', re.MULTILINE)
EXPORT = re.compile(r"^export\s+((?:async\s+)?function\*?|class|const|let)\s+(\w+)", re.MULTILINE)
LEFT_OVER = re.compile(r"^(?:import\b(?!\s*\()|export\b).*", re.MULTILINE)


def bundled(entry: str, read: Callable[[str], str]) -> str:
    """The module `entry` and all that it imports, each in a function of its own. `read(path)`: its text."""
    texts: dict[str, str] = {}
    needs: dict[str, list[str]] = {}
    waiting = [entry]
    while waiting:
        path = waiting.pop()
        if path not in texts:
            texts[path] = read(path)
            needs[path] = [_resolved(path, found[3]) for found in IMPORT.finditer(texts[path])]
            waiting += needs[path]
    try:
        order = list(TopologicalSorter(needs).static_order())
    except CycleError as error:
        raise ValueError(f"modules import each other in a circle: {' -> '.join(error.args[1])}") from None
    numbers = {path: number for number, path in enumerate(order)}
    parts = [f"modules[{numbers[path]}] = {_wrapped(path, texts[path], numbers)};" for path in order]
    return "\n".join(['"use strict";', "{", "const modules = [];", *parts, "}", ""])


def _resolved(path: str, address: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), address))


def _wrapped(path: str, text: str, numbers: dict[str, int]) -> str:
    def bound(found: re.Match[str]) -> str:
        source = f"modules[{numbers[_resolved(path, found[3])]}]"
        if found[1]:
            return f"const {found[1]} = {source};"
        names = [" ".join(name.split()).replace(" as ", ": ") for name in found[2].split(",") if name.strip()]
        return f"const {{ {', '.join(names)} }} = {source};"

    exports = [found[2] for found in EXPORT.finditer(text)]
    body = EXPORT.sub(r"\1 \2", IMPORT.sub(bound, text))
    if left := LEFT_OVER.search(body):
        raise ValueError(f"{path} has a statement that cannot be bundled: {left[0]}")
    return f"(() => {{ // {path}\n{body}\nreturn {{ {', '.join(exports)} }};\n}})()"
