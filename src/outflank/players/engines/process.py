"""Engine processes: lines in, lines out, with deadlines.

An engine must not be able to hang us, fill our memory or outlive us: every wait has a deadline, buffers are
bounded, its error output is drained, and its whole process group ends with it, at the latest when Python
exits.
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

from outflank.players.engines.pipes import IS_WINDOWS, Pipe, pipe_of

LONGEST_LINE = 1 << 16  # bytes of a line, or of other output before an answer
KEPT_ERRORS = 2000  # bytes of the engine's last error output, for error messages
LONGEST_REASON = 200
SECONDS_TO_QUIT = 1.0
SECONDS_FOR_LAST_WORDS = 0.3
NEW_GROUP: int = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # on Windows: Ctrl-C reaches us alone


class EngineError(OSError):
    """An engine violated the protocol; the text says how, without the engine's name."""


class EngineStartError(EngineError):
    """An engine could not be started; a sentence with its name."""


class Deadline:
    """The time by which an engine must have answered."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._at = time.monotonic() + seconds

    @property
    def left(self) -> float:
        return self._at - time.monotonic()


class _Lines:
    """Unread output of an engine, line by line."""

    def __init__(self) -> None:
        self._whole: deque[bytes] = deque()
        self._begun = b""  # the unfinished line
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
    """A running engine. `send` and `read_line` raise EngineError if it is late, gone or prints too much."""

    def __init__(self, command: Sequence[str], bridged: bool = IS_WINDOWS) -> None:
        # In its own session: Ctrl-C reaches us alone, and its child processes can be killed with it.
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
            creationflags=NEW_GROUP,
        )
        self._stdin, self._stdout, self._stderr = pipes = _pipes(self._process, bridged)
        # If it is never closed, or we are interrupted before its first use.
        self._last_resort = weakref.finalize(self, _end_group, self._process, pipes)
        self._output = _Lines()
        self._errors = b""
        self._output_ended = False
        self._selector = selectors.DefaultSelector()
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
                    pending = pending[self._stdin.write(pending) :]
                if self._output.held > LONGEST_LINE:
                    raise EngineError(f"printed more than {LONGEST_LINE} bytes while it was sent a command")
        except ConnectionError:
            raise EngineError(self._obituary("closed its input")) from None
        finally:
            self._selector.unregister(self._stdin)

    def read_line(self, deadline: Deadline) -> str:
        """The next line of its output, without the line end; after the deadline, not even a buffered one."""
        self._check(deadline)
        while not self._output:
            if self._output.held > LONGEST_LINE:
                raise EngineError(f"printed more than {LONGEST_LINE} bytes without a line end")
            if self._output_ended:
                raise EngineError(self._obituary("closed its output"))
            self._check(deadline)
            self._wait(deadline)
        return self._output.next()

    def buffered_lines(self) -> list[str]:
        """What it has printed unasked."""
        with contextlib.suppress(EngineError):
            self._wait(Deadline(0))
        return [self._output.next() for _ in range(len(self._output))]

    def _check(self, deadline: Deadline) -> None:
        """An engine that keeps printing other output is late, too."""
        if deadline.left < 0:
            raise self._late(deadline)

    def _late(self, deadline: Deadline) -> EngineError:
        return EngineError(f"did not answer within {deadline.seconds:g} s{self._last_error()}")

    def _wait(self, deadline: Deadline) -> bool:
        """Waits for output and reads it; True if the engine can be written to."""
        ready = self._selector.select(max(0.0, deadline.left))
        if not ready:
            raise self._late(deadline)
        for key, _ in ready:
            if key.fileobj is self._stdout:
                self._output.add(self._read(self._stdout))
            elif key.fileobj is self._stderr:
                self._errors = (self._errors + self._read(self._stderr))[-KEPT_ERRORS:]
        return any(key.fileobj is self._stdin for key, _ in ready)

    def _read(self, pipe: Pipe) -> bytes:
        data = pipe.read()
        if not data:
            self._selector.unregister(pipe)
            self._output_ended |= pipe is self._stdout
        return data

    def _obituary(self, otherwise: str) -> str:
        """How it ended, or what else it did, with its last error output."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(SECONDS_FOR_LAST_WORDS)
        last_words = Deadline(SECONDS_FOR_LAST_WORDS)
        with contextlib.suppress(EngineError):
            while self._stderr in self._selector.get_map() and last_words.left > 0:
                self._output.clear()  # no longer needed
                self._wait(last_words)
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
        """Kills it and its child processes; from any thread."""
        _kill_group(self._process)

    def close(self, farewell: str) -> None:
        """Asks it to quit, then kills it."""
        if self._process.poll() is None:
            with contextlib.suppress(EngineError):
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
        """Reads the rest of its output, so that a full pipe cannot keep it from quitting."""
        with contextlib.suppress(EngineError):
            while not self._output_ended:
                self._output.clear()
                self._check(deadline)
                self._wait(deadline)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0.0, deadline.left))


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """A process and its children, which have its session, or on Windows are found by its number."""
    if IS_WINDOWS:
        if process.poll() is None:
            command = ["taskkill", "/T", "/F", "/PID", str(process.pid)]
            subprocess.run(command, capture_output=True, check=False)
            process.kill()
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _end_group(process: subprocess.Popen[bytes], pipes: tuple[Pipe, ...]) -> None:
    _kill_group(process)
    process.wait()
    for pipe in pipes:
        pipe.close()


def _pipes(process: subprocess.Popen[bytes], bridged: bool) -> tuple[Pipe, Pipe, Pipe]:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    return (
        pipe_of(process.stdin, writes=True, bridged=bridged),
        pipe_of(process.stdout, bridged=bridged),
        pipe_of(process.stderr, bridged=bridged),
    )


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
