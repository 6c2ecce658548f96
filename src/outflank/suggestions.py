"""Did you mean: error sentences for unknown words."""

from __future__ import annotations

import difflib


def unknown(word: str, known: tuple[str, ...], kind: str) -> str:
    """A sentence that says a word is unknown and suggests the nearest known one."""
    nearest = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    hint = f"did you mean {nearest[0]}?" if nearest else f"known: {', '.join(known)}"
    return f"{word!r} is not {kind}; {hint}"
