"""The players of a fresh league: outflank's own, and published ones if their files are given.

>>> from outflank.league.store import Store
>>> league = League(Store("sqlite://"))
>>> len(seed(league, PublishedFiles(None)))
9
>>> seed(league, PublishedFiles(None))  # once is enough
[]
"""

from __future__ import annotations

import logging
import time
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from outflank.evaluators.storage import View, load_player
from outflank.league.inspection import error_sentence, inspect_here
from outflank.league.league import HOUSE, League, Taken
from outflank.league.published import VIEWS, PublishedFiles
from outflank.league.schema import Entrant
from outflank.league.scoring import league_match
from outflank.league.text_fields import checked_name, folded
from outflank.players.built_in import BUILT_IN, built_in_file
from outflank.players.greedy import GreedyPlayer

SOURCES = {
    "Jaskowski2014All2": "Jaskowski 2014, Figure 7.",
    "Burrow2011ETDL": "Burrow 2011, evolution and temporal differences.",
    "Manning2010Nash70": "Manning 2010, resource-limited Nash memory.",
    "JaskowskiSzubert2015CoCMAES-2": "Jaskowski and Szubert 2015, competitive CMA-ES, 2-tuples.",
    "JaskowskiSzubert2015CoCMAES-4": "Jaskowski and Szubert 2015, competitive CMA-ES, 4-tuples.",
    "SzubertJaskowskiKrawiec2013CTDL": "Szubert, Jaskowski and Krawiec 2013, co-evolution and TD.",
}
OWN, PUBLISHED, ADMIN = HOUSE
SHORT = 500  # double games, enough to tell views apart
log = logging.getLogger("outflank.league")


def seed(league: League, published: PublishedFiles) -> list[str]:
    """Add the players that are missing; returns the names of those added."""
    added = []
    own, others = _house(league, OWN), _house(league, PUBLISHED)
    for name, built_in in BUILT_IN.items():
        added += _add(league, own, built_in_file(name), name, built_in.view, built_in.description)
    for name, view in VIEWS.items():
        if (file := published.file(name)) is not None:
            added += _add(league, others, file, name, view, SOURCES[name])
    for file in published.others():
        try:
            view, note = (better_view(file), "The file does not name its view: the better of two.")
            added += _add(league, others, file, checked_name(file.stem, "player"), view, note)
        except (ValueError, OSError) as error:
            log.warning("%s is not added to the league: %s", file.name, error_sentence(error, str(file)))
    _house(league, ADMIN)  # last: an interrupted seeding is repeated
    return added


def better_view(file: Path) -> View:
    """The view that a League text file was made for: with the wrong one a player plays far worse.

    >>> better_view(built_in_file("all-2")), better_view(built_in_file("standard-heuristic"))
    ('inversion', 'negation')
    """
    stored = load_player(file)
    if stored.view is not None:
        return stored.view
    views: tuple[View, View] = ("negation", "inversion")  # if it does not matter, the League's own
    players = {view: GreedyPlayer(stored.evaluator, view) for view in views}
    scores = {view: league_match(player, double_games=SHORT).play().score for view, player in players.items()}
    return max(views, key=lambda view: scores[view])


def is_seeded(league: League) -> bool:
    """Whether seed() was done once: players that were removed since stay removed."""
    with league.store.reading() as session:
        return session.scalar(select(Entrant).where(Entrant.folded_name == ADMIN)) is not None


def add_file(league: League, file: Path, *, name: str, view: View | None = None) -> list[str]:
    """A player of the admin; returns its name, or nothing if the file is in the league already."""
    return _add(league, _house(league, ADMIN), file, name, view, "")


def _add(league: League, entrant: Entrant, file: Path, name: str, view: View | None, note: str) -> list[str]:
    try:
        league.add(entrant, file.read_bytes(), inspect_here(file, view or ""), name=name, note=note)
    except (Taken, IntegrityError):  # seeded before, by another server, or under another name
        return []
    return [name]


def _house(league: League, name: str) -> Entrant:
    """An entrant without an API key: nobody can submit for it."""
    known = select(Entrant).where(Entrant.folded_name == folded(name))
    with league.store.reading() as session:
        if (entrant := session.scalar(known)) is not None:
            return entrant
    try:
        with league.store.writing() as session:
            entrant = Entrant(name=name, folded_name=folded(name), created=time.time())
            session.add(entrant)
        return entrant
    except IntegrityError:  # another server that is starting was first
        with league.store.reading() as session:
            return session.scalars(known).one()
