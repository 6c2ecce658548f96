"""Learning runs of an experiment: to a share of their length, here or on a cluster, killed at any moment.

A run's weights depend on its settings, its seed and how far it has come alone. So a run may stop at a share
of its length and go on later, and its folder may travel to a worker of a cluster and back: same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from outflank.cores import available_cores
from outflank.files import write_whole
from outflank.learners.execution.executor import Executor, ThreadExecutor
from outflank.learners.named_books import is_missing, make_book
from outflank.learners.runs.evolution_settings import EvolutionSettings
from outflank.learners.runs.folder import CHECKPOINT, SETTINGS, RunFolder
from outflank.learners.runs.parallel_runs import create_run, learn_in_parallel, open_run
from outflank.learners.runs.run import Run, RunProgress
from outflank.learners.runs.settings import Settings

TRAVEL_SECONDS = 30.0  # of learning on a worker, after which a run's folder comes back and is stored
RUNGS = 6  # a share is reached in steps of a 64th, a 32nd ... of it, all runs together


class UpTo:
    """A run that stops at its first measurement at or after a share of its length."""

    def __init__(self, run: Run, share: float) -> None:
        self.run, self.folder, self.seed, self.unit = run, run.folder, run.seed, run.unit
        self.total = run.total if share >= 1 else max(1, ceil(share * run.total))

    @property
    def games(self) -> int:
        return self.run.games

    @property
    def done(self) -> int:
        return self.run.done

    @property
    def is_finished(self) -> bool:
        if self.run.is_finished or self.run.done < self.total:
            return self.run.is_finished
        log = self.folder.log()
        return bool(log) and "score" in log[-1]

    def steps(self) -> Iterator[RunProgress]:
        if self.is_finished:
            return
        for step in self.run.steps():
            yield step
            if step.done >= self.total and step.entry is not None and "score" in step.entry:
                self.run.save()
                return

    def save(self) -> None:
        self.run.save()


Wanted = Mapping[Path, tuple[Settings, int]]  # folders of runs, their settings and seeds
Show = Callable[[Sequence[Run], int, RunProgress], None]


def learn_runs(wanted: Wanted, share: float, cluster: Executor | None, show: Show) -> bool:
    """Learn the runs to a share of their length. All of them reach a small share before any goes on, so that
    they can be compared whenever they are stopped. Returns False if Ctrl-C left some unfinished."""
    rungs = [share / 2**n for n in range(RUNGS, 0, -1)] if share < 1 else []
    return all(_learn_to(wanted, rung, cluster, show) for rung in (*rungs, share))


def progress(path: Path) -> float:
    """The share of its length that a run has behind it, by its log."""
    if not (path / SETTINGS).is_file():
        return 0.0
    folder = RunFolder.open(path)
    settings, _ = folder.settings()
    log = folder.log()
    if not log:
        return 0.0
    if isinstance(settings, EvolutionSettings):
        return float(log[-1]["generation"]) / settings.generations
    return float(log[-1]["games"]) / settings.games


def _learn_to(wanted: Wanted, share: float, cluster: Executor | None, show: Show) -> bool:
    """On threads a single run has all cores, several have one each, and the last runs of evolution, which
    would leave cores idle, have all cores one after another. On a cluster a run has a worker, except
    runs of evolution that are fewer than the workers: those share each generation among all of them."""
    with ThreadExecutor(None if len(wanted) == 1 else 1) as threads:
        runs = {path: UpTo(_opened(path, *what, cluster or threads), share) for path, what in wanted.items()}
        learning = {path: run for path, run in runs.items() if not run.is_finished}
        if cluster is not None:
            few = len(learning) < cluster.workers
            travelling = [
                path for path in learning if not (few and isinstance(wanted[path][0], EvolutionSettings))
            ]
            away: list[Run] = [learning[path] for path in travelling]
            _travel(travelling, share, cluster, lambda at, step: show(away, at, step))
            learning = {path: run for path, run in learning.items() if path not in travelling}
        last = (
            []
            if cluster is not None or len(wanted) == 1
            else last_runs(
                [path for path in learning if isinstance(wanted[path][0], EvolutionSettings)], len(learning)
            )
        )
        staying: list[Run] = [run for path, run in learning.items() if path not in last]
        if staying and not learn_in_parallel(staying, lambda at, step: show(staying, at, step)):
            return False
    return all(_learn_alone(path, wanted[path], share, show) for path in last)


def last_runs(evolving: Sequence[Path], learning: int, cores: int | None = None) -> Sequence[Path]:
    """Of runs of evolution those that are left over when all that are learning are shared out to the cores.

    >>> last_runs([Path("a"), Path("b"), Path("c")], learning=3, cores=2)
    [PosixPath('c')]
    """
    left = learning % (available_cores() if cores is None else cores)
    return evolving[len(evolving) - min(left, len(evolving)) :]


def _learn_alone(path: Path, what: tuple[Settings, int], share: float, show: Show) -> bool:
    """On all cores: the same bytes, since a game depends on its seed and number alone."""
    with ThreadExecutor() as threads:
        alone: list[Run] = [UpTo(_opened(path, *what, threads), share)]
        return learn_in_parallel(alone, lambda at, step: show(alone, at, step))


def _opened(path: Path, settings: Settings, seed: int, executor: Executor) -> Run:
    if (path / SETTINGS).is_file():
        return open_run(path, executor)
    return create_run(path, settings, seed, executor)


@dataclass(frozen=True)
class Parcel:
    """The files of a run's folder, by their path in it, and the share to learn to."""

    files: Mapping[str, bytes]
    share: float

    @classmethod
    def of(cls, folder: Path, share: float) -> Parcel:
        files = (path for path in sorted(folder.rglob("*")) if path.is_file())
        return cls({path.relative_to(folder).as_posix(): path.read_bytes() for path in files}, share)

    def unpack(self, folder: Path) -> None:
        """The checkpoint last: what is newer than it is learned again, if this is killed half-way."""
        for name in sorted(self.files, key=lambda name: (name.endswith(CHECKPOINT), name)):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            write_whole(folder / name, self.files[name])


def _travel(
    paths: Sequence[Path], share: float, cluster: Executor, show: Callable[[int, RunProgress], None]
) -> None:
    """Each run learns on a worker for some seconds and comes back, until all are far enough."""
    left = list(enumerate(paths))
    while left:
        parcels = [Parcel.of(path, share) for _, path in left]
        found = cluster.map(advance, TRAVEL_SECONDS, parcels)
        for (number, path), (parcel, done, _) in zip(left, found, strict=True):
            parcel.unpack(path)
            show(number, RunProgress(done))
        left = [one for one, (_, _, finished) in zip(left, found, strict=True) if not finished]


def advance(seconds: float, parcel: Parcel) -> tuple[Parcel, int, bool]:
    """On a worker: learn for some seconds, on one thread. The folder, how far it is, and whether that is far
    enough."""
    began = monotonic()
    with TemporaryDirectory(prefix="outflank-run-") as name, ThreadExecutor(1) as thread:
        folder = Path(name)
        parcel.unpack(folder)
        if is_missing(book := getattr(RunFolder.open(folder).settings()[0], "book", "")):
            make_book(book)
        run = UpTo(open_run(folder, thread), parcel.share)
        for _ in run.steps():
            if monotonic() - began > seconds:
                break
        run.save()
        return Parcel.of(folder, parcel.share), run.done, run.is_finished
