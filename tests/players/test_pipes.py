"""Engines through sockets, as Windows needs it; and what else Windows lacks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from outflank.files import write_whole
from outflank.interfaces.cli.progress import ended_like_interrupted
from outflank.players.engines.process import Deadline, EngineError, EngineProcess

ECHO = "import sys\nfor line in sys.stdin:\n    print('got', line.strip(), flush=True)\n"


def _engine(code: str) -> EngineProcess:
    return EngineProcess([sys.executable, "-c", code], bridged=True)


def test_a_conversation() -> None:
    engine = _engine(ECHO)
    for number in range(100):
        engine.send(f"line {number}", Deadline(20))
        assert engine.read_line(Deadline(20)) == f"got line {number}"
    engine.send("x" * 60_000, Deadline(20))
    assert len(engine.read_line(Deadline(20))) == 60_004
    engine.close("the end")
    assert engine._process.returncode == 0  # it saw the end of its input


def test_an_engine_that_is_late() -> None:
    engine = _engine("import time; time.sleep(60)")
    with pytest.raises(EngineError, match=r"did not answer within 0\.3 s"):
        engine.read_line(Deadline(0.3))
    began = time.monotonic()
    engine.close("quit")
    assert time.monotonic() - began < 10
    assert engine._process.returncode != 0


def test_an_engine_that_ends() -> None:
    engine = _engine("import sys; print('bye', file=sys.stderr); sys.exit(3)")
    with pytest.raises(EngineError, match="ended with exit code 3: bye"):
        engine.read_line(Deadline(20))
    engine.close("quit")


def test_an_engine_that_prints_without_end() -> None:
    engine = _engine("while True: print('x' * 1000, end='', flush=True)")
    with pytest.raises(EngineError, match="bytes without a line end"):
        engine.read_line(Deadline(20))
    engine.close("quit")


def test_signals_that_a_system_lacks_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(signal, "SIGHUP", raising=False)
    with ended_like_interrupted():
        assert signal.getsignal(signal.SIGTERM) is signal.default_int_handler


def test_output_of_an_encoding_with_few_letters(tmp_path: Path) -> None:
    """As files and pipes on Windows have."""
    path = tmp_path / "g.txt"
    path.write_text("Black: 為則\nf5d6c3\n", encoding="utf-8")
    command = [sys.executable, "-c", "from outflank.interfaces.cli import main; main()"]
    result = subprocess.run(
        [*command, "games", "replay", str(path)],
        env=os.environ | {"PYTHONIOENCODING": "cp1252"}, capture_output=True, check=False,
    )  # fmt: skip
    assert (result.returncode, result.stderr) == (0, b"")
    assert b"??" in result.stdout


def test_a_file_that_cannot_be_replaced_keeps_its_content(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        write_whole(tmp_path / "folder", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
