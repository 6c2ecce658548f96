from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from outflank.interfaces.page.folder import STATIC
from outflank.interfaces.page.packing import COLUMNS, FLOATS, NONE, Packed, pack, pack_file
from outflank.players.built_in import BUILT_IN, built_in_file
from outflank.players.opening_book import built_in_book_file

UNPACK = """
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fromText, inflated, inflatedHere, unpacked } from "./unpack.js";
const files = Function("return " + readFileSync(process.argv[2], "utf8"))();
const digest = (bytes) => createHash("sha256").update(bytes).digest("hex");
const found = [];
for (const packed of files) {
  const deflated = fromText(packed.text, packed.deflated);
  const agree = digest(inflatedHere(deflated)) === digest(await inflated(deflated));
  found.push([digest(await unpacked(packed)), agree]);
}
console.log(JSON.stringify(found));
"""


def digests(packed: list[Packed], folder: Path) -> list[list[object]]:
    """What the browser's side unpacks; and whether its own inflate agrees with the built-in one."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")
    shutil.copy(STATIC / "page" / "unpack.js", folder)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "run.js").write_text(UNPACK)
    (folder / "files.txt").write_bytes(f"[{','.join(one.literal for one in packed)}]".encode())
    done = subprocess.run(
        [node, "run.js", "files.txt"], capture_output=True, text=True, cwd=folder, check=True
    )
    return list(json.loads(done.stdout))


def test_files_come_back_as_they_were(tmp_path: Path) -> None:
    import hashlib

    chance = np.random.default_rng(1)
    floats = np.where(chance.random(5003) < 0.5, 0, chance.normal(size=5003)).astype(np.float32)
    floats[7] = -0.0
    # Deep networks come back as the core reads them, see below: not as the same bytes.
    players = [built_in_file(name) for name in BUILT_IN if name != "all-rounder"]
    paths = [built_in_book_file(), *players]
    contents = [path.read_bytes() for path in paths]
    packed = [pack_file(path.name, path.read_bytes()) for path in paths]
    for size in (0, 1, 6, 7, 8, 1000):
        contents.append(chance.bytes(size))
        packed.append(pack(contents[-1], NONE))
    contents += [b"header!!!" + floats.tobytes(), bytes(range(64)) + chance.bytes(24 * 5 + 11)]
    packed += [pack(contents[-2], FLOATS, 9), pack(contents[-1], COLUMNS)]
    expected = [[hashlib.sha256(content).hexdigest(), True] for content in contents]
    assert digests(packed, tmp_path) == expected


def test_text_has_nothing_that_ends_a_string() -> None:
    packed = pack(np.random.default_rng(2).bytes(200_000))
    assert not set(packed.text) & set('\0\n\r"\\\u2028\u2029')
    script = packed.script("noise")
    assert script.decode("utf-16").startswith('outflankFile("noise",')  # by its byte order mark
    assert len(script) < 200_000 * 1.035 + 400


def test_weights_get_smaller_than_deflate_makes_them() -> None:
    import zlib

    content = built_in_file("td-all-rounder").read_bytes()
    assert pack_file("td-all-rounder.safetensors", content).deflated < 0.9 * len(zlib.compress(content, 9))
