"""Players as points: every name is readable, wherever the points lie."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from outflank.studies.beyond.league_against_strength import Point, draw_scatter


def cloud(places: list[tuple[float, float]]) -> dict[str, Point]:
    return {
        f"a-player-number-{i}": Point((x, x - 0.01, x + 0.01), (y, y - 0.01, y + 0.01), f"kind {i % 3}")
        for i, (x, y) in enumerate(places)
    }


CLOUDS = {
    "all in one place": [(0.9, 0.5)] * 8,
    "in the corners": [(0.02, 0.01), (0.02, 0.99), (0.998, 0.01), (0.998, 0.99)],
    "random": [(float(x), float(y)) for x, y in np.random.default_rng(1).uniform(0.3, 0.95, (14, 2))],
    "never and always": [(0.0, 0.0), (1.0, 1.0)],
}


@pytest.mark.parametrize("name", CLOUDS)
def test_no_name_covers_another_or_leaves_the_picture(name: str) -> None:
    figure = draw_scatter(cloud(CLOUDS[name]), "x", "y")
    figure.draw_without_rendering()  # as it is when it is saved
    axes = figure.axes[0]
    boxes = [text.get_window_extent() for text in axes.texts]
    assert len(boxes) == len(CLOUDS[name])
    assert not any(a.overlaps(b) for a, b in combinations(boxes, 2))
    assert all(axes.bbox.x0 <= box.x0 and box.x1 <= axes.bbox.x1 for box in boxes)
    assert all(axes.bbox.y0 <= box.y0 and box.y1 <= axes.bbox.y1 for box in boxes)


def test_a_name_away_from_its_mark_has_a_line_to_it() -> None:
    alone, crowded = (draw_scatter(cloud([(0.9, 0.5)] * count), "x", "y").axes[0] for count in (1, 8))
    assert len(crowded.lines) - 3 > len(alone.lines) - 1 == 0  # beside the marks of each kind
