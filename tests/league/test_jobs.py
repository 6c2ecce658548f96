"""Whose turn it is, what a killed worker leaves, how long a job may take, and leases: on both databases."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import select, update

from outflank.board import Board
from outflank.games.batch import Batch
from outflank.games.match import Match
from outflank.games.statistics import Tally
from outflank.league import jobs as turns
from outflank.league import worker as workers
from outflank.league.competitions import Competitions
from outflank.league.inspection import inspect_here, loaded_player
from outflank.league.jobs import LAG_SECONDS, Held, Jobs, Lost
from outflank.league.league import League, score_seed
from outflank.league.schema import Competition, Entrant, Job, JobBatch, Player
from outflank.league.scoring import league_match
from outflank.league.worker import Worker
from outflank.players.greedy import GreedyPlayer
from outflank.players.names import named_player
from tests.league.test_league import ALL_2, counter, small_worker, work_all


def submit_many(league: League, key: str, folder: Path, numbers: range) -> None:
    entrant = league.entrant(key)
    for number in numbers:
        file = counter(folder, number)
        league.add(entrant, file.read_bytes(), inspect_here(file, "inversion"), name=f"p{number}")


def name_of(league: League, held: Held | None) -> str:
    assert held is not None
    return league.player(held.player_id).name


def give_scores(jobs: Jobs, count: int) -> None:
    """First scores for those whose turn it is, each of which took a second."""
    for _ in range(count):
        held = jobs.take()
        assert held is not None
        jobs.store_batch(held, 0, Tally(2, 0, 0, (0, 0, 0, 0, 1)), held.seconds + 1,
                         lambda session, held=held: workers._add_score(  # type: ignore[misc]
                             session, held.player_id, 1000, Tally(2, 0, 0, (0, 0, 0, 0, 1)), 1))  # fmt: skip
        jobs.release(held, held.seconds + 1)


def test_many_uploads_of_one_do_not_delay_one_of_another(league: League, tmp_path: Path) -> None:
    ada, ben = league.register("Ada"), league.register("Ben")
    submit_many(league, ada, tmp_path, range(20))
    jobs = Jobs(league.store, "a worker")
    give_scores(jobs, 5)
    submit_many(league, ben, tmp_path, range(100, 101))
    assert name_of(league, jobs.take()) == "p100"
    held = jobs.take()
    assert name_of(league, held) == "p5"  # Ada's next that has no score, not one that has


def test_first_scores_come_first_but_do_not_starve_the_rest(league: League, tmp_path: Path) -> None:
    ada, ben = league.register("Ada"), league.register("Ben")
    submit_many(league, ben, tmp_path, range(100, 101))
    jobs = Jobs(league.store, "a worker")
    give_scores(jobs, 1)
    submit_many(league, ada, tmp_path, range(60))
    taken = []
    for _ in range(60):  # every turn takes a second
        held = jobs.take()
        assert held is not None
        jobs.release(held, held.seconds + 1)
        taken.append(name_of(league, held))
    assert "p100" not in taken[:20]
    assert taken.count("p100") >= 15  # Ben's final score, beside Ada's many first ones


def test_a_competition_takes_its_turns_beside_entrants(league: League, tmp_path: Path) -> None:
    ada = league.register("Ada")
    submit_many(league, ada, tmp_path, range(2))
    submit_many(league, league.register("Ben"), tmp_path, range(100, 102))
    work_all(small_worker(league))
    competitions = Competitions(league)
    cup = competitions.open("Cup", double_games=10)
    for player in range(1, 5):
        competitions.nominate_any(cup, player)
    competitions.start(cup)
    submit_many(league, ada, tmp_path, range(10, 30))
    jobs = Jobs(league.store, "a worker")
    give_scores(jobs, 20)
    kinds = []
    for _ in range(60):
        held = jobs.take()
        assert held is not None
        jobs.release(held, held.seconds + 1)
        kinds.append(held.kind)
    assert 20 <= kinds.count("meeting") <= 50
    assert kinds[-20:].count("meeting") in range(8, 13)  # by turns, once the start has evened out


def test_rest_gives_no_claim_to_all_the_workers(league: League, tmp_path: Path) -> None:
    ada, ben = league.register("Ada"), league.register("Ben")
    submit_many(league, ada, tmp_path, range(1))
    submit_many(league, ben, tmp_path, range(100, 101))
    jobs = Jobs(league.store, "a worker")
    give_scores(jobs, 2)
    with league.store.writing() as session:
        session.execute(update(Entrant).where(Entrant.name == "Ada").values(served=10_000.0))
    held = jobs.take()
    assert name_of(league, held) == "p100"
    with league.store.reading() as session:
        ben_served = session.scalar(select(Entrant.served).where(Entrant.name == "Ben"))
    assert ben_served == 10_000 - LAG_SECONDS


class Killed(BaseException):
    """As kill -9: nothing is put in order."""


@contextmanager
def killed_after(batches: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every worker in this process ends after so many batches, each of 100 games and stored."""
    play, left = Match.played, batches

    def until_killed(match: Match, record: bool, first_game: int) -> Iterator[Batch]:
        nonlocal left
        for at in range(first_game, 2 * match.double_games, 100):
            if left == 0:
                left = batches
                raise Killed
            left -= 1
            yield match._play_batch(at, min(100, 2 * match.double_games - at), record)

    monkeypatch.setattr(turns, "STORE_SECONDS", -1.0)
    monkeypatch.setattr(Match, "played", until_killed)
    yield
    monkeypatch.setattr(Match, "played", play)


def lose_a_worker(league: League) -> None:
    """One takes a job and is killed; its lease has ended afterwards."""
    doomed = small_worker(league, lease=0.01)
    held = doomed.jobs.take()
    assert held is not None
    with pytest.raises(Killed):
        doomed.do(held)
    time.sleep(0.05)


def test_a_job_goes_on_after_its_last_stored_batch(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    player = league.submit(league.register("Ada"), ALL_2, name="all-2", view="inversion")
    with killed_after(12, monkeypatch):
        for _ in range(2):
            lose_a_worker(league)
    with league.store.reading() as session:
        stored = session.scalars(select(JobBatch).order_by(JobBatch.first_game)).all()
        assert [batch.first_game for batch in stored] == list(range(0, 2400, 100))
    assert [score.double_games for score in league.player(player.id).scores] == [1000]
    first_games = []
    play = Match.played

    def watched(match: Match, record: bool, first_game: int) -> Iterator[Batch]:
        first_games.append(first_game)
        return play(match, record, first_game)

    monkeypatch.setattr(Match, "played", watched)
    work_all(small_worker(league))
    assert first_games == [2400]
    match = league_match(named_player("all-2"), double_games=1500, seed=score_seed(player.digest))
    monkeypatch.undo()
    assert league.player(player.id).scores[-1].tally == match.play()
    with league.store.reading() as session:
        assert session.scalars(select(JobBatch)).all() == []
        assert session.scalars(select(Job.state)).all() == ["done"]


def test_a_meeting_goes_on_after_its_last_stored_batch(
    league: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = league.register("Ada")
    submit_many(league, key, tmp_path, range(2))
    work_all(small_worker(league))
    competitions = Competitions(league)
    cups = [competitions.open(name, double_games=200) for name in ("Cup", "Twin")]
    for cup in cups:
        for player in (1, 2):
            competitions.nominate_any(cup, player)
        competitions.start(cup)
    with killed_after(3, monkeypatch):
        lose_a_worker(league)
    work_all(small_worker(league))
    disturbed, twin = (competitions.standings(cup) for cup in cups)
    assert {rate: found.rows[0].tally for rate, found in disturbed.items()} == {
        rate: found.rows[0].tally for rate, found in twin.items()
    }


@pytest.fixture
def one_opening(monkeypatch: pytest.MonkeyPatch) -> None:
    """As competitions were before openings: two players without random moves play one double game again and
    again."""
    monkeypatch.setattr(workers, "meeting_starts", lambda *_: (Board(),))


def cups_of_two(league: League, folder: Path, *names: str) -> tuple[Competitions, list[int]]:
    """Competitions of the same two players, started."""
    submit_many(league, league.register("Ada"), folder, range(2))
    work_all(small_worker(league))
    competitions = Competitions(league)
    cups = [competitions.open(name, double_games=200) for name in names]
    for cup in cups:
        for player in (1, 2):
            competitions.nominate_any(cup, player)
        competitions.start(cup)
    return competitions, cups


@pytest.mark.usefixtures("one_opening")
def test_games_that_repeat_are_counted_over_killed_workers_and_slices(
    league: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    competitions, (disturbed, twin) = cups_of_two(league, tmp_path, "Cup", "Twin")
    for killed in range(2):  # once before anything is stored, once after
        with killed_after(2 + killed, monkeypatch):
            lose_a_worker(league)
    monkeypatch.setattr(turns, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr(turns, "STORE_SECONDS", 0.0)
    worker = small_worker(league)
    while (held := worker.jobs.take()) is not None:
        worker.do(held, in_slices=True)
    found = {cup: competitions.standings(cup) for cup in (disturbed, twin)}
    tallies = {
        cup: {rate: one.results["p0", "p1"].tally for rate, one in of_cup.items()}
        for cup, of_cup in found.items()
    }
    assert tallies[disturbed] == tallies[twin]
    without, few, many = tallies[disturbed].values()
    assert (without.games, without.distinct, without.ci95) == (400, 1, (0.0, 1.0))
    assert 1 < few.distinct < 200
    assert many.distinct == 200
    row = found[disturbed][0.0].rows[0]
    assert row.ci95 == (0.0, 1.0) or row.ci95[1] - row.ci95[0] > 0.5  # of one double game
    assert row.rating_ci95[1] - row.rating_ci95[0] > 300
    with league.store.reading() as session:
        assert session.scalars(select(JobBatch)).all() == []


@pytest.mark.usefixtures("one_opening")
def test_batches_of_before_go_on_without_their_hashes(
    league: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    competitions, (cup,) = cups_of_two(league, tmp_path, "Cup")
    with killed_after(3, monkeypatch):
        lose_a_worker(league)
    with league.store.writing() as session:
        session.execute(update(JobBatch).values(games=None, repeated=0))
    time.sleep(0.05)
    work_all(small_worker(league))
    tally = competitions.standings(cup)[0.0].results["p0", "p1"].tally
    assert tally.games == 400
    assert 1 <= tally.distinct < 200


def test_a_slice_is_given_back_and_is_no_failed_attempt(
    league: League, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit_many(league, league.register("Ada"), tmp_path, range(3))
    monkeypatch.setattr(turns, "SLICE_SECONDS", 0.0)
    worker = small_worker(league)
    ends = []
    while (held := worker.jobs.take()) is not None:
        assert held.attempt == 1
        ends.append((held.player_id, worker.do(held, in_slices=True)))
    # Each has its first score before any has its final one; the last is alone, and is not given back.
    assert [player for player, _ in ends[:3]] == [1, 2, 3]
    assert [is_done for _, is_done in ends[:2]] == [False, False]
    assert sum(is_done for _, is_done in ends) == 3
    assert {row.double_games for row in league.table()} == {1500}
    again = {row.name: row.tally for row in league.table()}
    for number in range(3):
        player = named_player(f"{counter(tmp_path, number)},view=inversion")
        seed = score_seed(league.player(number + 1).digest)
        assert league_match(player, double_games=1500, seed=seed).play() == again[f"p{number}"]


def test_a_job_over_its_time_limit_fails_with_the_figures(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = league.submit(league.register("Ada"), ALL_2, name="all-2", view="inversion")
    monkeypatch.setattr(turns, "STORE_SECONDS", -1.0)
    first = Worker(league.store, double_games=1500, threads=1)
    held = first.jobs.take()
    assert held is not None
    first.jobs.renew(held, 3000.0)  # what was worked before counts
    first.jobs.release(held, 3000.0)
    held = first.jobs.take()
    assert held is not None
    assert held.seconds == 3000
    assert first.do(held, should_stop=lambda: True) is False
    with league.store.writing() as session:
        session.execute(update(Job).values(seconds=3601.0))
    work_all(first)
    (row,) = league.table()
    assert row.state == "failed"
    assert re.search(r"limited to 3,600 seconds of work; after 3,60\d seconds", str(row.error))
    assert "of 3,000 games were played" in str(row.error) or "of 2,000 games were played" in str(row.error)
    with league.store.reading() as session:
        assert session.scalars(select(JobBatch)).all() == []
        assert session.get_one(Player, player.id).error == row.error


def test_a_lease_is_renewed_while_a_player_is_loaded_and_drawn(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    league.submit(league.register("Ada"), ALL_2, name="all-2", view="inversion")
    load = loaded_player
    other = Jobs(league.store, "another")
    seen = []

    def slowly(content: bytes, view: str, name: str) -> GreedyPlayer:
        time.sleep(3)
        seen.append(other.take())
        return load(content, view, name)

    def drawn(_player: GreedyPlayer) -> bytes:
        time.sleep(3)
        seen.append(other.take())
        return b"picture"

    monkeypatch.setattr(workers, "loaded_player", slowly)
    worker = Worker(league.store, double_games=100, threads=1, lease_seconds=2, draw=drawn)
    work_all(worker)
    assert seen == [None, None]
    assert league.table()[0].double_games == 100


def test_a_player_that_hangs_does_not_hold_its_lease_for_ever(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    league.submit(league.register("Ada"), ALL_2, name="all-2", view="inversion")
    load, let_go, ended = loaded_player, threading.Event(), threading.Event()

    def hanging(content: bytes, view: str, name: str) -> GreedyPlayer:
        assert let_go.wait(60)
        return load(content, view, name)

    monkeypatch.setattr(workers, "loaded_player", hanging)
    monkeypatch.setattr(turns, "STUCK_SECONDS", 0.5)
    worker = Worker(
        league.store, double_games=100, threads=1, lease_seconds=1, job_seconds=0.5, on_stuck=ended.set
    )
    held = worker.jobs.take()
    assert held is not None
    done = []
    thread = threading.Thread(target=lambda: done.append(worker.do(held)))
    thread.start()
    assert ended.wait(60)
    (row,) = league.table()
    assert row.state == "failed"
    assert "it was still being loaded" in str(row.error)
    let_go.set()
    thread.join(60)
    assert done == [False]  # what comes late is thrown away
    assert league.table()[0].score is None


def test_a_late_worker_cannot_renew_store_finish_or_release(league: League) -> None:
    league.submit(league.register("Ada"), ALL_2, name="all-2", view="inversion")
    late, other = Jobs(league.store, "late", lease_seconds=-1), Jobs(league.store, "other")
    held = late.take()
    assert held is not None
    again = other.take()
    assert again is not None
    other.release(again, 0)
    again = other.take()  # given back and taken: the attempt is the same, the token is not
    assert again is not None
    assert (again.attempt, again.token) == (2, 3)
    deeds: tuple[Callable[[], None], ...] = (
        lambda: late.renew(held, 1),
        lambda: late.store_batch(held, 0, Tally(), 1),
        lambda: late.finish(held, 1, lambda _: None),
        lambda: late.fail(held, "late", 1),
        lambda: late.release(held, 1),
    )
    for deed in deeds:
        with pytest.raises(Lost):
            deed()
    other.renew(again, 1)


def test_a_lease_of_a_clock_that_began_anew_is_over(league: League) -> None:
    """SQLite's leases are by the machine's monotonic clock; those of before version 2 by the time of day."""
    league.submit(league.register("Ada"), ALL_2, name="all-2", view="inversion")
    jobs = Jobs(league.store, "a worker")
    assert jobs.take() is not None
    assert jobs.take() is None
    with league.store.writing() as session:
        session.execute(update(Job).values(lease=Job.lease + 10**6))
    assert jobs.take() is not None


def test_work_is_counted_for_whom_it_is_done(league: League, tmp_path: Path) -> None:
    key = league.register("Ada")
    submit_many(league, key, tmp_path, range(2))
    work_all(small_worker(league))
    competitions = Competitions(league)
    cup = competitions.open("Cup", double_games=100)
    for player in (1, 2):
        competitions.nominate_any(cup, player)
    competitions.start(cup)
    work_all(small_worker(league))
    with league.store.reading() as session:
        worked = dict.fromkeys(("score", "meeting"), 0.0)
        for job in session.scalars(select(Job)):
            worked[job.kind] += job.seconds
        ada = session.scalars(select(Entrant.served).where(Entrant.name == "Ada")).one()
        assert ada == pytest.approx(worked["score"])
        cup_served = session.scalars(select(Competition.served)).one()
        assert cup_served == pytest.approx(worked["meeting"], abs=LAG_SECONDS)
