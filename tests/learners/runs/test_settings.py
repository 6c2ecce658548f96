"""Settings: every wrong value has its sentence; presets are listed and described; text and values agree."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from typing import Any

import pytest

from outflank import EvolutionSettings, TdSettings
from outflank.learners.runs.settings import (
    describe,
    load_preset,
    parse_changes,
    parse_settings,
    preset_names,
    settings_toml,
)
from tests.conftest import Outflank


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"games": 2.5}, "here: games must be a whole number, got 2.5"),
        ({"games": "many"}, "here: games must be a whole number, got 'many'"),
        ({"games": True}, "here: games must not be a boolean"),
        ({"games": 0}, "here: games must be at least 1, got 0"),
        ({"alpha": "fast"}, "here: alpha must be a number, got 'fast'"),
        ({"alpha": True}, "here: alpha must not be a boolean"),
        ({"alpha": -1}, "here: alpha must be above zero, got -1"),
        ({"alpha": float("inf")}, "here: alpha must be a finite number, got inf"),
        ({"final_alpha": -0.5}, "here: final_alpha must be zero or more, got -0.5"),
        ({"epsilon": 1.5}, "here: epsilon must be within 0..1, got 1.5"),
        ({"stages": 62}, "here: stages must be within 1..61, got 62"),
        ({"coherence": 1}, "here: coherence must be true or false, got 1"),
        ({"evaluator": 3}, "here: evaluator must be text, got 3"),
        ({"opponents": 3}, "here: opponents must be a list of players"),
        ({"opponents": ["all-2", 3]}, "here: opponents must be a list of players"),
        ({"view": "doubled"}, "here: view must be inversion or negation, got 'doubled'"),
        ({"alfa": 1, "games": 0}, "here: 'alfa' is not a setting; did you mean alpha?"),
        ({"method": "cma"}, "here: 'cma' is not a method; did you mean cma-es?"),
        ({"method": "cma-es"}, "here: generations is missing"),
        ({"method": "cma-es", "generations": 1, "view": "x"},
         "here: view must be inversion or negation, got 'x'"),
        ({"method": "cma-es", "generations": 1, "tau": 1.0},
         "here: tau means nothing to cma-es (it is for self-adaptive); leave it out"),
        ({"method": "cma-es", "generations": 1, "seed_player": "all-2", "stages": 2},
         "here: stages is that of all-2, from which all individuals start; leave it out"),
    ],
)  # fmt: skip
def test_wrong_values(values: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        parse_settings(values, "here")


def test_numbers_and_lists_may_be_written_in_several_ways() -> None:
    settings = parse_settings({"games": 1e6, "alpha": 1, "opponents": "all-2"}, "here")
    assert settings == TdSettings(games=1_000_000, alpha=1.0, opponents=("all-2",))
    assert parse_changes(["opponents=all-2,depth=2;random"]) == {"opponents": ["all-2,depth=2", "random"]}


def test_settings_cannot_change() -> None:
    with pytest.raises(ValueError, match="frozen"):
        TdSettings().games = 5


@pytest.mark.parametrize("name", preset_names())
def test_presets_survive_their_text(name: str) -> None:
    preset = load_preset(name)
    assert preset.seed is None
    values = tomllib.loads(settings_toml(preset.settings, 3))
    assert values.pop("seed") == 3
    assert parse_settings(values, name) == preset.settings


@pytest.mark.parametrize("name", preset_names())
def test_every_setting_that_applies_is_described(name: str) -> None:
    preset = load_preset(name)
    assert 20 < len(preset.description) < 60
    rows = {row.name: row for row in describe(preset.settings)}
    assert all(row.meaning.endswith(".") and len(row.meaning) < 80 for row in rows.values())
    given = {key: value for key, value in preset.settings.model_dump().items() if value is not None}
    assert given.items() <= {row.name: row.value for row in rows.values()}.items()
    chosen = {key: given[key] for key in ("method", "generations", "fitness", "seed_player", "seed_preset")
              if given.get(key)}  # fmt: skip
    is_evolution = isinstance(preset.settings, EvolutionSettings)
    plain = EvolutionSettings(**chosen) if is_evolution else type(preset.settings)()
    defaults = plain.model_dump() | ({} if not is_evolution else {"method": None, "generations": None,
                                     "fitness": "league", "seed_player": "", "seed_preset": ""})  # fmt: skip
    assert {row.name: row.default for row in rows.values()}.items() <= defaults.items()


def test_the_command_line_lists_and_describes(outflank: Outflank) -> None:
    listed = outflank("learn", "--list").stdout
    assert all(name in listed for name in preset_names())
    as_json = json.loads(outflank("learn", "--list", "--json").stdout)
    assert [one["name"] for one in as_json] == list(preset_names())
    described = outflank("learn", "--describe", "lucas-2007", "--set", "trace=0.5").stdout
    assert "Lambda of TD(lambda)." in described
    assert "0.5 (0.0)" in described
    settings = json.loads(outflank("learn", "--describe", "chong-2003", "--json").stdout)["settings"]
    assert settings["watch"]["value"] == ["disc-difference", "positional"]
    assert settings["depth"] == {"value": 2, "default": 1, "meaning": "Plies of minimax in all games."}
    assert "population" not in settings
    nothing = outflank("learn")
    assert nothing.returncode == 2
    assert "outflank learn --list shows the presets" in nothing.stderr


def test_commands_that_do_not_learn_do_not_load_learners() -> None:
    """Their settings need pydantic's models, which take a while to build."""
    program = (
        "import sys\n"
        "from outflank.interfaces.cli import main\n"
        "try:\n    main()\nexcept SystemExit as ended:\n    assert not ended.code\n"
        "assert 'outflank.learners' not in sys.modules"
    )
    for arguments in (["--help"], ["score", "all-2", "--double-games", "10"]):
        done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
