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


def run_until(call: Callable[[_core.StopFlag], Result], seconds: float | None = None) -> Result:
    """The result of `call(stop)`, which ends soon after its flag is set.

    The call runs in a thread of its own: Python cannot handle Ctrl-C while it waits for the core.
    """
    stop, done = _core.StopFlag(), threading.Event()
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
        done.wait(seconds)
    finally:
        stop.set()
        done.wait()
        thread.join()
    if errors:
        raise errors[0]
    return results[0]
