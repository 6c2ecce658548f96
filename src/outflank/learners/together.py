"""Several runs learned at once, as many as there are cores."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from outflank.games.match import available_cores
from outflank.learners.training import Run, Step


def learn_together(runs: Sequence[Run], show: Callable[[int, Step], None]) -> bool:
    """Learn every run to its end on a thread of its own; `show` gets a run's number and each of its steps,
    on the caller's thread.

    Ctrl-C, and whatever `show` raises, ends all runs after their present step, saved. False if Ctrl-C left
    any unfinished.
    """
    news: queue.SimpleQueue[tuple[int, Step] | None] = queue.SimpleQueue()
    stop = threading.Event()
    interrupted = False
    raised: BaseException | None = None

    def work(number: int, run: Run) -> None:
        try:
            for step in run.steps():
                news.put((number, step))
                if stop.is_set():
                    run.save()
                    return
        finally:
            news.put(None)

    with ThreadPoolExecutor(max(1, min(len(runs), available_cores()))) as pool:
        working = [pool.submit(work, number, run) for number, run in enumerate(runs)]
        left = len(runs)
        while left:
            try:
                if (item := news.get()) is None:
                    left -= 1
                elif raised is None:
                    show(*item)
            except KeyboardInterrupt:
                interrupted = True
                stop.set()
            except BaseException as error:
                raised = error
                stop.set()
        for future in working:
            future.result()
    if raised is not None:
        raise raised
    return not interrupted or all(run.is_finished for run in runs)
