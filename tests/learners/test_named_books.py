"""Books that are made from a recipe: the same bytes after an interruption, and clear sentences before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from outflank import OpeningBook, _core
from outflank.learners.named_books import BookRecipe, is_missing, learn_recipe, make_book
from tests.conftest import Outflank

SMALL = BookRecipe(player="td-all-rounder", games=30, plies=8, variety=3.0, seed=1)


def test_an_interrupted_recipe_ends_with_the_same_bytes(tmp_path: Path) -> None:
    for _ in learn_recipe(SMALL, tmp_path / "whole.book"):
        pass
    for step in learn_recipe(SMALL, tmp_path / "stopped.book"):
        if step.games >= 10:
            break
    assert 10 <= OpeningBook.open(tmp_path / "stopped.book").games < 30
    for _ in learn_recipe(SMALL, tmp_path / "stopped.book"):
        pass
    assert (tmp_path / "stopped.book").read_bytes() == (tmp_path / "whole.book").read_bytes()


def test_a_made_book_is_found_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outflank: Outflank
) -> None:
    monkeypatch.setenv("OUTFLANK_BOOKS", str(tmp_path))
    assert is_missing("large")
    assert not is_missing("default")
    with pytest.raises(ValueError, match="not made on this machine yet: outflank book make large"):
        OpeningBook.open("large")
    for _ in learn_recipe(SMALL, tmp_path / "large.book"):
        pass
    assert make_book("large") == tmp_path / "large.book"  # there already
    assert isinstance(OpeningBook.open("large").core, _core.OpeningBook)
    ran = outflank("book", "make", "large", "--json")
    assert json.loads(ran.stdout)["games"] == 30
    ran = outflank("book", "make", "larg")
    assert ran.returncode == 2
    assert "did you mean large?" in ran.stderr
