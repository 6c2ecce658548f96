"""Presets by name, and settings from files and from key=value."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

from outflank.learners.settings import Settings, parse_settings, read_toml
from outflank.players.names import unknown

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
