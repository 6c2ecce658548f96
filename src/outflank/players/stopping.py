"""Long calls into the core that can be stopped: after some seconds, or by Ctrl-C.

>>> run_until(lambda stop: stop.is_set, seconds=1)
False
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from outflank import _core

Result = TypeVar("Result")

SHORT = 2.0  # seconds that Ctrl-C may take


def run_until(call: Callable[[_core.StopFlag], Result], seconds: float | None = None) -> Result:
    """The result of `call(stop)`, which ends soon after its flag is set.

    A long call runs in a thread of its own: Python cannot handle Ctrl-C while it waits for the core. A short
    one does not, since on a busy machine each change of threads may take longer than the call.
    """
    if seconds is not None and seconds <= SHORT:
        return call(_core.StopFlag(seconds))
    stop, done = _core.StopFlag(seconds), threading.Event()
    results: list[Result] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(call(stop))
        except BaseException as error:
            errors.append(error)
        finally:
            done.set()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        # Not join: after Ctrl-C, it may consider a running thread as finished (CPython issue 90882).
        done.wait()
    finally:
        stop.set()
        done.wait()
        thread.join()
    if errors:
        raise errors[0]
    return results[0]
