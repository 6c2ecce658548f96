"""Files as short text for a script: filtered, deflated, and seven bits to a byte of UTF-8.

>>> import numpy as np
>>> packed = pack(np.zeros(1000, dtype=np.float32).tobytes(), FLOATS)
>>> len(packed.text) < 50, packed.filter
(True, 'floats')

Pages opened from file:// may not fetch, so that data must be in scripts, as text. Base64 takes 8 bytes for 6;
this takes 8 for 7. The browser's side is static/page/unpack.js; it gives back exactly the same bytes.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from typing import Literal

import numpy as np

Filter = Literal["none", "floats", "columns"]
NONE: Filter = "none"
FLOATS: Filter = (
    "floats"  # 32-bit floats, many of them zero: a bitmap of the others, then their bytes by place
)
COLUMNS: Filter = "columns"  # a book's entries of 24 bytes behind a header of 64: by place
BOOK_HEADER, BOOK_ENTRY = 64, 24
# What cannot stand in a string literal, or is not safe in a text file; each becomes a character of two bytes
# that also holds the next seven bits.
NOT_AS_THEY_ARE = (0, 10, 13, 34, 92)


@dataclass(frozen=True)
class Packed:
    """A file as text, and what is needed to unpack it."""

    size: int  # of the file
    deflated: int  # bytes
    filter: Filter
    header: int  # bytes before those that were filtered
    text: str

    @property
    def literal(self) -> str:
        """The file as a JavaScript object."""
        options = {"size": self.size, "deflated": self.deflated, "filter": self.filter, "header": self.header}
        return f'{{...{json.dumps(options)},text:"{self.text}"}}'


def pack(content: bytes, filter_by: Filter = NONE, header: int = 0) -> Packed:
    filtered = content
    if filter_by == FLOATS:
        filtered = _floats(content, header)
    elif filter_by == COLUMNS:
        filtered = _columns(content)
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    deflated = compressor.compress(filtered) + compressor.flush()
    first = BOOK_HEADER if filter_by == COLUMNS else header
    return Packed(len(content), len(deflated), filter_by, first, _seven_bits(deflated))


def pack_file(name: str, content: bytes) -> Packed:
    """With the filter that suits the file, by its name and its first bytes."""
    if (
        name.endswith(".safetensors")
        and b'"dtype":"F32"' in content[: 8 + int.from_bytes(content[:8], "little")]
    ):
        return pack(content, FLOATS, 8 + int.from_bytes(content[:8], "little"))
    if content.startswith(b"OFBOOK") and len(content) > BOOK_HEADER:
        return pack(content, COLUMNS)
    return pack(content)


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


def _seven_bits(content: bytes) -> str:
    bits = np.unpackbits(np.frombuffer(content, dtype=np.uint8))
    bits = np.concatenate([bits, np.zeros(-len(bits) % 7, dtype=np.uint8)])
    sevens = (bits.reshape(-1, 7) @ (1 << np.arange(6, -1, -1))).tolist()
    escapes = {seven: number for number, seven in enumerate(NOT_AS_THEY_ARE)}
    characters: list[str] = []
    pending = iter(sevens)
    for seven in pending:
        escape = escapes.get(seven)
        characters.append(chr(seven if escape is None else 128 + 128 * escape + next(pending, 0)))
    return "".join(characters)
