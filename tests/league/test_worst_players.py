"""The players of the attack benchmark are legal: were they not, it would show nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.worst_players import WorstPlayer, worst_players

from outflank.evaluators.storage import load_player

SMALL = list(worst_players(seed=1, small=True))


@pytest.mark.parametrize("worst", SMALL, ids=lambda worst: worst.kind)
def test_copies_differ_in_one_weight(worst: WorstPlayer, tmp_path: Path) -> None:
    evaluators = []
    for number in (1, 2):
        path = tmp_path / f"{number}.player"
        path.write_bytes(worst.copy(number))
        evaluators.append(load_player(path).evaluator)
    assert (evaluators[0].weights != evaluators[1].weights).sum() == 1
    assert (evaluators[0].weights[-1], evaluators[1].weights[-1]) == (1, 2)
