"""Competitions: entrants nominate up to two players for a round robin at three rates of forced random moves.

As in Kim 2007, Tables I to III: 0, 1 and 10 %. At 0 and 1 % every double game has an opening of its own.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from itertools import combinations

from sqlalchemy import select
from sqlalchemy.orm import Session

from outflank.board import Board
from outflank.games.positions import MOST_OPENINGS, openings_for
from outflank.games.tournaments.standings import PairResult, Standings
from outflank.league.league import HOUSE, League, NotFound, Taken
from outflank.league.schema import Competition, Job, Meeting, Nomination, Player
from outflank.league.text_fields import checked_name, folded

EPSILONS = (0.0, 0.01, 0.1)
FEW_RANDOM_MOVES = 0.1  # below this rate games start from many openings, or they would repeat each other
DOUBLE_GAMES = 500
MOST_DOUBLE_GAMES = MOST_OPENINGS  # so that without random moves too no game is played twice
MOST_PER_ENTRANT = 2


def meeting_starts(epsilon: float, double_games: int) -> tuple[Board, ...]:
    """Where the double games of two players start, in turn."""
    return openings_for(double_games) if epsilon < FEW_RANDOM_MOVES else (Board(),)


@dataclass(frozen=True)
class CompetitionState:
    """A competition, its players and its progress."""

    id: int
    name: str
    state: str
    double_games: int
    created: float
    players: tuple[Player, ...] = field(compare=False)  # rows, which are equal by identity
    meetings: int  # played
    meetings_in_all: int


class Competitions:
    """Opened and started by the admin; nominations by entrants."""

    def __init__(self, league: League) -> None:
        self.league = league
        self.store = league.store

    def open(self, name: str, double_games: int = DOUBLE_GAMES) -> int:
        checked_name(name, "competition")
        if not 1 <= double_games <= MOST_DOUBLE_GAMES:
            raise ValueError(f"a pair plays 1 to {MOST_DOUBLE_GAMES:,} double games, not {double_games:,}")
        with self.store.writing() as session:
            if session.scalar(select(Competition).where(Competition.folded_name == folded(name))):
                raise Taken(f"there is a competition {name} already; choose another name")
            competition = Competition(
                name=name, folded_name=folded(name), double_games=double_games, created=time.time()
            )
            session.add(competition)
            session.flush()
            return competition.id

    def nominate(self, key: str, competition_id: int, player_id: int) -> None:
        """Nominate an entrant's own player, one of at most two."""
        entrant = self.league.entrant(key)
        with self.store.writing() as session:
            player = session.get(Player, player_id)
            if player is None or player.entrant_id != entrant.id:
                raise NotFound(f"{entrant.name} has no player {player_id}")
            self._nominate(session, competition_id, player)

    def nominate_any(self, competition_id: int, player_id: int) -> None:
        """For the admin: any player. Of those that came with the league there may be more than two."""
        with self.store.writing() as session:
            player = session.get(Player, player_id)
            if player is None:
                raise NotFound(f"there is no player {player_id}")
            self._nominate(session, competition_id, player)

    def start(self, competition_id: int) -> int:
        """Close nominations; every pair at every rate becomes a job. Returns their number."""
        with self.store.writing() as session:
            competition = _competition(session, competition_id)
            if competition.state != "open":
                raise Taken(f"{competition.name} has been started already")
            players = sorted(nomination.player_id for nomination in competition.nominations)
            if len(players) < 2:
                raise ValueError(f"{competition.name} needs at least two nominated players to start")
            competition.state = "playing"
            now = time.time()
            jobs = [
                Job(kind="meeting", player_id=first, opponent_id=second, competition_id=competition_id,
                    epsilon=epsilon, created=now)
                for epsilon in EPSILONS
                for first, second in combinations(players, 2)
            ]  # fmt: skip
            session.add_all(jobs)
            return len(jobs)

    def all(self) -> list[CompetitionState]:
        """The latest first."""
        with self.store.reading() as session:
            found = session.scalars(select(Competition).order_by(Competition.id.desc())).unique().all()
            return [_state(session, competition) for competition in found]

    def state(self, competition_id: int) -> CompetitionState:
        with self.store.reading() as session:
            return _state(session, _competition(session, competition_id))

    def standings(self, competition_id: int) -> dict[float, Standings]:
        """By rate, for those at which any match was played; players by their names."""
        with self.store.reading() as session:
            competition = _competition(session, competition_id)
            names = {n.player_id: n.player.name for n in competition.nominations}
            query = select(Meeting).where(Meeting.competition_id == competition_id)
            by_rate: dict[float, list[PairResult]] = {}
            for meeting in session.scalars(query):
                pair = PairResult(names[meeting.first_id], names[meeting.second_id], meeting.tally)
                by_rate.setdefault(meeting.epsilon, []).append(pair)
        return {epsilon: Standings.of(results) for epsilon, results in sorted(by_rate.items())}

    def meetings_of(self, player_id: int) -> list[tuple[str, float, PairResult]]:
        """A player's matches in all competitions: competition, rate and results."""
        with self.store.reading() as session:
            query = (
                select(Meeting, Competition.name)
                .join(Competition, Competition.id == Meeting.competition_id)
                .where((Meeting.first_id == player_id) | (Meeting.second_id == player_id))
                .order_by(Meeting.competition_id.desc(), Meeting.epsilon, Meeting.id)
            )
            found = []
            for meeting, name in session.execute(query):
                first = session.get_one(Player, meeting.first_id).name
                second = session.get_one(Player, meeting.second_id).name
                result = PairResult(first, second, meeting.tally)
                is_first = meeting.first_id == player_id
                found.append((name, meeting.epsilon, result if is_first else result.turned()))
            return found

    def remove_player(self, player_id: int) -> None:
        """Remove a player; competitions that only waited for its games are finished."""
        with self.store.reading() as session:
            query = select(Job.competition_id).where(
                (Job.player_id == player_id) | (Job.opponent_id == player_id), Job.competition_id.is_not(None)
            )
            affected = set(session.scalars(query).all())
        self.league.remove(player_id)
        with self.store.writing() as session:
            for competition_id in affected:
                assert competition_id is not None
                finish_if_played(session, competition_id)

    def _nominate(self, session: Session, competition_id: int, player: Player) -> None:
        competition = _competition(session, competition_id)
        if competition.state != "open":
            raise ValueError(f"{competition.name} is no longer open for nominations")
        theirs = [n for n in competition.nominations if n.player.entrant_id == player.entrant_id]
        if any(nomination.player_id == player.id for nomination in theirs):
            raise Taken(f"{player.name} is nominated already")
        if len(theirs) >= MOST_PER_ENTRANT and folded(player.entrant.name) not in HOUSE:
            raise ValueError(f"an entrant nominates up to {MOST_PER_ENTRANT} players")
        competition.nominations.append(Nomination(player_id=player.id))


def finish_if_played(session: Session, competition_id: int) -> None:
    """A competition is finished when none of its jobs waits or is being done."""
    competition = _competition(session, competition_id)
    left = select(Job.id).where(Job.competition_id == competition_id, Job.state.in_(("waiting", "taken")))
    if competition.state == "playing" and session.scalar(left.limit(1)) is None:
        competition.state = "finished"


def _competition(session: Session, competition_id: int) -> Competition:
    competition = session.get(Competition, competition_id)
    if competition is None:
        raise NotFound(f"there is no competition {competition_id}")
    return competition


def _state(session: Session, competition: Competition) -> CompetitionState:
    players = tuple(nomination.player for nomination in competition.nominations)
    count = len(players)
    played = len(session.scalars(select(Meeting.id).where(Meeting.competition_id == competition.id)).all())
    return CompetitionState(
        competition.id, competition.name, competition.state, competition.double_games, competition.created,
        players, played, len(EPSILONS) * count * (count - 1) // 2,
    )  # fmt: skip
