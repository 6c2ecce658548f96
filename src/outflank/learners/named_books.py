"""Books that are made on this machine from a recipe, instead of shipped: `outflank book make large`.

>>> recipe = BookRecipe.named("large")
>>> recipe.games, recipe.plies, recipe.player
(140000, 16, 'td-all-rounder,depth=4')
"""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

from filelock import FileLock
from pydantic import BaseModel, ConfigDict

from outflank.files import LOCK
from outflank.learners.opening_book import BookLearner, BookStep
from outflank.players.opening_book import OpeningBook, made_books_folder, recipe_path, recipes
from outflank.suggestions import unknown

SAVE_EVERY = 60.0  # seconds: the most that a power cut may cost


class BookRecipe(BaseModel):
    """All that determines a book's bytes."""

    model_config = ConfigDict(extra="forbid")

    player: str
    games: int
    plies: int
    variety: float
    seed: int

    @classmethod
    def named(cls, name: str) -> BookRecipe:
        if name not in recipes():
            raise ValueError(unknown(name, recipes(), "a book that can be made"))
        return cls.model_validate(tomllib.loads(recipe_path(name).read_text(encoding="utf-8")))


def is_missing(name: str) -> bool:
    """Whether this is the name of a book with a recipe that is not made here yet."""
    return name in recipes() and not _made_path(name).is_file()


def make_book(name: str, show: Callable[[BookStep], None] = lambda _: None) -> Path:
    """The file of a book with a recipe, made if it is missing; continued if that was interrupted. Other
    processes that need it wait."""
    recipe = BookRecipe.named(name)
    path = _made_path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.parent / LOCK):
        if path.is_file():
            OpeningBook.open(path)  # raises if it is damaged
            return path
        unfinished = path.with_name(f"{name}-unfinished.book")
        for step in learn_recipe(recipe, unfinished):
            show(step)
        unfinished.replace(path)
    return path


def learn_recipe(recipe: BookRecipe, path: Path) -> Iterator[BookStep]:
    """Learn a book in a file, or go on where that stopped; saved every minute, when it is finished, and when
    the caller stops early."""
    if path.is_file():
        learner = BookLearner.load(path)
    else:
        learner = BookLearner.new(recipe.plies, recipe.player, recipe.seed, recipe.variety)
    saved = time.monotonic()
    try:
        while (left := recipe.games - learner.core.games) > 0:
            before = learner.core.games
            for step in learner.extend(left):
                yield step
                if time.monotonic() - saved > SAVE_EVERY:
                    learner.save(path)
                    saved = time.monotonic()
            if learner.core.games == before:
                return  # complete: no game finds a new position
    finally:
        learner.save(path)


def _made_path(name: str) -> Path:
    return made_books_folder() / f"{name}.book"
