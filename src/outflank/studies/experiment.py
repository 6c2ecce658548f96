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
    games = 200                  # of the paper's share; or runs = [its runs], ci95, error, or exact
    margin = 0.05                # within which two numbers count as equal
    better = "higher"
    differs = "Why, at standard scale; shown there if the verdict is differs."
    differs.any = "Or: why, whatever the scale."
    see = ["lucas-2007/ablations"]    # the experiments that measured what was tried

    [[rows]]
    key = "inversion"
    claim = "Board inversion is better than output negation (p < 0.01)."
    own = true                   # if the paper does not say so
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from outflank.plugins import is_plugin, load, source_digest
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
RowKind = Literal["measured", "definition", "own"]
SCALES: tuple[Scale, ...] = get_args(Scale)


SCORE_MARGIN = 0.05  # two scores, shares of points, are equal within this, unless a row says otherwise


class ByScale(BaseModel):
    """A text that belongs to the results of one scale; `any`: to all of them."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    any: str = ""
    quick: str = ""
    standard: str = ""
    paper: str = ""

    def at(self, scale: Scale) -> str:
        """
        >>> ByScale(any="Always.", standard="0.34 here.").at("paper")
        'Always.'
        """
        return " ".join(part for part in (self.any.strip(), str(getattr(self, scale)).strip()) if part)


class Row(BaseModel):
    """A number or a claim of the paper."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    key: str
    what: str = ""
    paper: float | None = None
    exact: bool = False  # a count, which is equal or not
    games: int | None = None  # the paper's value is a share of this many games, of one run
    runs: tuple[float, ...] = ()  # the paper's own runs; one, if it made one
    ci95: tuple[float, float] | None = None
    error: float | None = None  # of rounding, or of reading a figure
    margin: float = Field(default=SCORE_MARGIN, gt=0)
    better: Literal["higher", "lower"] | None = None
    claim: str = ""
    definition: bool = False  # only counts what the paper defines: no game could have refused it
    own: bool = False  # a claim of ours, not of the paper: it holds or not, and reproduces nothing
    no_verdict: str = ""  # why this number is shown and not judged
    decimals: int = 3
    differs: ByScale = ByScale()
    see: tuple[str, ...] = ()  # experiments with the evidence of what was tried

    @field_validator("differs", mode="before")
    @classmethod
    def _of_standard_scale(cls, text: object) -> object:
        return {"standard": text} if isinstance(text, str) else text

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        if (self.paper is None) == (not self.claim):
            raise ValueError(f"row {self.key!r} has either a number of the paper or a claim")
        if self.own and (not self.claim or self.definition):
            raise ValueError(f"row {self.key!r}: only a claim that games decide can be one of our own")
        kinds = [
            self.exact, self.games is not None, bool(self.runs), self.ci95 is not None, self.error is not None
        ]  # fmt: skip
        if sum(kinds) != (self.paper is not None):
            raise ValueError(
                f"row {self.key!r}: a number has one of exact, games, runs, ci95 and error, a claim none"
            )
        return self

    @property
    def kind(self) -> RowKind:
        """Counts and constants, and claims of our own, are summed apart from what games say of the paper's.

        >>> Row(key="a", what="weights", paper=288, exact=True).kind
        'definition'
        """
        if self.own:
            return "own"
        return "definition" if self.definition or self.exact else "measured"

    @property
    def name(self) -> str:
        return self.what or self.claim


class Budget(BaseModel):
    """What the paper spent: the settings that make up the length of one run (or match), and its runs."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    length: dict[str, float] = {}  # {"generations": 5000, "double_games": 1000}: their product is the length
    runs: int = 1
    unit: str = "games"
    hours: float | None = None  # of the scale `paper` on two cores, with the runs that others share

    def share_of_length(self, settings: Mapping[str, Any]) -> float:
        """
        >>> Budget(length={"generations": 5000, "double_games": 1000}).share_of_length(
        ...     {"generations": 50, "double_games": 100})
        0.001
        """
        shares = [float(settings[key]) / whole for key, whole in self.length.items()]
        return math.prod(shares)


class Experiment(BaseModel):
    """A table or figure, and how to measure it."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)
    name: str  # "lucas-2007/figure-9"
    title: str
    source: str
    procedure: str  # "lucas_2007.learning_curve:figure_9"
    about: str
    remark: ByScale = ByScale()  # what a reader of the report should know besides the rows
    see: tuple[str, ...] = ()  # experiments with the evidence of what `about` and `remark` say was tried
    partial: bool = False  # can be reported before its runs are finished
    budget: Budget | None = None  # None: nothing is learned or played that the paper's budget bounds
    common: dict[str, Any] = Field(default={}, alias="settings")
    scales: dict[Scale, dict[str, Any]]
    rows: list[Row] = Field(min_length=1)
    file: Path = Path()

    @field_validator("remark", mode="before")
    @classmethod
    def _of_any_scale(cls, text: object) -> object:
        return {"any": text} if isinstance(text, str) else text

    @field_validator("procedure")
    @classmethod
    def _names_a_function(cls, name: str) -> str:
        if not is_plugin(name, "experiments"):
            raise ValueError(f"a procedure is module:function, or the name of an installed one, got {name!r}")
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

    def printed(self, key: str) -> float | None:
        """The paper's number in the row with this key, if there is one.

        >>> find_experiments(["lucas-2007/figure-6"])[0].printed("range")
        0.04
        """
        return next((row.paper for row in self.rows if row.key == key), None)

    @property
    def is_own(self) -> bool:
        """Whether its procedure is a plug-in, rather than a function in outflank.studies."""
        module, colon, _ = self.procedure.partition(":")
        return not colon or not (STUDIES / module.partition(".")[0]).is_dir()

    def load_procedure(self) -> Callable[[Laboratory], Outcome]:
        """Import the function that measures this: from outflank.studies, or from a module that Python finds,
        beside the experiment's own file too.

        >>> find_experiments(["lucas-2007/figure-9"])[0].load_procedure().__name__
        'figure_9'
        """
        name = self.procedure if self.is_own else f"{__package__}.{self.procedure}"
        try:
            found: Callable[[Laboratory], Outcome] = load(name, "experiments", self.file.resolve().parent)
        except ValueError as error:
            raise ValueError(f"{self.name}: the procedure {self.procedure}: {error}") from error
        if not callable(found):
            raise ValueError(f"{self.name}: the procedure {self.procedure} is not a function")
        return found

    def code_digest(self) -> str:
        """Of the procedure's module, if it is a plug-in that can be imported; empty for one of ours."""
        if self.is_own:
            with suppress(ValueError):
                return source_digest(self.procedure, "experiments", self.file.resolve().parent)
        return ""


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
