"""Files as short text for a script: filtered, deflated, and sixteen bits to a character of UTF-16.

>>> import numpy as np
>>> packed = pack(np.zeros(1000, dtype=np.float32).tobytes(), FLOATS)
>>> len(packed.text) < 50, packed.filter
(True, 'floats')

Pages opened from file:// may not fetch, so that data must be in scripts, as text. Base64 takes 8 bytes for 6;
this takes 8 for 7.75. A script that begins with a byte order mark is UTF-16, whatever its host says (Encoding
Standard, "decode"). The browser's side is static/page/unpack.js. It gives back exactly the same bytes, except
the tables of a deep network: those come back as the core reads them (deep_tables.py).
"""

from __future__ import annotations

import codecs
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from outflank.interfaces.page.deep_tables import filtered_tables

Filter = Literal["none", "floats", "columns", "tables"]
NONE: Filter = "none"
FLOATS: Filter = (
    "floats"  # 32-bit floats, many of them zero: a bitmap of the others, then their bytes by place
)
COLUMNS: Filter = "columns"  # a book's entries of 24 bytes behind a header of 64: by place
BOOK_HEADER, BOOK_ENTRY = 64, 24
TABLES: Filter = "tables"  # a deep network: deep_tables.py
# What cannot stand in a string literal or in UTF-16: it follows an escape, with its highest bit turned.
ESCAPE, TURNED = 0xE000, 0x8000
NOT_AS_THEY_ARE = (0x0000, 0x000A, 0x000D, 0x0022, 0x005C, 0x2028, 0x2029, ESCAPE, *range(0xD800, 0xE000))


@dataclass(frozen=True)
class Packed:
    """A file as text, and what is needed to unpack it."""

    size: int  # of the file
    deflated: int  # bytes
    filter: Filter
    header: int  # bytes before those that were filtered
    text: str
    more: Mapping[str, Any] = field(default_factory=dict)  # what its filter needs

    @property
    def literal(self) -> str:
        """The file as a JavaScript object."""
        options = {"size": self.size, "deflated": self.deflated, "filter": self.filter, "header": self.header}
        return f'{{...{json.dumps({**options, **self.more})},text:"{self.text}"}}'

    def script(self, name: str) -> bytes:
        """The script that gives the file to the page."""
        return codecs.BOM_UTF16_LE + f"outflankFile({json.dumps(name)},{self.literal});\n".encode("utf-16-le")


def pack(content: bytes, filter_by: Filter = NONE, header: int = 0) -> Packed:
    if filter_by == FLOATS:
        return _deflated(len(content), _floats(content, header), filter_by, header)
    if filter_by == COLUMNS:
        return _deflated(len(content), _columns(content), filter_by, BOOK_HEADER)
    return _deflated(len(content), content, filter_by, header)


def pack_file(name: str, content: bytes) -> Packed:
    """With the filter that suits the file, by its name and its first bytes."""
    if content.startswith(b"OFBOOK") and len(content) > BOOK_HEADER:
        return pack(content, COLUMNS)
    header = 8 + int.from_bytes(content[:8], "little")
    if not name.endswith(".safetensors") or b'"dtype":"F32"' not in content[:header]:
        return pack(content)
    tables = filtered_tables(content, header)
    if tables is None:
        return pack(content, FLOATS, header)
    more = {"exponent": tables.exponent, "isTied": tables.is_tied}
    return _deflated(len(content), tables.filtered, TABLES, header, more)


def _deflated(
    size: int, filtered: bytes, filter_by: Filter, header: int, more: Mapping[str, Any] | None = None
) -> Packed:
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    deflated = compressor.compress(filtered) + compressor.flush()
    return Packed(size, len(deflated), filter_by, header, _sixteen_bits(deflated), more or {})


def _floats(content: bytes, header: int) -> bytes:
    words = np.frombuffer(content, dtype="<u4", offset=header, count=(len(content) - header) // 4)
    if header + 4 * len(words) != len(content):
        raise ValueError("the weights are not whole 32-bit floats")
    is_there = words != 0
    bitmap: bytes = np.packbits(is_there, bitorder="little").tobytes()
    planes: bytes = words[is_there].view(np.uint8).reshape(-1, 4).T.tobytes()
    return content[:header] + bitmap + planes


def _columns(content: bytes) -> bytes:
    entries = (len(content) - BOOK_HEADER) // BOOK_ENTRY
    end = BOOK_HEADER + entries * BOOK_ENTRY
    table = np.frombuffer(content, dtype=np.uint8, offset=BOOK_HEADER, count=entries * BOOK_ENTRY)
    columns: bytes = table.reshape(-1, BOOK_ENTRY).T.tobytes()
    return content[:BOOK_HEADER] + columns + content[end:]


def _sixteen_bits(content: bytes) -> str:
    words = np.frombuffer(content + bytes(len(content) % 2), dtype="<u2")
    is_escaped = np.isin(words, NOT_AS_THEY_ARE)
    found = np.repeat(np.where(is_escaped, words ^ TURNED, words), 1 + is_escaped)
    found[np.flatnonzero(is_escaped) + np.arange(is_escaped.sum())] = ESCAPE
    return found.astype("<u2").tobytes().decode("utf-16-le")
