"""Validation of names, notes and links."""

from __future__ import annotations

import re
import unicodedata

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._()+\-]{0,38}[A-Za-z0-9.)+]|[A-Za-z0-9]")
LINK = re.compile(r"https?://[A-Za-z0-9.\-]+(:[0-9]{1,5})?(/[!-~]*)?")
LONGEST_NOTE = 500
LONGEST_LINK = 200


def checked_name(text: str, what: str) -> str:
    """
    >>> checked_name("wj-1-2-3-tuples", "player")
    'wj-1-2-3-tuples'
    >>> checked_name("", "entrant")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: an entrant's name has 1 to 40 letters, digits, spaces and . _ ( ) + -, and ...
    """
    if not NAME.fullmatch(text) or "  " in text:
        article = "an" if what[0] in "aeiou" else "a"
        raise ValueError(
            f"{article} {what}'s name has 1 to 40 letters, digits, spaces and . _ ( ) + -, "
            "and begins with a letter or digit"
        )
    return text


def folded(name: str) -> str:
    """Names that differ in case or separators alone are the same."""
    return re.sub(r"[ ._\-]+", "-", name.casefold())


def checked_note(text: str) -> str:
    if len(text) > LONGEST_NOTE:
        raise ValueError(f"a note has at most {LONGEST_NOTE} characters, this one has {len(text)}")
    if any(unicodedata.category(c) in ("Cc", "Cs", "Cf", "Co", "Cn") for c in text if c not in "\n\r\t"):
        raise ValueError("a note is plain text; it has a character that cannot be printed")
    return text.strip()


def checked_link(text: str) -> str:
    """
    >>> checked_link("https://example.org/me"), checked_link("")
    ('https://example.org/me', '')
    """
    text = text.strip()
    if text and (len(text) > LONGEST_LINK or not LINK.fullmatch(text) or re.search(r"[<>\"'`]", text)):
        raise ValueError(f"a link begins with http:// or https:// and has at most {LONGEST_LINK} characters")
    return text
