"""Experiments: one table or figure of a paper as a TOML file, with settings, budgets and the paper's numbers.

>>> experiment = find_experiments(["lucas-2007/figure-9"])[0]
>>> experiment.paper, experiment.title
('lucas-2007', 'Figure 9: the learning curve')

A file `experiments/<paper>/<name>.toml` says which procedure measures it, at which of three budgets, and
what the paper says, row by row:

    title = "Table 1: ..."
    source = "Lucas 2007, section 5"
    procedure = "lucas_2007.champion.table_1"    # a function in outflank/studies
    about = "What is measured, and how it was read from the paper."

    [settings]                   # for every scale; a scale's own settings are laid over them
    preset = "lucas-2007"
    [scales.quick]               # seconds: that every part works
    seeds = 1
    [scales.standard]            # at most ten minutes on two cores
    seeds = 10
    [scales.paper]               # the paper's budget
    seeds = 10

    [[rows]]
    key = "score at 250"         # what the procedure calls it
    what = "score after 250 games"
    paper = 0.4575
    games = 200                  # of the paper's share, for its interval; or ci95 = [low, high], error = 0.02
    better = "higher"
    differs = "Why, or what was tried; shown where the verdict is differs."

    [[rows]]
    key = "inversion"
    claim = "Board inversion is better than output negation (p < 0.01)."
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from outflank.suggestions import unknown

FOLDER = Path(str(files("outflank") / "studies" / "experiments"))
PAPERS = {
    "lucas-2007": "Lucas 2007: Learning to Play Othello with N-Tuple Systems",
    "kim-2007": "Kim, Choi and Cho 2007: Hybrid of Evolution and Reinforcement Learning for Othello Players",
    "chong-2003": "Chong, Ku, Lim, Tan and White 2003: Evolved Neural Networks Learning Othello Strategies",
    "jaskowski-2014": "Jaskowski 2014: Systematic N-tuple Networks for Position Evaluation",
    "beyond": "Beyond the papers",
}
Scale = Literal["quick", "standard", "paper"]
SCALES: tuple[Scale, ...] = get_args(Scale)


class Row(BaseModel):
    """A number or a claim of the paper."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    key: str
    what: str = ""
    paper: float | None = None
    exact: bool = False
    games: int | None = None  # the paper's value is a share of so many games
    ci95: tuple[float, float] | None = None
    error: float | None = None  # of reading a figure, or of rounding
    better: Literal["higher", "lower"] | None = None
    claim: str = ""
    decimals: int = 3
    differs: str = ""

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if (self.paper is None) == (not self.claim):
            raise ValueError(f"row {self.key!r} has either a number of the paper or a claim")
        kinds = [self.exact, self.games is not None, self.ci95 is not None, self.error is not None]
        if sum(kinds) != (self.paper is not None):
            raise ValueError(
                f"row {self.key!r}: a number has one of exact, games, ci95 and error, a claim none"
            )
        return self

    @property
    def name(self) -> str:
        return self.what or self.claim


class _Document(BaseModel):
    model_config = ConfigDict(extra="forbid")
    title: str
    source: str
    procedure: str = Field(pattern=r"^[a-z_0-9]+(\.[a-z_0-9]+)+$")
    about: str
    remark: str = ""
    settings: dict[str, Any] = {}
    scales: dict[Scale, dict[str, Any]]
    rows: list[Row] = Field(min_length=1)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if missing := [scale for scale in SCALES if scale not in self.scales]:
            raise ValueError(f"the scale {missing[0]} is missing")
        keys = [row.key for row in self.rows]
        if twice := [key for key in keys if keys.count(key) > 1]:
            raise ValueError(f"two rows have the key {twice[0]!r}")
        return self


@dataclass(frozen=True)
class Experiment:
    """A table or figure, and how to measure it."""

    name: str  # "lucas-2007/figure-9"
    title: str
    source: str
    procedure: str
    about: str
    remark: str  # what a reader of the report should know beside the rows
    rows: tuple[Row, ...]
    _settings: Mapping[str, Any]
    _scales: Mapping[Scale, Mapping[str, Any]]

    @property
    def paper(self) -> str:
        return self.name.partition("/")[0]

    def settings(self, scale: Scale) -> dict[str, Any]:
        """All settings but the number of seeds."""
        merged = {**self._settings, **self._scales[scale]}
        return {key: value for key, value in merged.items() if key != "seeds"}

    def seeds(self, scale: Scale) -> int:
        return int({**self._settings, **self._scales[scale]}.get("seeds", 1))


def experiment_names() -> tuple[str, ...]:
    """All that come with the package, in the papers' order."""
    return tuple(
        f"{paper}/{path.stem}"
        for paper in PAPERS
        for path in sorted((FOLDER / paper).glob("*.toml"), key=_order)
    )


def find_experiments(names: Sequence[str]) -> list[Experiment]:
    """Experiments by name, by paper, or `all` of them; or of TOML files of one's own."""
    known = experiment_names()
    found: dict[str, Experiment] = {}
    for name in names:
        if name.endswith(".toml"):
            chosen = {f"own/{Path(name).stem}": Path(name)}
        else:
            matching = [one for one in known if name in ("all", one, one.partition("/")[0])]
            chosen = {one: FOLDER / f"{one}.toml" for one in matching}
        if not chosen:
            raise ValueError(unknown(name, ("all", *PAPERS, *known), "an experiment"))
        found |= {one: read_experiment(one, path) for one, path in chosen.items() if one not in found}
    return list(found.values())


def read_experiment(name: str, path: Path) -> Experiment:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not TOML: {error}") from None
    try:
        document = _Document.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise ValueError(f"{path}{f', {where}' if where else ''}: {first['msg']}") from None
    return Experiment(
        name, document.title, document.source, document.procedure, document.about, document.remark,
        tuple(document.rows), document.settings, document.scales,
    )  # fmt: skip


def _order(path: Path) -> tuple[str, int, str]:
    """figure-9 before figure-10, figures before tables."""
    kind, _, number = path.stem.partition("-")
    digits = "".join(c for c in number if c.isdigit())
    return kind, int(digits) if digits else 0, path.stem
