"""Error sentences: did you mean, and what was got."""

from __future__ import annotations

import difflib

LONGEST_SHOWN = 80  # letters of a wrong value


def shown(value: object) -> str:
    """A wrong value in a sentence: on one line, and not all of a large one.

    >>> shown("f5"), len(shown([1] * 1000)), shown([1] * 1000)[-6:]
    ("'f5'", 80, ', 1...')
    """
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."


def unknown(word: str, known: tuple[str, ...], kind: str) -> str:
    """A sentence that says a word is unknown and suggests the nearest known one."""
    nearest = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    hint = f"did you mean {nearest[0]}?" if nearest else f"known: {', '.join(known)}"
    return f"{word!r} is not {kind}; {hint}"
