"""A fresh league is not empty: outflank's own players, and the published ones whose files are there.

>>> from outflank.league.store import Store
>>> league = League(Store("sqlite://"))
>>> len(seed(league, PublishedFiles(None)))
8
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
from outflank.league.inspection import fault_of, inspect_here
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
OWN, PUBLISHED, KEEPER = HOUSE
SHORT = 500  # double games, to tell views apart
log = logging.getLogger("outflank.league")


def seed(league: League, published: PublishedFiles) -> list[str]:
    """Add what is not there yet; the names of those that were added."""
    added = []
    own, others = _house(league, OWN), _house(league, PUBLISHED)
    for name, built_in in BUILT_IN.items():
        added += _add(league, own, built_in_file(name), name, built_in.view, built_in.description)
    for name, view in VIEWS.items():
        if (file := published.file(name)) is not None:
            added += _add(league, others, file, name, view, SOURCES[name])
    for file in published.others():
        try:
            view, note = better_view(file), "Its file does not say its view: the better of two short matches."
            added += _add(league, others, file, checked_name(file.stem, "player"), view, note)
        except (ValueError, OSError) as error:
            log.warning("%s is not added to the league: %s", file.name, fault_of(error, str(file)))
    _house(league, KEEPER)  # the last thing: a seeding that was broken off is done again
    return added


def better_view(file: Path) -> View:
    """The view that a League text file was made for: by the wrong one a player plays far worse.

    >>> better_view(built_in_file("all-2")), better_view(built_in_file("standard-heuristic"))
    ('inversion', 'negation')
    """
    stored = load_player(file)
    if stored.view is not None:
        return stored.view
    views: tuple[View, View] = ("negation", "inversion")  # where it does not matter, the League's own
    players = {view: GreedyPlayer(stored.evaluator, view) for view in views}
    scores = {view: league_match(player, double_games=SHORT).play().score for view, player in players.items()}
    return max(views, key=lambda view: scores[view])


def is_seeded(league: League) -> bool:
    """Whether seed() has once been done: players that were removed since stay away."""
    with league.store.reading() as session:
        return session.scalar(select(Entrant).where(Entrant.folded_name == KEEPER)) is not None


def add_file(league: League, file: Path, *, name: str, view: View | None = None) -> list[str]:
    """A player of whoever runs the league's server; its name, or nothing if the file is in the league."""
    return _add(league, _house(league, KEEPER), file, name, view, "")


def _add(league: League, entrant: Entrant, file: Path, name: str, view: View | None, note: str) -> list[str]:
    try:
        league.add(entrant, file.read_bytes(), inspect_here(file, view or ""), name=name, note=note)
    except (Taken, IntegrityError):  # seeded before, by another server just now, or under another name
        return []
    return [name]


def _house(league: League, name: str) -> Entrant:
    """An entrant without a key: nobody can submit for it."""
    known = select(Entrant).where(Entrant.folded_name == folded(name))
    with league.store.reading() as session:
        if (entrant := session.scalar(known)) is not None:
            return entrant
    try:
        with league.store.writing() as session:
            entrant = Entrant(name=name, folded_name=folded(name), created=time.time())
            session.add(entrant)
        return entrant
    except IntegrityError:  # another server that starts at this moment was first
        with league.store.reading() as session:
            return session.scalars(known).one()
