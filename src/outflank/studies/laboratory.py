"""The laboratory of an experiment: its settings and seeds, its learning runs and matches, cached in a folder.

OUT/<scale>/runs/<settings>-<digest>/seed-1/   learning runs, shared by all experiments with these settings
OUT/<scale>/<paper>/<name>/parts/*.json        matches, counts and the like, each with its provenance
OUT/<scale>/<paper>/<name>/*.png               figures
OUT/<scale>/<paper>/<name>/result.json         the findings of a finished experiment

A part is found by its name, and reused if it was made with the same settings.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from pydantic import BaseModel

from outflank.board import Board
from outflank.files import write_whole
from outflank.games.match import Match
from outflank.games.standings import PairResult, Standings
from outflank.games.statistics import Tally
from outflank.games.tournament import pair_seed, pairs
from outflank.league.published import PublishedFiles
from outflank.learners.execution.executor import Executor, ThreadExecutor
from outflank.learners.runs.folder import RunFolder
from outflank.learners.runs.parallel_runs import create_run, learn_in_parallel, open_run
from outflank.learners.runs.settings import Settings, load_preset, settings_toml
from outflank.learners.runs.td_run import Run, RunProgress
from outflank.machine import machine, version
from outflank.players.greedy import Player
from outflank.players.names import NamedPlayer, named_player
from outflank.plots import style
from outflank.studies.experiment import Experiment, Scale
from outflank.studies.verdicts import ResultFigure

DOTS_PER_INCH = 100  # figures are 800 pixels wide


class Interrupted(Exception):
    """Ctrl-C: finished parts are cached, and the same command continues from there."""


@dataclass(frozen=True)
class Activity:
    """What is being done, and how far it has come."""

    what: str
    done: float
    total: float
    unit: str


@dataclass(frozen=True)
class FinishedRun:
    """A finished run."""

    path: Path
    seed: int

    def log(self) -> list[dict[str, Any]]:
        return RunFolder.open(self.path).log()

    def player(self, which: str = "last", options: str = "", name: str | None = None) -> NamedPlayer:
        """The last or the best player of the run, with options as in a player's name: "depth=2,solve=4"."""
        player = named_player(f"{self.path / which}.safetensors{',' if options else ''}{options}")
        return replace(player, name=name or player.name)


class Provenance(BaseModel):
    """How a result, a part or a run was made."""

    version: str
    seeds: list[int]
    machine: str
    finished: str
    seconds: float
    done: tuple[float, float] = (
        1.0,
        1.0,
    )  # the least and the most of their length that its runs have behind them


class _Part(BaseModel):
    """A cached value, and what it was made with."""

    settings: dict[str, Any]
    seconds: float
    value: Any


class _Settings(dict[str, Any]):
    """Settings by name; the error names one that the file lacks."""

    def __init__(self, experiment: str, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self._experiment = experiment

    def __missing__(self, key: str) -> Any:
        raise ValueError(f"{self._experiment}: the setting {key} is missing; add it to the file")


class Laboratory:
    """One experiment at one scale."""

    def __init__(
        self,
        experiment: Experiment,
        scale: Scale,
        out: Path,
        *,
        seeds: int | None = None,
        published: PublishedFiles | None = None,
        cluster: Executor | None = None,
        show: Callable[[Activity], None] = lambda _: None,
    ) -> None:
        self.experiment = experiment
        self.scale: Scale = scale
        self.settings = _Settings(experiment.name, experiment.settings(scale))
        self.seeds = tuple(range(1, 1 + (seeds or experiment.seeds(scale))))
        self.out = out / scale
        self.folder = self.out / experiment.name
        self.published = published or PublishedFiles(None)
        self.seconds = 0.0  # that this experiment's parts and runs took, now and before
        self._cluster = cluster
        self._show = show

    def learn(
        self, preset: str, changes: Mapping[str, Any] | None = None, seeds: Sequence[int] | None = None
    ) -> list[FinishedRun]:
        """Finished runs of a preset with changed settings, one per seed."""
        return self.learn_all({preset: (preset, changes or {})}, seeds)[preset]

    def learn_all(
        self, wanted: Mapping[str, tuple[str, Mapping[str, Any]]], seeds: Sequence[int] | None = None
    ) -> dict[str, list[FinishedRun]]:
        """As learn(), for several settings at once, by name: so that no core is idle."""
        settings = {name: _settings(*what) for name, what in wanted.items()}
        found = {
            name: [
                FinishedRun(self._run_path(wanted[name][0], one, seed), seed) for seed in seeds or self.seeds
            ]
            for name, one in settings.items()
        }
        todo = {run.path: (settings[name], run.seed) for name, runs in found.items() for run in runs}
        self._learn(todo)
        return found

    def cached(self, name: str, work: Callable[[], Any], settings: Mapping[str, Any] | None = None) -> Any:
        """The JSON value that `work` returns, cached for these settings (by default the experiment's)."""
        made_with = json.loads(json.dumps(dict(self.settings if settings is None else settings)))
        path = self.folder / "parts" / f"{_file_name(name)}.json"
        if (part := _cached_part(path, made_with)) is None:
            began = time.perf_counter()
            value = work()
            made = self.provenance(time.perf_counter() - began)
            record = {"part": name, "experiment": self.experiment.name, "scale": self.scale,
                      "settings": made_with, **made.model_dump(), "value": value}  # fmt: skip
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, json.dumps(record, indent=1).encode())
            part = _Part.model_validate(json.loads(json.dumps(record)))
        self.seconds += part.seconds
        return part.value

    def match(
        self,
        name: str,
        first: Player,
        second: Player,
        *,
        double_games: int,
        epsilon: float | tuple[float, float] = 0.0,
        starts: Sequence[Board] = (Board(),),
        seed: int = 1,
    ) -> Tally:
        """A match, cached as the part with this name."""
        match = Match(first, second, double_games=double_games, epsilon=epsilon, starts=starts, seed=seed)

        def play() -> dict[str, Any]:
            tally = Tally()
            for batch in match.batches():
                tally += batch.tally
                self.report_progress(name, tally.games, 2 * double_games, "games")
            return asdict(tally)

        settings = {"first": _identity(first), "second": _identity(second), "double games": double_games,
                    "epsilon": list(match.epsilon), "seed": seed,
                    "starts": _digest(*(board.text for board in starts))}  # fmt: skip
        counts = self.cached(name, play, settings)
        return Tally(**counts | {"double_games": tuple(counts["double_games"])})

    def tournament(
        self,
        name: str,
        players: Sequence[Player],
        *,
        double_games: int,
        epsilon: float,
        starts: Sequence[Board] = (Board(),),
        seed: int = 1,
    ) -> Standings:
        """Every player against every other; one part per pair."""
        by_name = {player.name: player for player in players}
        results = []
        for first, second in pairs(list(by_name)):
            tally = self.match(f"{name} {first} - {second}", by_name[first], by_name[second],
                               double_games=double_games, epsilon=epsilon, starts=starts,
                               seed=pair_seed(seed, first, second))  # fmt: skip
            results.append(PairResult(first, second, tally))
        return Standings.of(results)

    def save_figure(self, name: str, figure: Figure, caption: str) -> ResultFigure:
        """Save a figure, for the outcome."""
        self.folder.mkdir(parents=True, exist_ok=True)
        style.save_figure(figure, self.folder / f"{name}.png", DOTS_PER_INCH)
        return ResultFigure(f"{name}.png", caption)

    def report_progress(self, what: str, done: float, total: float, unit: str) -> None:
        """Report progress."""
        self._show(Activity(what, done, total, unit))

    def provenance(self, seconds: float) -> Provenance:
        finished = datetime.now(UTC).isoformat(timespec="seconds")
        return Provenance(version=version(), seeds=list(self.seeds), machine=machine(), finished=finished,
                          seconds=round(seconds, 3))  # fmt: skip

    def _run_path(self, preset: str, settings: Settings, seed: int) -> Path:
        digest = _digest(settings_toml(settings, 0))
        return self.out / "runs" / f"{Path(preset).stem}-{digest}" / f"seed-{seed}"

    def _learn(self, todo: Mapping[Path, tuple[Settings, int]]) -> None:
        """The unfinished ones: a single run on all cores, several on one core each."""
        began = time.perf_counter()
        with ThreadExecutor(None if len(todo) == 1 else 1) as threads:
            executor = self._cluster or threads
            runs = [_opened(path, *what, executor) for path, what in todo.items()]
            learning = [run for run in runs if not run.is_finished]
            if learning and not learn_in_parallel(learning, _Shown(self, learning)):
                raise Interrupted
        share = (time.perf_counter() - began) / max(1, len(learning))
        self.seconds += sum(self._made(run, share if run in learning else 0.0) for run in runs)

    def _made(self, run: Run, seconds: float) -> float:
        """Record how a run was made; returns its seconds if this experiment made it, 0 if another did."""
        path = run.folder.path / "made.json"
        if not path.is_file():
            record = {"experiment": self.experiment.name, **self.provenance(seconds).model_dump()}
            write_whole(path, json.dumps(record, indent=1).encode())
        record = json.loads(path.read_bytes())
        return float(record["seconds"]) if record["experiment"] == self.experiment.name else 0.0


class _Shown:
    """The steps of several runs as one activity."""

    def __init__(self, lab: Laboratory, runs: Sequence[Run]) -> None:
        self._lab, self._done = lab, [run.done for run in runs]
        self._total = sum(run.total for run in runs)
        self._unit = runs[0].unit
        self._what = f"{len(runs)} runs" if len(runs) > 1 else "a run"

    def __call__(self, number: int, step: RunProgress) -> None:
        self._done[number] = step.done
        self._lab.report_progress(f"learning {self._what}", sum(self._done), self._total, self._unit)


def _cached_part(path: Path, settings: dict[str, Any]) -> _Part | None:
    """A complete part that was made with these settings."""
    try:
        part = _Part.model_validate_json(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return None
    return part if part.settings == settings else None


def _opened(path: Path, settings: Settings, seed: int, executor: Executor) -> Run:
    if (path / "settings.toml").is_file():
        return open_run(path, executor)
    return create_run(path, settings, seed, executor)


def _settings(preset: str, changes: Mapping[str, Any]) -> Settings:
    """A preset with changes, as `learn --set` makes them."""
    return load_preset(preset, changes).settings


def _identity(player: Player) -> dict[str, str]:
    """What identifies a player in a cached match: its name alone would hide changed weights."""
    inner = getattr(player, "inner", player)
    weights = getattr(getattr(inner, "evaluator", None), "weights", None)
    known = {"name": player.name, "view": str(getattr(inner, "view", ""))}
    known |= {
        key: str(value) for key in ("limits", "solve", "book_best") if (value := getattr(player, key, None))
    }
    if (book := getattr(player, "book", None)) is not None:
        known["book"] = f"{len(book)} positions"
    if weights is not None:
        known["weights"] = hashlib.sha256(weights.tobytes()).hexdigest()[:10]
    return known


def _digest(*texts: str) -> str:
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:10]


def _file_name(part: str) -> str:
    """
    >>> _file_name("EV_O against EV"), _file_name("a/b " * 30)[:9]
    ('EV_O-against-EV', 'a-b-a-b-a')
    """
    plain = "-".join("".join(c if c.isalnum() or c in "_-.," else " " for c in part).split())
    return plain if len(plain) <= 80 else f"{plain[:70]}-{_digest(part)}"
