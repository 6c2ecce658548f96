"""Submissions, ranking, competitions and jobs, on SQLite and on PostgreSQL."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from sqlalchemy import select, text

from outflank import NTupleNetwork, PieceCounter
from outflank.evaluators.storage import StoredPlayer, load_player, save_player
from outflank.league.competitions import EPSILONS, MOST_DOUBLE_GAMES, Competitions, meeting_starts
from outflank.league.jobs import MOST_ATTEMPTS, Jobs
from outflank.league.league import League, NotFound, Taken, UnknownKey
from outflank.league.published import PublishedFiles
from outflank.league.schema import Base, Content, Job, Player, Score
from outflank.league.scoring import league_match
from outflank.league.seeding import seed
from outflank.league.store import Store, migrate
from outflank.league.text_fields import checked_link, checked_name, checked_note
from outflank.league.worker import Worker
from outflank.players.built_in import BUILT_IN
from tests.league.conftest import PLAYERS

ALL_2, HEURISTIC = PLAYERS / "all-2.player", PLAYERS / "standard-heuristic.player"


def small_worker(league: League, lease: float = 15) -> Worker:
    return Worker(league.store, double_games=1500, threads=2, lease_seconds=lease)


def work_all(worker: Worker) -> None:
    while (held := worker.jobs.take()) is not None:
        assert worker.do(held)


def counter(folder: Path, number: int) -> Path:
    """A player of its own for each number."""
    path = folder / f"counter-{number}.player"
    save_player(StoredPlayer(PieceCounter([float(number + square) for square in range(64)])), path)
    return path


def test_a_player_is_stored_scored_and_ranked(league: League) -> None:
    key = league.register("Ada")
    weak = league.submit(key, HEURISTIC, name="the heuristic", view="negation", note="Old.")
    strong = league.submit(key, ALL_2, name="all-2", view="inversion", link="https://example.org/a")
    assert [(row.name, row.state) for row in league.table()] == [
        ("the heuristic", "waiting"),
        ("all-2", "waiting"),
    ]
    work_all(small_worker(league))
    rows = league.table()
    assert [(row.rank, row.name, row.entrant, row.weights) for row in rows] == [
        (1, "all-2", "Ada", 288), (2, "the heuristic", "Ada", 64),
    ]  # fmt: skip
    player = league.player(strong.id)
    assert [score.double_games for score in player.scores] == [1000, 1500]
    assert league.content(strong.id) == ALL_2.read_bytes()
    assert (player.link, league.player(weak.id).note) == ("https://example.org/a", "Old.")
    low, high = rows[0].ci95 or (0, 0)
    assert low < rows[0].tally.score < high  # type: ignore[union-attr]


def test_a_score_is_that_of_the_same_games_played_at_once(league: League) -> None:
    from outflank import named_player
    from outflank.league.league import score_seed

    player = league.submit(league.register("Ada"), ALL_2, name="all-2", view="inversion")
    work_all(small_worker(league))
    final = league.player(player.id).scores[-1]
    match = league_match(named_player("all-2"), double_games=1500, seed=score_seed(player.digest))
    assert final.tally == match.play()


def test_submitting_needs_a_key_that_is_kept_only_as_a_digest(league: League) -> None:
    key = league.register("Ada")
    with league.store.reading() as session:
        kept = str(session.execute(text("SELECT * FROM entrants")).all())
    assert key not in kept
    for wrong in ("", "x", key[:-1], "\udcff"):
        with pytest.raises(UnknownKey):
            league.submit(wrong, ALL_2, name="mine", view="inversion")
    assert league.entrant(key).name == "Ada"
    for taken in ("Ada", "ADA", "outflank", "Published"):
        with pytest.raises(Taken):
            league.register(taken)


def test_nothing_is_taken_twice(league: League) -> None:
    key = league.register("Ada")
    league.submit(key, ALL_2, name="all-2", view="inversion")
    with pytest.raises(Taken, match="already, as all-2"):
        league.submit(key, ALL_2, name="another", view="inversion")
    for name in ("all-2", "All 2"):
        with pytest.raises(Taken, match="choose another name"):
            league.submit(key, HEURISTIC, name=name, view="negation")
    league.submit(key, ALL_2, name="the wrong view", view="negation")  # another player of the same file
    with league.store.reading() as session:
        assert len(session.scalars(select(Content.digest)).all()) == 1


def test_a_removed_player_leaves_nothing(league: League) -> None:
    key = league.register("Ada")
    kept = league.submit(key, HEURISTIC, name="kept", view="negation")
    gone = league.submit(key, ALL_2, name="gone", view="inversion")
    work_all(small_worker(league))
    before = league.version()
    league.remove(gone.id)
    assert [row.id for row in league.table()] == [kept.id]
    assert league.version() != before
    with league.store.reading() as session:
        assert len(session.scalars(select(Content.digest)).all()) == 1
        assert session.scalars(select(Score).where(Score.player_id == gone.id)).all() == []
    with pytest.raises(NotFound):
        league.remove(gone.id)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no numbers"),
        (b"1 2 3", "cut off"),
        (b"\xff\xfe\x00", "neither a League text file"),
        (b"{ 1 { 2 1 { 0 1 } { 1 2 3", "cut off"),
        (b"nan " * 64, "whole number|finite"),
        (b"<script>alert(1)</script>", "whole number"),
        (b"{" * 100_000, "a brace is not closed"),
        (b"1000000000 20 1 " + b"0 " * 100, r"within 1\.\.1000000"),
    ],
)
def test_what_is_no_player_is_refused_and_not_stored(league: League, tmp_path: Path, content: bytes,
                                                    message: str) -> None:  # fmt: skip
    key = league.register("Ada")
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message) as refused:
        league.submit(key, path, name="mine", view="inversion")
    assert str(tmp_path) not in str(refused.value)
    assert league.table() == []
    with league.store.reading() as session:
        assert session.scalars(select(Content.digest)).all() == []


def test_a_view_is_needed_once(league: League) -> None:
    key = league.register("Ada")
    with pytest.raises(ValueError, match="does not say its view"):
        league.submit(key, ALL_2, name="mine")
    with pytest.raises(ValueError, match="its view is inversion"):
        league.submit(key, PLAYERS / "all-2-evolved.safetensors", name="mine", view="negation")
    assert league.submit(key, PLAYERS / "all-2-evolved.safetensors", name="mine").view == "inversion"


@pytest.mark.parametrize(
    "name", ["", " a", "a ", "<b>", "a\nb", "x" * 41, "é", "a  b", "-a", "a/b", "\u202ea"]
)
def test_names_are_strict(name: str) -> None:
    with pytest.raises(ValueError, match="1 to 40 letters"):
        checked_name(name, "player")


def test_notes_and_links_are_plain() -> None:
    assert checked_note(" Größe: <b>\n") == "Größe: <b>"
    for note in ("a\x00b", "x" * 501, "\u202ereversed"):
        with pytest.raises(ValueError, match="note"):
            checked_note(note)
    for link in ("javascript:alert(1)", "https://", "http://a b", 'https://a/"x', "https://a/" + "x" * 300):
        with pytest.raises(ValueError, match="link"):
            checked_link(link)


def test_a_competition_is_played_at_three_rates(league: League, tmp_path: Path) -> None:
    ada, bob = league.register("Ada"), league.register("Bob")
    players = [league.submit(key, counter(tmp_path, n), name=f"p{n}", view="inversion").id
               for n, key in enumerate([ada, ada, ada, bob])]  # fmt: skip
    competitions = Competitions(league)
    cup = competitions.open("The Cup", double_games=20)
    competitions.nominate(ada, cup, players[0])
    competitions.nominate(ada, cup, players[1])
    with pytest.raises(ValueError, match="up to 2"):
        competitions.nominate(ada, cup, players[2])
    with pytest.raises(Taken):
        competitions.nominate(ada, cup, players[0])
    with pytest.raises(NotFound):
        competitions.nominate(ada, cup, players[3])
    competitions.nominate(bob, cup, players[3])
    assert competitions.start(cup) == 3 * len(EPSILONS)
    with pytest.raises(ValueError, match="no longer open"):
        competitions.nominate_any(cup, players[2])
    with pytest.raises(Taken):
        competitions.start(cup)
    work_all(small_worker(league))
    state = competitions.state(cup)
    assert (state.state, state.meetings, state.meetings_in_all) == ("finished", 9, 9)
    standings = competitions.standings(cup)
    assert list(standings) == list(EPSILONS)
    assert all(len(one.rows) == 3 and one.rows[0].tally.games == 80 for one in standings.values())
    assert [rate for _, rate, _ in competitions.meetings_of(players[3])] == [0, 0, 0.01, 0.01, 0.1, 0.1]
    assert all(result.first == "p3" for _, _, result in competitions.meetings_of(players[3]))


def test_without_random_moves_every_double_game_of_a_competition_has_its_own_opening(league: League) -> None:
    starts = meeting_starts(0.0, MOST_DOUBLE_GAMES)
    assert len(starts) == len(set(starts)) == MOST_DOUBLE_GAMES
    with pytest.raises(ValueError, match="a pair plays 1 to 10,000"):
        Competitions(league).open("The longest", MOST_DOUBLE_GAMES + 1)


def test_a_competition_goes_on_without_a_removed_player(league: League, tmp_path: Path) -> None:
    key = league.register("Ada")
    first, second = (
        league.submit(key, counter(tmp_path, n), name=f"p{n}", view="inversion").id for n in (0, 1)
    )
    competitions = Competitions(league)
    cup = competitions.open("Cup", double_games=1)
    with pytest.raises(ValueError, match="at least two"):
        competitions.start(cup)
    for player in (first, second):
        competitions.nominate(key, cup, player)
    competitions.start(cup)
    competitions.remove_player(second)
    assert competitions.state(cup).state == "finished"
    assert competitions.standings(cup) == {}


def test_each_job_is_done_by_one_worker(league: League, tmp_path: Path) -> None:
    key = league.register("Ada")
    for number in range(12):
        league.submit(key, counter(tmp_path, number), name=f"p{number}", view="inversion")
    done: list[int] = []
    workers = [Worker(league.store, double_games=50, threads=1) for _ in range(4)]

    def work(worker: Worker) -> None:
        while (held := worker.jobs.take()) is not None:
            if worker.do(held):
                done.append(held.id)

    threads = [threading.Thread(target=work, args=(worker,)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == sorted(set(done))
    assert len(done) == 12
    assert workers[0].jobs.counts() == {"waiting": 0, "taken": 0, "done": 12, "failed": 0}


def test_a_dead_workers_job_is_taken_up_and_its_late_result_thrown_away(league: League) -> None:
    player = league.submit(league.register("Ada"), ALL_2, name="all-2", view="inversion")
    slow, other = small_worker(league, lease=2), small_worker(league)
    held = slow.jobs.take()
    assert held is not None
    assert other.jobs.take() is None  # it is held
    time.sleep(2.1)
    again = other.jobs.take()
    assert again is not None
    assert (again.id, again.attempt) == (held.id, 2)
    assert other.do(again)
    assert not slow.do(held)
    assert [score.double_games for score in league.player(player.id).scores] == [1000, 1500]


def test_a_job_that_ends_its_workers_is_given_up(league: League) -> None:
    league.submit(league.register("Ada"), ALL_2, name="all-2", view="inversion")
    for _ in range(MOST_ATTEMPTS):
        assert Jobs(league.store, "doomed", lease_seconds=-1).take() is not None
    work_all(small_worker(league))
    row = league.table()[0]
    assert (row.state, row.score) == ("failed", None)
    assert f"stopped {MOST_ATTEMPTS} times" in str(row.error)
    assert Jobs(league.store, "any").counts()["failed"] == 1


def test_published_players_of_any_name_are_seeded(league: League, tmp_path: Path) -> None:
    folder = tmp_path / "published" / "players"
    folder.mkdir(parents=True)
    network = load_player(ALL_2).evaluator
    assert isinstance(network, NTupleNetwork)
    save_player(StoredPlayer(network.with_weights(2 * network.weights)), folder / "twice-as-sure.player")
    counter(folder, 1)
    (folder / "broken.player").write_text("3 x", encoding="utf-8")
    (folder / "<b>.player").write_bytes(ALL_2.read_bytes())
    (folder / "the-same-again.player").write_bytes(ALL_2.read_bytes())
    added = seed(league, PublishedFiles(folder.parent))
    assert added[-2:] == ["counter-1", "twice-as-sure"]
    views = {row.name: (row.entrant, row.view) for row in league.table()}
    assert views["twice-as-sure"] == ("published", "inversion")
    assert len(views) == len(BUILT_IN) + 2


def test_the_admin_nominates_any_number_of_the_house(league: League) -> None:
    seed(league, PublishedFiles(None))
    competitions = Competitions(league)
    cup = competitions.open("House cup")
    for row in league.table()[:3]:
        competitions.nominate_any(cup, row.id)
    assert {player.entrant.name for player in competitions.state(cup).players} == {"outflank"}
    assert competitions.state(cup).meetings_in_all == 9


def test_a_competition_ends_without_a_meeting_that_is_given_up(league: League) -> None:
    entrants = [league.register(name) for name in ("Ada", "Ben")]
    players = [league.submit(key, file, name=file.stem, view="inversion")
               for key, file in zip(entrants, (ALL_2, HEURISTIC), strict=True)]  # fmt: skip
    work_all(small_worker(league))
    competitions = Competitions(league)
    cup = competitions.open("Cup", double_games=2)
    for key, player in zip(entrants, players, strict=True):
        competitions.nominate(key, cup, player.id)
    competitions.start(cup)
    for _ in range(MOST_ATTEMPTS):
        assert Jobs(league.store, "doomed", lease_seconds=-1).take() is not None
    work_all(small_worker(league))
    state = competitions.state(cup)
    assert (state.state, state.meetings, state.meetings_in_all) == ("finished", 2, 3)


def test_a_worker_that_is_told_to_stop_leaves_its_job_to_another(league: League) -> None:
    league.submit(league.register("Ada"), ALL_2, name="all-2", view="inversion")
    worker = small_worker(league)
    held = worker.jobs.take()
    assert held is not None
    assert not worker.do(held, should_stop=lambda: True)
    with league.store.reading() as session:
        job = session.get_one(Job, held.id)
        assert (job.state, job.attempt) == ("waiting", 0)
    work_all(worker)
    assert league.table()[0].score is not None


def test_a_player_that_cannot_be_scored_says_why(league: League) -> None:
    player = league.submit(league.register("Ada"), ALL_2, name="all-2", view="inversion")
    with league.store.writing() as session:  # as if a later version could not read it any more
        session.get_one(Content, player.digest).content = b"broken"
    worker = small_worker(league)
    held = worker.jobs.take()
    assert held is not None
    assert worker.do(held)
    (row,) = league.table()
    assert row.state == "failed"
    assert (row.error or "").startswith("the file, line 1, column 1: the number of tables should be")


def test_migrations_make_the_tables_of_the_schema(league: League) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    with league.store.engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, Base.metadata) == []
    migrate(league.store.engine)  # again: nothing to do


def test_a_database_of_a_later_version_is_refused(database: str) -> None:
    store = Store(database)
    with store.writing() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    store.close()
    with pytest.raises(ValueError, match="another version of outflank"):
        Store(database)


@pytest.mark.parametrize(
    "url", ["league.db", "mysql://a/b", "sqlite:////proc/none/league.db", "postgresql://127.0.0.1:1/x"]
)
def test_what_is_no_database_is_refused_in_a_sentence(url: str) -> None:
    with pytest.raises((ValueError, OSError)):
        Store(url)


def test_all_is_there_after_closing_and_opening(database: str) -> None:
    store = Store(database)
    league = League(store)
    league.submit(league.register("Ada"), ALL_2, name="all-2", view="inversion")
    store.close()
    again = Store(database)
    assert [row.name for row in League(again).table()] == ["all-2"]
    with again.reading() as session:
        assert session.scalars(select(Player.weights)).all() == [288]
    again.close()
