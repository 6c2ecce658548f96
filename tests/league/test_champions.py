"""The champions that outflank ships: their promises, and that their files say how to learn them again."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from outflank import Match, league_match, named_player, read_start_positions
from outflank.league.scoring import measured_row, published_rows, ranked
from outflank.learners.expert_iteration import ExpertIterationSettings
from outflank.learners.runs.evolution_settings import EvolutionSettings
from outflank.learners.runs.settings import load_preset, parse_settings
from outflank.learners.td import TdSettings
from outflank.players.built_in import load_built_in
from tests.league.test_published_players import PLAYERS, path

CHAMPIONS = ("league-champion", "td-all-rounder", "all-rounder", "all-2-evolved")


def test_league_champion() -> None:
    tally = league_match(named_player("league-champion"), double_games=50_000).play()
    assert tally.score >= 0.997


def test_288_evolved_weights_beat_the_best_published_ones() -> None:
    tally = league_match(named_player("all-2-evolved"), double_games=50_000).play()
    assert load_built_in("all-2-evolved").evaluator.weights.size == 288
    assert tally.ci95[0] > 0.9592  # Jaskowski 2014, 0.9592 in the League's table


def test_all_rounder_on_the_lucas_boards(shared: Path) -> None:
    starts = read_start_positions(shared / "positions" / "lucas-boards.txt")
    player = named_player("td-all-rounder")

    def score(opponent: str) -> float:
        return Match(player, named_player(opponent), double_games=1000, starts=starts).play().score

    scores = [score(path(shared, name)) for name in PLAYERS.values()]
    assert sum(scores) / 6 >= 0.90
    assert min(scores) >= 0.80
    assert score("standard-heuristic") >= 0.75


@pytest.mark.parametrize("name", CHAMPIONS)
def test_a_champion_was_learned_by_its_preset(name: str) -> None:
    provenance = load_built_in(name).provenance
    values = tomllib.loads(provenance["settings"])
    assert values.pop("seed") == provenance["seed"] == 1
    learned_by = parse_settings(values, name)
    preset = load_preset(name).settings
    measuring = {"measure_every", "measure_double_games"}
    assert {k: v for k, v in vars(learned_by).items() if k not in measuring} == {
        k: v for k, v in vars(preset).items() if k not in measuring
    }
    if isinstance(preset, TdSettings | ExpertIterationSettings):
        assert provenance["games"] == preset.games
    elif isinstance(preset, EvolutionSettings):
        assert 0 < provenance["generations"] <= preset.generations


def test_league_table_ranks_published_and_measured() -> None:
    rows = ranked([*published_rows(), measured_row(named_player("league-champion"), 300)])
    assert rows[0].name == "league-champion"
    assert rows[1].name == "all-2-inv"
    assert [row.score for row in rows] == sorted((row.score for row in rows), reverse=True)
