"""The laboratory of an experiment: its settings and seeds, its learning runs and matches, cached in a folder.

OUT/<scale>/runs/<settings>-<digest>/seed-1/   learning runs, shared by all experiments with these settings
OUT/<scale>/<paper>/<name>/parts/*.json        matches, counts and the like, each with its provenance
OUT/<scale>/<paper>/<name>/*.png, *.svg        figures, and in *.data.json what they draw
OUT/<scale>/<paper>/<name>/result.json         the findings of a finished experiment

A part is found by its name, and reused if it was made with the same settings; in an experiment of one's own,
by the same code too. So is a run: one that names plug-ins is learned anew when their code has changed.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from pydantic import BaseModel

from outflank.board import Board
from outflank.files import write_whole
from outflank.games.match import Match
from outflank.games.statistics import Tally
from outflank.games.tournaments.standings import PairResult, Standings
from outflank.games.tournaments.tournament import pair_seed, pairs
from outflank.league.published import PublishedFiles
from outflank.learners.execution.executor import Executor, Piece, Shared, ThreadExecutor
from outflank.learners.named_books import BookRecipe, is_missing, make_book
from outflank.learners.runs.folder import RunFolder
from outflank.learners.runs.own_learners import plugins_of, weights_of_plugin
from outflank.learners.runs.run import Run, RunProgress
from outflank.learners.runs.settings import Settings, load_preset, preset_names, settings_toml
from outflank.machine import machine, version
from outflank.players.greedy import Player
from outflank.players.names import NamedPlayer, named_player
from outflank.players.plugin_player import names_plugin_player, plugin_digest
from outflank.plugins import code_digest
from outflank.studies.drawings import P, save_drawing, save_figure
from outflank.studies.experiment import Experiment, Scale
from outflank.studies.learning import Wanted, learn_runs, progress
from outflank.studies.verdicts import ResultFigure

MADE = "made.json"  # in a run: by which experiment, in how many seconds


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
    """A run that was learned as far as was asked for."""

    path: Path
    seed: int

    def log(self) -> list[dict[str, Any]]:
        return RunFolder.open(self.path).log()

    @property
    def done(self) -> float:
        """The share of its length that it has behind it: 1, unless a part was asked for."""
        return progress(self.path)

    def player(self, which: str = "last", options: str = "", name: str | None = None) -> NamedPlayer:
        """The last or the best player of the run, with options as in a player's name: "depth=2,solve=4"."""
        file = self.path / f"{which}.safetensors"
        plugin = weights_of_plugin(RunFolder.open(self.path).settings()[0], file)
        source = str(file) if plugin is None else f"{plugin},weights={file}"
        player = named_player(f"{source}{',' if options else ''}{options}")
        return replace(player, name=name or player.name)


class Provenance(BaseModel):
    """How a result, a part or a run was made."""

    version: str
    seeds: list[int]
    machine: str
    finished: str
    seconds: float
    done: tuple[float, float] = (1.0, 1.0)  # the least and the most of its length that a run has behind it


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
        share: float = 1.0,
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
        self._share = share
        self._done: dict[Path, float] = {}  # the share of its length that each run has behind it
        if not 0 < share <= 1:
            raise ValueError(f"a share of the runs is above 0 and at most 1, got {share:g}")
        if share < 1 and not experiment.partial:
            raise ValueError(f"{experiment.name} needs whole runs; leave --share out")

    def learn(
        self, preset: str, changes: Mapping[str, Any] | None = None, seeds: Sequence[int] | None = None
    ) -> list[FinishedRun]:
        """Finished runs of a preset with changed settings, one per seed."""
        return self.learn_all({preset: (preset, changes or {})}, seeds)[preset]

    def learn_all(
        self, wanted: Mapping[str, tuple[str, Mapping[str, Any]]], seeds: Sequence[int] | None = None
    ) -> dict[str, list[FinishedRun]]:
        """As learn(), for several settings at once, by name: so that no core is idle."""
        settings = {name: self._settings_of(*what) for name, what in wanted.items()}
        found = {
            name: [
                FinishedRun(self._run_path(wanted[name][0], one, seed), seed) for seed in seeds or self.seeds
            ]
            for name, one in settings.items()
        }
        todo = {run.path: (settings[name], run.seed) for name, runs in found.items() for run in runs}
        self._learn(todo)
        return found

    def _settings_of(self, preset: str, changes: Mapping[str, Any]) -> Settings:
        """A preset with changes, as `learn --set` makes them; a file of one's own may lie beside the
        experiment's."""
        beside = self.experiment.file.parent / preset
        is_beside = preset not in preset_names() and not Path(preset).is_file() and beside.is_file()
        return load_preset(str(beside) if is_beside else preset, changes).settings

    def cached(self, name: str, work: Callable[[], Any], settings: Mapping[str, Any] | None = None) -> Any:
        """The JSON value that `work` returns, cached for these settings (by default the experiment's)."""
        return self._cached(name, work, self._with_code(self.settings if settings is None else settings))

    def _cached(self, name: str, work: Callable[[], Any], made_with: Mapping[str, Any]) -> Any:
        if (part := self._cached_part(name, made_with)) is None:
            began = time.perf_counter()
            value = work()
            part = self._store_part(name, made_with, value, time.perf_counter() - began)
        self.seconds += part.seconds
        return part.value

    def cached_map(
        self,
        function: Callable[[Shared, Piece], Any],
        shared: Shared,
        pieces: Mapping[str, tuple[Piece, Mapping[str, Any]]],
    ) -> dict[str, Any]:
        """function(shared, piece) for every named piece, cached as a part with the settings beside it; those
        that are missing on all cores of this machine, or of the cluster. The function is pure and defined at
        the top of a module, and shared and pieces can be pickled."""
        made_with = {name: self._with_code(settings) for name, (_, settings) in pieces.items()}
        found = {name: self._cached_part(name, settings) for name, settings in made_with.items()}
        missing = [name for name, part in found.items() if part is None]
        with self.executor() as executor:
            size = 2 * executor.workers  # this many are lost if this is killed
            for at in range(0, len(missing), size):
                names = missing[at : at + size]
                self.report_progress(f"{len(missing)} parts", at, len(missing), "parts")
                began = time.perf_counter()
                values = executor.map(function, shared, [pieces[name][0] for name in names])
                seconds = (time.perf_counter() - began) / len(names)
                for name, value in zip(names, values, strict=True):
                    found[name] = self._store_part(name, made_with[name], value, seconds)
        parts = {name: part for name, part in found.items() if part is not None}
        self.seconds += sum(part.seconds for part in parts.values())
        return {name: part.value for name, part in parts.items()}

    @property
    def has_cluster(self) -> bool:
        return self._cluster is not None

    @contextmanager
    def executor(self) -> Iterator[Executor]:
        """The cluster, or the threads of this machine."""
        if self._cluster is not None:
            yield self._cluster
            return
        with ThreadExecutor() as threads:
            yield threads

    def _with_code(self, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """The settings of a part that an experiment of one's own works out, with the digest of its code."""
        code = self.experiment.code_digest()[:10]
        return {**settings, "code": code} if code else settings

    def _part_path(self, name: str) -> Path:
        return self.folder / "parts" / f"{_file_name(name)}.json"

    def _cached_part(self, name: str, settings: Mapping[str, Any]) -> _Part | None:
        """A complete part that was made with these settings."""
        try:
            part = _Part.model_validate_json(self._part_path(name).read_bytes())
        except (FileNotFoundError, ValueError):
            return None
        return part if part.settings == json.loads(json.dumps(dict(settings))) else None

    def _store_part(self, name: str, settings: Mapping[str, Any], value: Any, seconds: float) -> _Part:
        made = self.provenance(seconds)
        record = {"part": name, "experiment": self.experiment.name, "scale": self.scale,
                  "settings": dict(settings), **made.model_dump(), "value": value}  # fmt: skip
        path = self._part_path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(record, indent=1).encode())
        return _Part.model_validate(json.loads(json.dumps(record)))

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
        match = Match(first, second, double_games=double_games, epsilon=epsilon, starts=starts, seed=seed,
                      workers=self._cluster)  # fmt: skip

        def play() -> dict[str, Any]:
            tally = Tally()
            for batch in match.batches():
                tally += batch.tally
                self.report_progress(name, tally.games, 2 * double_games, "games")
            return asdict(tally)

        settings = {"first": identity(first), "second": identity(second), "double games": double_games,
                    "epsilon": list(match.epsilon), "seed": seed,
                    "starts": _digest(*(board.text for board in starts))}  # fmt: skip
        counts = self._cached(name, play, settings)
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

    def draw(
        self, name: str, caption: str, function: Callable[P, Figure], *args: P.args, **kwargs: P.kwargs
    ) -> ResultFigure:
        """Draw a figure for the outcome, by a function `draw_...` of these arguments, which are stored beside
        it: so `reproduce --render` can draw it again."""
        self.folder.mkdir(parents=True, exist_ok=True)
        save_drawing(self.folder, name, function, *args, **kwargs)
        return ResultFigure(f"{name}.png", caption)

    def save_figure(self, name: str, figure: Figure, caption: str) -> ResultFigure:
        """Save a figure that is drawn already, and only by running the experiment again."""
        self.folder.mkdir(parents=True, exist_ok=True)
        save_figure(self.folder, name, figure)
        return ResultFigure(f"{name}.png", caption)

    def report_progress(self, what: str, done: float, total: float, unit: str) -> None:
        """Report progress."""
        self._show(Activity(what, done, total, unit))

    def provenance(self, seconds: float) -> Provenance:
        finished = datetime.now(UTC).isoformat(timespec="seconds")
        shares = list(self._done.values()) or [1.0]
        return Provenance(version=version(), seeds=list(self.seeds), machine=machine(), finished=finished,
                          seconds=round(seconds, 3), done=(min(shares), max(shares)))  # fmt: skip

    def _run_path(self, preset: str, settings: Settings, seed: int) -> Path:
        code = [f"{name} {digest}" for name, digest in plugins_of(settings).items()]
        digest = _digest(settings_toml(settings, 0), *code)
        return self.out / "runs" / f"{Path(preset).stem}-{digest}" / f"seed-{seed}"

    def _learn(self, todo: Wanted) -> None:
        """The unfinished ones, to this laboratory's share of their length."""
        before = {path: progress(path) for path in todo}
        self._make_books({settings for settings, _ in todo.values()})
        began = time.perf_counter()
        if not learn_runs(todo, self._share, self._cluster, _Shown(self)):
            raise Interrupted
        seconds = time.perf_counter() - began
        self._done |= {path: progress(path) for path in todo}
        learned = [path for path in todo if self._done[path] > before[path]]
        for path in todo:
            self.seconds += self._made(path, seconds / len(learned) if path in learned else 0.0)

    def _make_books(self, settings: Collection[Settings]) -> None:
        """The books that runs play with and that are not made yet."""
        for name in sorted({book for one in settings if is_missing(book := getattr(one, "book", ""))}):
            games = BookRecipe.named(name).games
            make_book(name, lambda step, games=games: self.report_progress(
                f"making the book {step.positions:,} positions", step.games, games, "games"))  # type: ignore[misc]  # fmt: skip

    def _made(self, path: Path, seconds: float) -> float:
        """Record how a run was made; returns its seconds if this experiment made it, 0 if another did."""
        file = path / MADE
        record = json.loads(file.read_bytes()) if file.is_file() else {}
        by, earlier = record.get("experiment", self.experiment.name), float(record.get("seconds", 0.0))
        if seconds:
            made = {"experiment": by, **self.provenance(seconds + earlier).model_dump()}
            write_whole(file, json.dumps(made, indent=1).encode())
        return seconds + earlier if by == self.experiment.name else 0.0


class _Shown:
    """The steps of several runs as one activity."""

    def __init__(self, lab: Laboratory) -> None:
        self._lab = lab
        self._runs: Sequence[Run] = ()
        self._done: list[int] = []

    def __call__(self, runs: Sequence[Run], number: int, step: RunProgress) -> None:
        if runs is not self._runs:
            self._runs, self._done = runs, [run.done for run in runs]
        self._done[number] = step.done
        what = f"{len(runs)} runs" if len(runs) > 1 else "a run"
        total = sum(run.total for run in runs)
        self._lab.report_progress(f"learning {what}", sum(self._done), total, runs[0].unit)


def identity(player: Player) -> dict[str, str]:
    """What identifies a player in a cached match: its name alone would hide changed weights."""
    inner = getattr(player, "inner", player)
    weights = getattr(getattr(inner, "evaluator", None), "weights", None)
    known = {"name": player.name, "view": str(getattr(inner, "view", ""))}
    known |= {
        key: str(value) for key in ("limits", "solve", "book_best") if (value := getattr(player, key, None))
    }
    if (book := getattr(player, "book", None)) is not None:
        known["book"] = f"{len(book)} positions"
    source = player.name.partition(",")[0]
    if code := plugin_digest(source) if names_plugin_player(source) else _code_of(inner):
        known["code"] = code[:10]
    if weights is not None:
        known["weights"] = hashlib.sha256(weights.tobytes()).hexdigest()[:10]
    return known


def _code_of(player: Player) -> str:
    """The digest of somebody's code in a player that has another name; empty if all of it is ours."""
    evaluator = getattr(player, "evaluator", None)
    thing = player if evaluator is None else evaluator
    return code_digest(getattr(thing, "code", thing))


def _digest(*texts: str) -> str:
    return hashlib.sha256(json.dumps(texts).encode()).hexdigest()[:10]


def _file_name(part: str) -> str:
    """
    >>> _file_name("EV_O against EV"), _file_name("a/b " * 30)[:9]
    ('EV_O-against-EV', 'a-b-a-b-a')
    """
    plain = "-".join("".join(c if c.isalnum() or c in "_-.," else " " for c in part).split())
    return plain if len(plain) <= 80 else f"{plain[:70]}-{_digest(part)}"
