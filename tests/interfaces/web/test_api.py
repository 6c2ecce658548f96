"""The league's API on real servers: the whole way of a player, and what is refused."""

from __future__ import annotations

import json
import os
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from outflank.interfaces.league_client import LeagueClient
from outflank.league.jobs import Jobs
from outflank.league.league import LARGEST_FILE
from outflank.league.store import Store
from tests.interfaces.web.serving import (
    ADMIN,
    UNLIMITED,
    Served,
    counter_file,
    eventually,
    serving,
    start,
    stop,
    without_players,
)
from tests.league.conftest import PLAYERS
from tests.league.conftest import database as database
from tests.league.conftest import postgres as postgres

API = "/api/v1"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A seeded league without a worker: nothing changes but what a test does."""
    folder = tmp_path_factory.mktemp("server")
    with serving(folder, f"sqlite:///{folder / 'league.db'}", "--no-worker", *UNLIMITED) as served:
        yield served


@pytest.fixture(scope="module")
def key(server: Served) -> str:
    with LeagueClient(server.address) as league:
        return league.register("Ada")


@pytest.fixture
def client(server: Served, key: str) -> Iterator[httpx.Client]:
    with server.client(key) as opened:
        yield opened


def names(client: httpx.Client) -> list[str]:
    players = client.get(f"{API}/players", params={"limit": 1000}).json()["players"]
    return [row["name"] for row in players]


def test_a_player_from_submission_to_removal(database: str, tmp_path: Path) -> None:
    files = [counter_file(tmp_path, number) for number in range(2)]
    with (
        serving(tmp_path, without_players(database), *UNLIMITED) as served,
        LeagueClient(served.address) as league,
        served.client() as client,
    ):
        key = league.register("Ada")
        ids = [league.submit(key, file, name=f"counter {number}", view="inversion", note="Small.").id
               for number, file in enumerate(files)]  # fmt: skip
        assert {row.id for row in league.table()} == set(ids)
        scored = [league.wait(one) for one in ids]
        assert [[score.double_games for score in one.scores] for one in scored] == [[1000, 50000]] * 2
        assert sorted(row.rank or 0 for row in league.table()) == [1, 2]
        _compete(league, key, ids)
        assert client.get(f"{API}/players/{ids[0]}/picture").content.startswith(b"\x89PNG")
        file = client.get(f"{API}/players/{ids[0]}/file")
        assert file.content == files[0].read_bytes()
        assert file.headers["content-disposition"] == 'attachment; filename="counter-0.player"'
        with pytest.raises(ValueError, match="this is not the admin token"):
            league.remove(key, ids[0])
        league.remove(ADMIN, ids[0])
        assert names(client) == ["counter 1"]
        with pytest.raises(ValueError, match=f"there is no player {ids[0]}"):
            league.player(ids[0])


def _compete(league: LeagueClient, key: str, ids: list[int]) -> None:
    with pytest.raises(ValueError, match="this is not the admin token"):
        league.open_competition(key, "Cup", 5)
    cup = league.open_competition(ADMIN, "Cup", 5).id
    league.nominate(key, cup, ids[0])
    league.nominate(ADMIN, cup, ids[1])  # the admin nominates any
    with pytest.raises(ValueError, match="this is not the admin token"):
        league.start(key, cup)
    assert league.start(ADMIN, cup).meetings_in_all == 3
    eventually(lambda: league.competition(cup).state == "finished")
    standings = league.competition(cup).standings
    assert list(standings) == ["0", "0.01", "0.1"]
    assert [(row["double_games"], row["distinct_double_games"]) for row in standings["0"]["players"]] == [
        (5, 5), (5, 5)
    ]  # fmt: skip
    assert [(m.opponent, m.result.games) for m in league.matches(ids[0])] == [("counter 1", 10)] * 3
    assert [m.result.distinct_double_games for m in league.matches(ids[0])] == [5] * 3
    assert [one.name for one in league.competitions()] == ["Cup"]


def test_the_table_is_sorted_filtered_and_cut(client: httpx.Client) -> None:
    def asked(**query: object) -> list[str]:
        answer = client.get(f"{API}/players", params={key: str(value) for key, value in query.items()})
        return [row["name"] for row in answer.json()["players"]]

    largest = asked(sort="weights", order="descending", filter="OUTFLANK")[:3]
    assert largest == ["all-rounder", "td-all-rounder", "league-champion"]
    assert asked(sort="name", limit=2, offset=1) == sorted(names(client), key=str.casefold)[1:3]
    assert asked(filter="no such player") == []
    for wrong in ({"sort": "luck"}, {"limit": 0}, {"limit": 1001}, {"offset": -1}, {"filter": "x" * 81}):
        answer = client.get(f"{API}/players", params=wrong)
        assert (answer.status_code, list(answer.json())) == (422, ["error"])


def test_what_is_submitted_shows_at_once(client: httpx.Client, tmp_path: Path) -> None:
    """However often the table was asked for just before."""
    for number in range(10, 15):
        assert f"at once {number}" not in names(client)
        file = {"file": counter_file(tmp_path, number).read_bytes()}
        form = {"name": f"at once {number}", "view": "negation"}
        assert client.post(f"{API}/players", files=file, data=form).status_code == 201
        assert f"at once {number}" in names(client)


BAD_FILES = {
    "empty": b"",
    "not UTF-8": b"\xff\xfe\x00\x01" * 40,
    "text": b"hello, league",
    "too few numbers": b"1 2 3",
    "a page": b"<html><script>alert(1)</script></html>",
    "a zip file": b"PK\x03\x04" + bytes(2000),
    "a huge promise": b"999999999 8 \n" * 9,
    "safetensors that claim too much": (1 << 40).to_bytes(8, "little") + b"{}",
    "not a number": b"nan " * 64,
    "deep": b"{" * 200_000,
}  # fmt: skip


@pytest.mark.parametrize("what", BAD_FILES)
def test_files_that_are_no_players_are_refused(client: httpx.Client, what: str) -> None:
    before = names(client)
    form = {"name": f"bad {len(what)}", "view": "inversion"}
    answer = client.post(f"{API}/players", files={"file": BAD_FILES[what]}, data=form)
    assert (answer.status_code, list(answer.json())) == (400, ["error"])
    assert "/tmp" not in answer.text
    assert names(client) == before


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({"name": "<script>alert(1)</script>"}, 400),
        ({"name": "../../etc/passwd"}, 400),
        ({"name": "a\x00b"}, 400),
        ({"name": "x" * 41}, 400),
        ({"name": ""}, 400),
        ({}, 400),
        ({"name": "fine", "view": "sideways"}, 422),
        ({"name": "fine", "view": ""}, 400),  # League text does not say its view
        ({"name": "fine", "link": "javascript:alert(1)"}, 400),
        ({"name": "fine", "note": "\u202egnihtemos"}, 400),
        ({"name": "fine", "note": "x" * 501}, 400),
        ({"name": "fine", "note": "x" * 70_000}, 400),
        ({"name": "all-2"}, 409),
        ({"name": "ALL 2"}, 409),
    ],
)
def test_bad_forms_are_refused(
    client: httpx.Client, tmp_path: Path, form: dict[str, str], status: int
) -> None:
    before = names(client)
    answer = client.post(f"{API}/players", files={"file": counter_file(tmp_path, 99).read_bytes()},
                         data={"view": "inversion", **form})  # fmt: skip
    assert (answer.status_code, list(answer.json())) == (status, ["error"]), answer.text
    assert names(client) == before


def test_the_same_player_twice_is_refused(client: httpx.Client) -> None:
    file = {"file": (PLAYERS / "all-2.player").read_bytes()}
    answer = client.post(f"{API}/players", files=file, data={"name": "copy", "view": "inversion"})
    assert (answer.status_code, answer.json()["error"]) == (
        409,
        "this file is in the league already, as all-2",
    )


def test_uploads_that_are_too_large_are_told_so(client: httpx.Client) -> None:
    large = bytes(LARGEST_FILE + (1 << 17))
    answer = client.post(f"{API}/players", files={"file": large}, data={"name": "large"})
    assert (answer.status_code, answer.json()["error"]) == (413, "a player's file has at most 16 MB")
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'
    chunks = iter([head, *[bytes(1 << 20)] * 20, b"\r\n--b--\r\n"])  # without a length
    form = {"Content-Type": "multipart/form-data; boundary=b"}
    assert client.post(f"{API}/players", content=chunks, headers=form).status_code == 413
    other = client.post(f"{API}/entrants", content=b'{"name": "' + b"x" * 100_000 + b'"}')
    assert (other.status_code, other.json()["error"]) == (413, "this request has at most 16 KB")
    assert client.get("/healthz").status_code == 200


FORM = "multipart/form-data; boundary=b"
PART = b"--b\r\nContent-Disposition: form-data; name="
CUT_OFF = [
    (FORM, PART + b'"file"; filename="f"\r\n\r\n1'),
    (FORM, PART + b'"name"\r\n\r\nx\r\n--b\r\n'),
    (FORM, b"no form"),
    (FORM, b""),
    ("multipart/form-data", b"--b--"),
]


@pytest.mark.parametrize(("content_type", "body"), CUT_OFF)
def test_forms_that_are_cut_off_are_refused(client: httpx.Client, content_type: str, body: bytes) -> None:
    answer = client.post(f"{API}/players", content=body, headers={"Content-Type": content_type})
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("the form cannot be read: ")


def test_other_bodies_are_refused(client: httpx.Client) -> None:
    assert client.post(f"{API}/players", json={"name": "x"}).status_code == 415
    for body in (
        b"\xff",
        b"[" * 10_000,
        b'{"name": "\\ud800"}',
        b'{"name": 1e999}',
        b'{"\\udfff": 1, "name": "x"}',
    ):
        answer = client.post(f"{API}/entrants", content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code in (400, 422)
        assert list(answer.json()) == ["error"]


def test_uploads_that_break_off_leave_the_server_alive(server: Served, key: str) -> None:
    host, port = server.address.removeprefix("http://").split(":")
    head = (
        f"POST {API}/players HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: {FORM}\r\nContent-Length: 1000000\r\n\r\n--b\r\n"
    )
    for _ in range(5):
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(head.encode())
    with server.client() as client:
        assert client.get("/healthz").json() == {"status": "ok"}


def test_only_entrants_submit(server: Served, tmp_path: Path) -> None:
    file = {"file": counter_file(tmp_path, 5).read_bytes()}
    with server.client() as nobody:
        refused = nobody.post(f"{API}/players", files=file, data={"name": "x"})
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
        wrong = {"Authorization": "Bearer nonsense"}
        assert nobody.post(f"{API}/players", files=file, data={"name": "x"}, headers=wrong).status_code == 401
        large = {"file": bytes(LARGEST_FILE - 1000)}  # the reason arrives, though nobody reads the file
        assert nobody.post(f"{API}/players", files=large, data={"name": "x"}).status_code == 401
        assert nobody.delete(f"{API}/players/1").status_code == 401
        assert nobody.post(f"{API}/competitions", json={"name": "Cup"}).status_code == 401


def test_entrants_names(client: httpx.Client) -> None:
    assert client.post(f"{API}/entrants", json={"name": "ada"}).status_code == 409
    for house in ("outflank", "Published", "keeper"):
        assert client.post(f"{API}/entrants", json={"name": house}).status_code == 409
    assert client.post(f"{API}/entrants", json={"name": "<b>"}).status_code == 400
    made = client.post(f"{API}/entrants", json={"name": "Grace"})
    assert (made.status_code, made.headers["cache-control"]) == (201, "no-store")


def test_every_answer_has_the_headers_that_keep_browsers_safe(client: httpx.Client) -> None:
    for path in ("/", "/nothing", f"{API}/players", f"{API}/players/0", "/static/style.css", "/metrics"):
        headers = client.get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "'unsafe-" not in headers["content-security-policy"]  # 'wasm-unsafe-eval' runs the core alone
        assert (headers["x-content-type-options"], headers["x-frame-options"]) == ("nosniff", "DENY")
        assert "server" not in headers


def test_errors_are_sentences_for_machines_and_pages_for_people(client: httpx.Client) -> None:
    assert client.get("/nothing").json() == {"error": "there is no such page"}
    page = client.get("/nothing", headers={"Accept": "text/html"})
    assert (page.status_code, page.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert client.put(f"{API}/players").json() == {"error": "this cannot be done here"}
    assert client.get(f"{API}/players/9999999999999").status_code == 422
    assert client.get(f"{API}/players/1/picture").json() == {
        "error": "there is no picture of this player yet"
    }


def test_health_metrics_and_logs(client: httpx.Client, server: Served) -> None:
    client.request("BREW", "/")
    lines = client.get("/metrics").text.splitlines()
    assert 'outflank_jobs{state="taken"} 0.0' in lines
    assert any(line.startswith('outflank_requests_total{method="other"') for line in lines)
    events = [json.loads(line) for line in server.log.read_text().splitlines()]
    assert {"request", "Started server process"} & {event["event"] for event in events}
    assert all("Bearer" not in json.dumps(event) for event in events)


def test_rates_are_limited_by_address(tmp_path: Path) -> None:
    database = without_players(f"sqlite:///{tmp_path / 'league.db'}")
    options = ("--no-worker", "--behind-proxy", "--writes-per-minute=3", "--reads-per-minute=5")
    with serving(tmp_path, database, *options) as served, served.client() as client:

        def register(name: str, address: str) -> httpx.Response:
            forwarded = {"X-Forwarded-For": f"198.51.100.7, {address}"}
            return client.post(f"{API}/entrants", json={"name": name}, headers=forwarded)

        refused = _first_refusal(3, lambda n: register(f"one {n}", "192.0.2.1"))
        assert 1 <= int(refused.headers["retry-after"]) <= 21
        assert refused.json()["error"].startswith("too many requests from your address; try again in ")
        assert refused.headers["x-frame-options"] == "DENY"
        assert register("another", "192.0.2.2").status_code == 201
        _first_refusal(3, lambda n: register(f"newer {n}", f"2001:db8::{n}"))
        for _ in range(20):  # the table as it stands costs next to nothing
            assert client.get(f"{API}/players").status_code == 200
        _first_refusal(4, lambda _: client.get(f"{API}/players", params={"sort": "name"}))
        assert client.get("/static/style.css").status_code == 200


def test_one_entrant_fills_half_of_the_queue_at_most(tmp_path: Path) -> None:
    database = without_players(f"sqlite:///{tmp_path / 'league.db'}")
    with serving(tmp_path, database, "--no-worker", "--most-waiting=4") as served, served.client() as client:

        def submit(key: str, number: int) -> httpx.Response:
            content = counter_file(tmp_path, number).read_bytes()
            return client.post(f"{API}/players", files={"file": content},
                               data={"name": f"player {number}", "view": "negation"},
                               headers={"Authorization": f"Bearer {key}"})  # fmt: skip

        ada, bob, eve = (client.post(f"{API}/entrants", json={"name": name}).json()["key"] for name in
                         ("Ada", "Bob", "Eve"))  # fmt: skip
        assert [submit(ada, number).status_code for number in (1, 2, 3)] == [201, 201, 503]
        refused = submit(ada, 3)
        assert refused.json()["error"] == "2 of your players wait to be scored; submit when there are fewer"
        assert refused.headers["retry-after"] == "60"
        assert [submit(bob, number).status_code for number in (4, 5)] == [201, 201]
        assert submit(eve, 6).json()["error"].startswith("4 players and matches wait to be played")


def test_browsers_ask_whether_a_script_has_changed(client: httpx.Client) -> None:
    first = client.get("/static/play.js")
    assert first.headers["cache-control"] == "no-cache"
    again = client.get("/static/play.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.headers["cache-control"]) == (304, "no-cache")


def _first_refusal(allowed: int, ask: Callable[[int], httpx.Response]) -> httpx.Response:
    """What is said after so many requests, or a few more where they take their time."""
    answers = [ask(number) for number in range(allowed)]
    assert {answer.status_code for answer in answers} <= {200, 201}
    return next(answer for number in range(allowed, 50) if (answer := ask(number)).status_code == 429)


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_told_to_stop_it_leaves_its_job_to_the_next_worker(tmp_path: Path, number: int) -> None:
    database = f"sqlite:///{tmp_path / 'league.db'}"
    served = start(tmp_path, database)
    store = Store(database)
    jobs = Jobs(store, "a test")
    eventually(lambda: jobs.counts()["taken"] == 1)
    assert stop(served, number) == 0
    counts = jobs.counts()
    store.close()
    assert (counts["taken"], counts["failed"], sum(counts.values())) == (0, 0, 8)
    events = [json.loads(line)["event"] for line in served.log.read_text().splitlines()]
    assert "Application shutdown complete." in events
    assert events.count("worker process") == events.count("worker stopped") == 1


@pytest.mark.long
def test_a_worker_that_dies_is_started_again(tmp_path: Path) -> None:
    database = without_players(f"sqlite:///{tmp_path / 'league.db'}")
    with serving(tmp_path, database) as served:

        def workers() -> list[int]:
            events = (json.loads(line) for line in served.log.read_text().splitlines())
            return [event["process"] for event in events if event["event"] == "worker process"]

        os.kill(workers()[0], signal.SIGKILL)
        eventually(lambda: len(workers()) == 2)
        os.kill(workers()[1], 0)
