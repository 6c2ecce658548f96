"""The walk that every wheel is tested by works here too, and says what went wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import smoke


@pytest.mark.long
def test_the_walk(tmp_path: Path) -> None:
    assert smoke.walk(tmp_path) >= 15


def test_a_command_that_fails(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"outflank score al-2\nended with 2:\noutflank: 'al-2' is not"):
        smoke.Walk(tmp_path).run("score", "al-2")
    with pytest.raises(SystemExit, match="ended with 0"):
        smoke.Walk(tmp_path).run("--version", expect="something else")
    with pytest.raises(SystemExit, match=r"none\.txt was not written"):
        smoke.Walk(tmp_path).has("none.txt")
