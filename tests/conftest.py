"""What tests share: files that others published, boards to test on, and the command line."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import psutil  # type: ignore[import-untyped]
import pytest
from hypothesis import settings

from outflank import Board
from outflank.plugins import SWITCH

ROOT = Path(__file__).resolve().parents[1]
# Players, positions and games that others published, which are not part of outflank (docs/reproducing.md):
# a folder `published` in the repository, or `shared` beside it.
SHARED = next(
    (path for path in (ROOT / "published", ROOT.parent / "shared") if path.is_dir()), ROOT / "published"
)

# How long an example takes depends more on the machine's load than on the example.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")

# Processes that a shell starts in the background ignore Ctrl-C, and so would the ones that tests interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def signal_handlers_are_left_as_they_were() -> Iterator[None]:
    """A command that runs within a test must not change what Ctrl-C does to the tests after it."""
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    yield
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


@pytest.fixture(autouse=True)
def plugins_are_not_refused_for_good() -> Iterator[None]:
    """A server or worker that runs within a test refuses plug-ins for its whole process."""
    yield
    os.environ.pop(SWITCH, None)


@pytest.fixture(scope="session")
def shared() -> Path:
    """Published players, positions and games; tests that need them skip without."""
    if not (SHARED / "players").is_dir():
        pytest.skip("the published players are not there: docs/reproducing.md says where to put them")
    return SHARED


@pytest.fixture(scope="session")
def random_boards() -> list[Board]:
    """Boards of random games, and boards with discs anywhere."""
    random = np.random.default_rng(5)
    boards = []
    for _ in range(40):
        board = Board()
        while not board.is_over:
            board = board.settled()
            boards.append(board)
            board = board.play(board.legal_moves[random.integers(len(board.legal_moves))])
        boards.append(board)
    for _ in range(300):
        occupied, black = (int(n) for n in random.integers(0, 1 << 64, size=2, dtype=np.uint64))
        mover = "black" if random.integers(2) else "white"
        boards.append(Board.from_discs(occupied & black, occupied & ~black, mover))  # type: ignore[arg-type]
    return boards


@pytest.fixture(scope="session")
def board_arrays(random_boards: list[Board]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    black = np.array([board.black for board in random_boards], dtype=np.uint64)
    return black, np.array([board.white for board in random_boards], dtype=np.uint64)


Outflank = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def outflank() -> Outflank:
    """Runs the command line as a real process."""

    def run(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", "from outflank.interfaces.cli import main; main()"]
        return subprocess.run(
            [*command, *map(str, arguments)], capture_output=True, text=True, cwd=cwd, timeout=240
        )

    return run


def let_work(process: subprocess.Popen[str], seconds: float) -> None:
    """Wait until a process has used this much CPU time, however busy the machine is."""
    watched = psutil.Process(process.pid)
    while process.poll() is None and sum(watched.cpu_times()[:2]) < seconds:
        time.sleep(0.02)
