"""Docstrings as Markdown: doctests become blocks of Python, and `[64][hidden]` is no link.

Markdown would take `>>>` for three nested quotations. A module's docstring often opens with an example of
what it defines; it is shown with that name, if the name has no example of its own.
"""

from __future__ import annotations

import re

import griffe

START, END = "```pycon", "```"


def fenced(text: str) -> str:
    """The text with a fence around each doctest, which begins with `>>>` and ends with a blank line.

    >>> fenced("It adds.\\n\\n>>> 1 + 1\\n2").splitlines()
    ['It adds.', '', '```pycon', '>>> 1 + 1', '2', '```']
    """
    lines: list[str] = []
    is_within = False
    for line in text.splitlines():
        starts = line.startswith(">>> ") and not is_within
        ends = is_within and not line.strip()
        lines += [START] if starts else [END] if ends else []
        lines.append(line)
        is_within = (is_within or starts) and not ends
    return "\n".join([*lines, END] if is_within else lines)


def examples_of(name: str, text: str) -> str:
    """The fenced examples in a text that use a name.

    >>> examples_of("Board", "```pycon\\n>>> Board()\\n```\\n\\n```pycon\\n>>> 1\\n```").count(">>>")
    1
    """
    found = re.findall(rf"^{START}$.*?^{END}$", text, re.MULTILINE | re.DOTALL)
    return "\n\n".join(example for example in found if re.search(rf"\b{name}\b", example))


class DoctestFences(griffe.Extension):
    """For every docstring that mkdocstrings shows."""

    def on_package(self, *, pkg: griffe.Module, **_: object) -> None:
        self._visit(pkg)

    def _visit(self, parent: griffe.Object) -> None:
        if parent.docstring is not None:
            parent.docstring.value = _as_markdown(parent.docstring.value)
        for child in parent.members.values():
            if isinstance(child, griffe.Alias):
                continue
            self._visit(child)
            if parent.is_module and parent.docstring and child.docstring and END not in child.docstring.value:
                child.docstring.value += f"\n\n{examples_of(child.name, parent.docstring.value)}"


def _as_markdown(text: str) -> str:
    return fenced(re.sub(r"\[(\w+)\]\[(\w+)\]", r"[\1]\\[\2]", text))
