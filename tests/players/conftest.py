"""A real engine process that goes wrong, and a look at what it leaves behind."""

from __future__ import annotations

import gc
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from outflank import Board, ExternalPlayer, Square
from outflank.players.engines.player import external_player

FAULTY_ENGINE = Path(__file__).with_name("faulty_engine.py")


class FirstMove:
    """The same choice as the faulty engine."""

    name = "first move"

    def choose(self, board: Board) -> Square:
        return board.legal_moves[0]


class FaultyEngine:
    """Names the faulty engine, and knows the processes that played."""

    def __init__(self, folder: Path) -> None:
        self._pids = folder / "pids"

    def __call__(self, fault: str, options: str = "") -> ExternalPlayer:
        command = shlex.join([sys.executable, str(FAULTY_ENGINE), fault, str(self._pids)])
        return external_player(f"gtp{options}:{command}")

    @property
    def pids(self) -> list[int]:
        return [int(pid) for pid in self._pids.read_text().split()]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[FaultyEngine]:
    """No test leaves a process or an open file behind."""
    gc.collect()
    open_files = _open_files()
    faulty = FaultyEngine(tmp_path)
    yield faulty
    gc.collect()
    assert [pid for pid in faulty.pids if is_alive(pid)] == []
    assert _open_files() == open_files


def _open_files() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.is_dir() else 0


def is_alive(pid: int) -> bool:
    """A zombie whose new parent has not yet waited for it is not."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False
    except FileNotFoundError:
        return not Path("/proc/self").exists()
