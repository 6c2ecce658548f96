"""An engine as a process: lines in, lines out, each within a time.

Nothing an engine does may hang us, fill our memory or outlive us: every wait has a deadline, buffers are
bounded, its error output is drained, and the end of it is the end of its whole process group, at the
latest when Python ends.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
import weakref
from collections import deque
from collections.abc import Sequence
from typing import IO

LONGEST_LINE = 1 << 16  # bytes without a line end, or of chatter before an answer, that we put up with
KEPT_ERRORS = 2000  # bytes of the engine's last error output, for the reason of a fault
LONGEST_REASON = 200
CHUNK = 1 << 16
SECONDS_TO_QUIT = 1.0
SECONDS_FOR_LAST_WORDS = 0.3


class EngineFault(OSError):
    """An engine did not do what the protocol asks: the text says what."""


class EngineStartError(EngineFault):
    """An engine could not be started: a sentence with its name."""


class Deadline:
    """A moment by which an engine must have answered."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._at = time.monotonic() + seconds

    @property
    def left(self) -> float:
        return self._at - time.monotonic()


class _Lines:
    """What an engine has printed and nobody has read, line by line."""

    def __init__(self) -> None:
        self._whole: deque[bytes] = deque()
        self._begun = b""  # the line that has no end yet
        self.held = 0  # bytes

    def add(self, data: bytes) -> None:
        *whole, self._begun = (self._begun + data).split(b"\n")
        self._whole.extend(whole)
        self.held += len(data)

    def __len__(self) -> int:
        return len(self._whole)

    def next(self) -> str:
        line = self._whole.popleft()
        self.held -= len(line) + 1
        return line.decode(errors="replace").rstrip("\r")

    def clear(self) -> None:
        self._whole.clear()
        self._begun, self.held = b"", 0


class EngineProcess:
    """A running engine. `send` and `read_line` raise EngineFault when it is late, gone or flooding."""

    def __init__(self, command: Sequence[str]) -> None:
        # A session of its own: Ctrl-C reaches us alone, and its helpers can be ended together with it.
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        # For whoever forgets to close it, or is interrupted between its start and the first use.
        self._last_resort = weakref.finalize(self, _end_group, self._process)
        self._stdin, self._stdout, self._stderr = _pipes(self._process)
        self._output = _Lines()
        self._errors = b""
        self._output_ended = False
        self._selector = selectors.DefaultSelector()
        for pipe in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(pipe.fileno(), False)
        for pipe in (self._stdout, self._stderr):
            self._selector.register(pipe, selectors.EVENT_READ)

    @property
    def pid(self) -> int:
        return self._process.pid

    def send(self, line: str, deadline: Deadline) -> None:
        pending = line.encode() + b"\n"
        self._selector.register(self._stdin, selectors.EVENT_WRITE)
        try:
            while pending:
                self._check(deadline)
                if self._wait(deadline):
                    pending = pending[os.write(self._stdin.fileno(), pending) :]
                if self._output.held > LONGEST_LINE:
                    raise EngineFault(f"printed more than {LONGEST_LINE} bytes while it was sent a command")
        except BrokenPipeError:
            raise EngineFault(self._obituary("closed its input")) from None
        finally:
            self._selector.unregister(self._stdin)

    def read_line(self, deadline: Deadline) -> str:
        """The next line of its output, without its end. Late is late, also with lines at hand."""
        self._check(deadline)
        while not self._output:
            if self._output.held > LONGEST_LINE:
                raise EngineFault(f"printed more than {LONGEST_LINE} bytes without a line end")
            if self._output_ended:
                raise EngineFault(self._obituary("closed its output"))
            self._check(deadline)
            self._wait(deadline)
        return self._output.next()

    def lines_at_hand(self) -> list[str]:
        """What it has printed without being asked."""
        with contextlib.suppress(EngineFault):
            self._wait(Deadline(0))
        return [self._output.next() for _ in range(len(self._output))]

    def _check(self, deadline: Deadline) -> None:
        """An engine that keeps us busy with other output is late all the same."""
        if deadline.left < 0:
            raise self._late(deadline)

    def _late(self, deadline: Deadline) -> EngineFault:
        return EngineFault(f"did not answer within {deadline.seconds:g} s{self._last_error()}")

    def _wait(self, deadline: Deadline) -> bool:
        """Waits for something to happen and reads what came; True if the engine can be written to."""
        ready = self._selector.select(max(0.0, deadline.left))
        if not ready:
            raise self._late(deadline)
        for key, _ in ready:
            if key.fileobj is self._stdout:
                self._output.add(self._read(self._stdout))
            elif key.fileobj is self._stderr:
                self._errors = (self._errors + self._read(self._stderr))[-KEPT_ERRORS:]
        return any(key.fileobj is self._stdin for key, _ in ready)

    def _read(self, pipe: IO[bytes]) -> bytes:
        data = os.read(pipe.fileno(), CHUNK)
        if not data:
            self._selector.unregister(pipe)
            self._output_ended |= pipe is self._stdout
        return data

    def _obituary(self, otherwise: str) -> str:
        """How it ended, or what it did otherwise; with its last words."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(SECONDS_FOR_LAST_WORDS)
        last_words = Deadline(SECONDS_FOR_LAST_WORDS)
        with contextlib.suppress(EngineFault):
            while self._stderr in self._selector.get_map() and last_words.left > 0:
                self._output.clear()  # nobody will read it any more
                self._wait(Deadline(0))
        code = self._process.returncode
        if code is None:
            return otherwise + self._last_error()
        how = f"was ended by {_signal_name(-code)}" if code < 0 else f"ended with exit code {code}"
        return how + self._last_error()

    def _last_error(self) -> str:
        lines = [line for line in self._errors.decode(errors="replace").splitlines() if line.strip()]
        if not lines:
            return ""
        printable = "".join(letter if letter.isprintable() else " " for letter in lines[-1])
        return f": {printable.strip()[:LONGEST_REASON]}"

    def kill(self) -> None:
        """Ends it and its helpers at once; may be called from another thread than the one that waits."""
        _kill_group(self._process)

    def close(self, farewell: str) -> None:
        """Asks it to end, then ends it."""
        if self._process.poll() is None:
            with contextlib.suppress(EngineFault):
                self.send(farewell, Deadline(SECONDS_TO_QUIT))
            self._stdin.close()
            self._drain_until_ended(Deadline(SECONDS_TO_QUIT))
        self.kill()
        self._process.wait()
        self._last_resort.detach()
        self._selector.close()
        for pipe in (self._stdin, self._stdout, self._stderr):
            pipe.close()

    def _drain_until_ended(self, deadline: Deadline) -> None:
        """Waits for the end of its output, so that no last words can keep it from ending."""
        with contextlib.suppress(EngineFault):
            while not self._output_ended:
                self._output.clear()
                self._check(deadline)
                self._wait(deadline)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0.0, deadline.left))


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    _kill_group(process)
    process.wait()
    for pipe in _pipes(process):
        pipe.close()


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    return process.stdin, process.stdout, process.stderr


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
