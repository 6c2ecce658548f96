"""Presets by name, and settings from files and from key=value.

Settings as text: read from TOML or from key=value, checked, and written beside a run.

>>> parse_settings({"evaluator": "all-2", "games": 1e6}, "here").games
1000000
>>> parse_settings({"method": "cma-es", "evaluator": "all-2", "generations": 10}, "here").population
40
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints
from outflank.learners.runs.evolution_settings import EvolutionSettings
from outflank.learners.td import TdSettings
from outflank.suggestions import unknown
from importlib.resources import files
from typing import Any


Settings = TdSettings | EvolutionSettings


def parse_settings(values: Mapping[str, Any], source: str) -> Settings:
    """Settings from the values of a TOML file or of --set: of evolution if they name its method, else of
    temporal differences."""
    kind = EvolutionSettings if "method" in values else TdSettings
    known = tuple(field.name for field in fields(kind))
    types = get_type_hints(kind)
    for key in values:
        if key not in known:
            raise ValueError(f"{source}: {unknown(key, known, 'a setting')}")
    try:
        return kind(**{key: _typed(key, value, types[key]) for key, value in values.items()})
    except (TypeError, ValueError) as error:
        raise ValueError(f"{source}: {error}") from None


def _typed(key: str, value: Any, kind: Any) -> Any:
    """A value as the setting's type has it: numbers may be written as 5_000 or 1e6, lists as lists."""
    if get_origin(kind) in (Union, UnionType):  # int | None and the like
        kind = next(part for part in get_args(kind) if part is not type(None))
    if (kind is bool) != isinstance(value, bool):
        raise ValueError(f"{key} must be {'true or false' if kind is bool else 'no truth value'}")
    if get_origin(kind) is tuple:
        if isinstance(value, str):
            value = [value] if value else []
        if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
            raise ValueError(f"{key} must be a list of players")
        return tuple(value)
    if kind is int:
        if not isinstance(value, int | float) or value != int(value):
            raise ValueError(f"{key} must be a whole number, got {value!r}")
        return int(value)
    if kind is float:
        if not isinstance(value, int | float):
            raise ValueError(f"{key} must be a number, got {value!r}")
        return float(value)
    if not isinstance(value, str) and (kind is str or get_origin(kind) is Literal):
        raise ValueError(f"{key} must be text, got {value!r}")
    return value


def settings_toml(settings: Settings, seed: int) -> str:
    lines = [f"seed = {seed}"]
    for key, value in asdict(settings).items():
        if value is not None:
            lines.append(f"{key} = {json.dumps(list(value) if isinstance(value, tuple) else value)}")
    return "\n".join(lines) + "\n"


def read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not a TOML file: {error}") from None


FOLDER = Path(str(files("outflank") / "data" / "presets"))


def preset_names() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


def preset_or_file(name: str, changes: list[str]) -> tuple[Settings, int | None]:
    """The settings of a preset or a TOML file, with `key=value` changes; and the file's seed, if any."""
    if name in preset_names():
        path = FOLDER / f"{name}.toml"
    elif Path(name).is_file():
        path = Path(name)
    else:
        raise ValueError(unknown(name, preset_names(), "a preset or a TOML file"))
    values = read_toml(path)
    seed = values.pop("seed", None)
    return parse_settings(values | dict(map(_change, changes)), name), seed


def _change(text: str) -> tuple[str, Any]:
    """TOML where it is TOML, else plain text; several players with semicolons, none as nothing.

    >>> _change("alpha=0.1"), _change("opponents=all-2;random"), _change("watch=")
    (('alpha', 0.1), ('opponents', ['all-2', 'random']), ('watch', []))
    """
    key, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"--set takes key=value, got {text!r}")
    try:
        return key.strip(), tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        if key.strip() in ("opponents", "watch"):
            return key.strip(), [player for player in value.split(";") if player.strip()]
        return key.strip(), value

