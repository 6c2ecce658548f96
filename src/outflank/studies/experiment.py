"""Experiments: one table or figure of a paper as a TOML file with settings, budgets and the paper's numbers.

>>> experiment = find_experiments(["lucas-2007/figure-9"])[0]
>>> experiment.paper, experiment.title
('lucas-2007', 'Figure 9: the learning curve')

A file `experiments/<paper>/<name>.toml` names the procedure that measures it, three budgets, and the paper's
numbers and claims, row by row:

    title = "Table 1: ..."
    source = "Lucas 2007, section 5"
    procedure = "lucas_2007.champion:table_1"    # a function in outflank.studies, or in a module of your own
    about = "What is measured, and how it was read from the paper."

    [settings]                   # for every scale; a scale's own settings override them
    preset = "lucas-2007"
    [scales.quick]               # seconds: does every part work?
    seeds = 1
    [scales.standard]            # at most ten minutes on two cores
    seeds = 10
    [scales.paper]               # the paper's budget
    seeds = 10

    [[rows]]
    key = "score at 250"         # what the procedure calls it
    what = "score after 250 games"
    paper = 0.4575
    games = 200                  # of the paper's share; or ci95 = [low, high], or error = 0.02
    better = "higher"
    differs = "Why, or what was tried; shown if the verdict is differs."

    [[rows]]
    key = "inversion"
    claim = "Board inversion is better than output negation (p < 0.01)."
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from outflank.suggestions import unknown

if TYPE_CHECKING:
    from outflank.studies.laboratory import Laboratory
    from outflank.studies.verdicts import Outcome

STUDIES = Path(__file__).parent
FOLDER = STUDIES / "experiments"
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
    games: int | None = None  # the paper's value is a share of this many games
    ci95: tuple[float, float] | None = None
    error: float | None = None  # of rounding, or of reading a figure
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


class Experiment(BaseModel):
    """A table or figure, and how to measure it."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
    name: str  # "lucas-2007/figure-9"
    title: str
    source: str
    procedure: str  # "lucas_2007.learning_curve:figure_9"
    about: str
    remark: str = ""  # what a reader of the report should know besides the rows
    common: dict[str, Any] = Field(default={}, alias="settings")
    scales: dict[Scale, dict[str, Any]]
    rows: list[Row] = Field(min_length=1)
    file: Path = Path()

    @field_validator("procedure")
    @classmethod
    def _names_a_function(cls, name: str) -> str:
        if not re.fullmatch(r"\w+(\.\w+)*:\w+", name):
            raise ValueError(f"a procedure is module:function, got {name!r}")
        return name

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if missing := [scale for scale in SCALES if scale not in self.scales]:
            raise ValueError(f"the scale {missing[0]} is missing")
        keys = [row.key for row in self.rows]
        if twice := [key for key in keys if keys.count(key) > 1]:
            raise ValueError(f"two rows have the key {twice[0]!r}")
        return self

    @property
    def paper(self) -> str:
        return self.name.partition("/")[0]

    def settings(self, scale: Scale) -> dict[str, Any]:
        """All settings except the number of seeds."""
        merged = {**self.common, **self.scales[scale]}
        return {key: value for key, value in merged.items() if key != "seeds"}

    def seeds(self, scale: Scale) -> int:
        return int({**self.common, **self.scales[scale]}.get("seeds", 1))

    def load_procedure(self) -> Callable[[Laboratory], Outcome]:
        """Import the function that measures this: from outflank.studies, or from a module that Python finds,
        beside the experiment's own file too.

        >>> find_experiments(["lucas-2007/figure-9"])[0].load_procedure().__name__
        'figure_9'
        """
        module, _, function = self.procedure.partition(":")
        if (STUDIES / module.partition(".")[0]).is_dir():
            module = f"{__package__}.{module}"
        elif (folder := str(self.file.resolve().parent)) not in sys.path:
            sys.path.insert(0, folder)
        try:
            found: Callable[[Laboratory], Outcome] = getattr(import_module(module), function)
        except (ImportError, AttributeError, SyntaxError) as error:
            raise ValueError(f"{self.name}: cannot import the procedure {self.procedure}: {error}") from error
        return found


def experiment_names() -> tuple[str, ...]:
    """All experiments that come with outflank, paper by paper."""
    return tuple(
        f"{paper}/{path.stem}"
        for paper in PAPERS
        for path in sorted((FOLDER / paper).glob("*.toml"), key=_order)
    )


def find_experiments(names: Sequence[str]) -> list[Experiment]:
    """Experiments by name, by paper, or `all`; or from TOML files."""
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
        return Experiment.model_validate(values | {"name": name, "file": path})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        message = first["msg"].removeprefix("Value error, ")
        raise ValueError(f"{path}{f', {where}' if where else ''}: {message}") from None


def _order(path: Path) -> tuple[str, int, str]:
    """figure-9 before figure-10, figures before tables."""
    kind, _, number = path.stem.partition("-")
    digits = "".join(c for c in number if c.isdigit())
    return kind, int(digits) if digits else 0, path.stem
