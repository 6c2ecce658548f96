"""Settings as text: from presets, TOML files and key=value; and written beside a run.

>>> parse_settings({"evaluator": "all-2", "games": 1e6}, "here").games
1000000
>>> parse_settings({"method": "cma-es", "evaluator": "all-2", "generations": 10}, "here").population
40
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from outflank.learners.expert_iteration import ExpertIterationSettings
from outflank.learners.preferences import PreferenceSettings
from outflank.learners.runs.evolution_settings import EvolutionSettings
from outflank.learners.td import TdSettings
from outflank.learners.teacher import TeacherSettings
from outflank.suggestions import unknown

Settings = TdSettings | EvolutionSettings | TeacherSettings | ExpertIterationSettings | PreferenceSettings
BY_METHOD = {
    "teacher": TeacherSettings,
    "expert-iteration": ExpertIterationSettings,
    "preferences": PreferenceSettings,
}
PRESETS = Path(str(files("outflank") / "data" / "presets"))


@dataclass(frozen=True)
class Preset:
    """A preset, or a settings file of one's own. `seed`: that of the file, if it has one."""

    name: str
    description: str
    settings: Settings
    seed: int | None

    @property
    def method(self) -> str:
        return method_of(self.settings)


def method_of(settings: Settings) -> str:
    return "temporal differences" if isinstance(settings, TdSettings) else settings.method


def preset_names() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in PRESETS.glob("*.toml")))


def load_preset(name: str, changes: Mapping[str, Any] | None = None) -> Preset:
    """The preset of that name or the TOML file, with changed settings."""
    if name in preset_names():
        path = PRESETS / f"{name}.toml"
    elif Path(name).is_file():
        path = Path(name)
    else:
        raise ValueError(unknown(name, preset_names(), "a preset or a TOML file"))
    values = read_toml(path)
    seed, description = values.pop("seed", None), values.pop("description", "")
    return Preset(name, description, parse_settings(values | dict(changes or {}), name), seed)


def parse_settings(values: Mapping[str, Any], source: str) -> Settings:
    """Settings of the method that the values name; without one, of temporal differences."""
    try:
        if (method := values.get("method")) in BY_METHOD:
            found: Settings = BY_METHOD[method](**values)
            return found
        return EvolutionSettings(**values) if _evolves(values) else TdSettings(**values)
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from None


def _evolves(values: Mapping[str, Any]) -> bool:
    return "method" in values or "optimiser" in values


def parse_changes(texts: Iterable[str]) -> dict[str, Any]:
    """Values of `--set key=value`: TOML if it is, else plain text; players separated by semicolons.

    >>> parse_changes(["alpha=0.1", "opponents=all-2;random", "watch="])
    {'alpha': 0.1, 'opponents': ['all-2', 'random'], 'watch': []}
    """
    changes: dict[str, Any] = {}
    for text in texts:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not equals:
            raise ValueError(f"--set takes key=value, got {text!r}")
        try:
            changes[key] = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            is_list = key in ("opponents", "watch", "files", "held_out")
            changes[key] = [name for name in value.split(";") if name.strip()] if is_list else value
    return changes


def settings_toml(settings: Settings, seed: int) -> str:
    values = {"seed": seed} | {k: v for k, v in settings.model_dump(mode="json").items() if v is not None}
    return "".join(f"{key} = {_toml(value)}\n" for key, value in values.items())


def _toml(value: Any) -> str:
    """
    >>> _toml({"rate": 0.1, "names": ["a", "b"]})
    '{ "rate" = 0.1, "names" = ["a", "b"] }'
    """
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(key)} = {_toml(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


def read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not a TOML file: {error}") from None


@dataclass(frozen=True)
class DescribedSetting:
    name: str
    value: Any
    default: Any
    meaning: str


def describe(settings: Settings) -> list[DescribedSetting]:
    """All settings that apply, with their meaning and their default for the chosen method.

    >>> [row for row in describe(TdSettings(trace=0.5)) if row.name == "trace"]
    [DescribedSetting(name='trace', value=0.5, default=0.0, meaning='Lambda of TD(lambda).')]
    """
    fields, values = type(settings).model_fields, settings.model_dump()
    return [
        DescribedSetting(name, values[name], default, fields[name].description or "")
        for name, default in settings.defaults().items()
    ]
