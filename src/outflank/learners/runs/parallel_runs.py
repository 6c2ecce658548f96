"""Runs of every kind, made, opened and learned in parallel, one per core."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from outflank.cores import available_cores
from outflank.files import as_path
from outflank.learners.execution.executor import Executor
from outflank.learners.expert_iteration import ExpertIterationSettings
from outflank.learners.preferences import PreferenceSettings
from outflank.learners.runs.evolution_run import EvolutionRun
from outflank.learners.runs.evolution_settings import EvolutionSettings
from outflank.learners.runs.expert_iteration_run import ExpertIterationRun
from outflank.learners.runs.folder import RunFolder
from outflank.learners.runs.preference_run import PreferenceRun
from outflank.learners.runs.run import Run, RunProgress
from outflank.learners.runs.settings import Settings
from outflank.learners.runs.td_run import TdRun
from outflank.learners.runs.teacher_run import TeacherRun
from outflank.learners.teacher import TeacherSettings
from outflank.suggestions import shown


def create_run(path: Path | str, settings: Settings, seed: int, executor: Executor | None = None) -> Run:
    """A run in a new folder. `executor`: where it plays its games, those of temporal differences in batches;
    without one, on the caller's thread."""
    if not isinstance(settings, Settings):
        raise TypeError(
            f"settings are TdSettings(...), EvolutionSettings(...) or the like, got {shown(settings)}"
        )
    path = as_path(path)
    if not isinstance(seed, int) or not 0 <= seed < 1 << 64:
        raise TypeError(f"a seed is a whole number from 0 to 2^64 - 1, got {shown(seed)}")
    if isinstance(settings, EvolutionSettings):
        return EvolutionRun.create(path, settings, seed, executor)
    if isinstance(settings, TeacherSettings):
        return TeacherRun.create(path, settings, seed, executor)
    if isinstance(settings, ExpertIterationSettings):
        return ExpertIterationRun.create(path, settings, seed, executor)
    if isinstance(settings, PreferenceSettings):
        return PreferenceRun.create(path, settings, seed, executor)
    return TdRun.create(path, settings, seed, executor)


def open_run(path: Path | str, executor: Executor | None = None) -> Run:
    """The run in a folder, resumed from its last checkpoint."""
    folder = RunFolder.open(as_path(path))
    settings, _ = folder.settings()
    if isinstance(settings, EvolutionSettings):
        return EvolutionRun(folder, executor)
    if isinstance(settings, TeacherSettings):
        return TeacherRun(folder, executor)
    if isinstance(settings, ExpertIterationSettings):
        return ExpertIterationRun(folder, executor)
    if isinstance(settings, PreferenceSettings):
        return PreferenceRun(folder, executor)
    return TdRun(folder, executor)


def learn_in_parallel(runs: Sequence[Run], show: Callable[[int, RunProgress], None]) -> bool:
    """Learn every run to its end, each on its own thread; `show` gets the number of a run and its progress,
    on the caller's thread.

    Ctrl-C, or an exception in `show`, ends all runs after their current step, saved. Returns False if Ctrl-C
    left any unfinished.
    """
    news: queue.SimpleQueue[tuple[int, RunProgress] | None] = queue.SimpleQueue()
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
