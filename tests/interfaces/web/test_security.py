"""Whose request it is, and where redirects lead: on real servers, whatever headers say. And what a killed
server leaves behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from outflank.interfaces.league_client import LeagueClient
from outflank.interfaces.web.limits.rates import forwarded_address, network_of
from tests.interfaces.web.serving import (
    UNLIMITED,
    Served,
    counter_file,
    serving,
    start,
    stop,
    without_players,
)

WRITES = 3


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """Behind a proxy, which a test plays."""
    folder = tmp_path_factory.mktemp("server")
    database = without_players(f"sqlite:///{folder / 'league.db'}")
    options = ("--no-worker", "--behind-proxy", f"--writes-per-minute={WRITES}")
    with serving(folder, database, *options) as served:
        yield served


@pytest.mark.parametrize(
    ("header", "address"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("203.0.113.7:51234", "203.0.113.7"),
        (" 10.0.0.1 ,\t203.0.113.7:51234 ", "203.0.113.7"),
        ("2001:db8::1", "2001:db8::1"),
        ("2001:0DB8:0::0001", "2001:db8::1"),
        ("[2001:db8::1]", "2001:db8::1"),
        ("[2001:db8::1]:443", "2001:db8::1"),
        ('"[2001:db8::1]"', "2001:db8::1"),
        ('for, "[2001:db8::1]:443"', "2001:db8::1"),
        ("", None),
        (",", None),
        ("203.0.113.7,", None),
        ("unknown", None),
        ("203.0.113", None),
        ("203.0.113.7:", None),
        ("203.0.113.7:http", None),
        ("203.0.113.7:1:2", None),
        ("[2001:db8::1", None),
        ("[2001:db8::1]443", None),
        ("[[2001:db8::1]]x", None),
        ("203.0.113.\u0667", None),
        ("x" * 10_000, None),
        ("1" * 10_000, None),
    ],
)
def test_the_address_that_a_proxy_says(header: str, address: str | None) -> None:
    assert forwarded_address(header) == address


def test_networks() -> None:
    mapped = forwarded_address("::ffff:203.0.113.7")
    assert mapped is not None
    assert network_of(mapped) == network_of("203.0.113.7")
    assert network_of("2001:db8::1") == network_of("2001:db8::ffff") != network_of("2001:db8:0:1::1")


def test_an_address_has_one_budget_however_it_is_written(server: Served) -> None:
    count = 0

    def statuses(*headers: str) -> list[int]:
        nonlocal count
        found = []
        with server.client() as client:
            for header in headers:
                count += 1
                answer = client.post("/api/v1/entrants", json={"name": f"entrant {count}"},
                                     headers={"X-Forwarded-For": header})  # fmt: skip
                found.append(answer.status_code)
        return found

    assert statuses("203.0.113.7:1", "203.0.113.7:2", "1.1.1.1, 203.0.113.7", "203.0.113.7:3") == [
        201
    ] * 3 + [429]
    many = ("[2001:db8::1]:443", "2001:db8::2", '"[2001:db8::3]"', "2001:db8::4")
    assert statuses(*many) == [201] * 3 + [429]
    # What is no address counts as the proxy's own: nobody gets a budget of theirs by writing nonsense.
    assert statuses("garbage", "other garbage", "203.0.113.8:x", "", "more") == [201] * 3 + [429] * 2


def test_without_a_proxy_the_header_is_anyones(tmp_path: Path) -> None:
    database = without_players(f"sqlite:///{tmp_path / 'league.db'}")
    options = ("--no-worker", f"--writes-per-minute={WRITES}")
    with serving(tmp_path, database, *options) as served, served.client() as client:
        found = [
            client.post("/api/v1/entrants", json={"name": f"entrant {number}"},
                        headers={"X-Forwarded-For": f"203.0.113.{number}"}).status_code
            for number in range(WRITES + 1)
        ]  # fmt: skip
        assert found == [201] * WRITES + [429]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("/competitions/", "/competitions"),
        ("/competitions/?a=1&b=%2F", "/competitions?a=1&b=%2F"),
        ("/compare/", "/compare"),
        ("/play/", "/play"),
        ("/api/v1/players/", "/api/v1/players"),
        ("/healthz/", "/healthz"),
    ],
)
def test_redirects_lead_nowhere_else(server: Served, asked: str, found: str) -> None:
    for host in ("elsewhere.example", "127.0.0.1:1", ""):
        with server.client() as client:
            answer = client.get(asked, headers={"Host": host})
        assert (answer.status_code, answer.headers["location"]) == (307, found)


def test_a_path_is_no_host(server: Served) -> None:
    """A path that begins with two slashes would be one, were it repeated in a redirect."""
    for path in (
        "//elsewhere.example/",
        "//elsewhere.example/competitions/",
        "/%2felsewhere.example/",
        "//play/",
    ):
        answer = httpx.get(httpx.URL(f"{server.address}/").copy_with(raw_path=path.encode()))
        assert not answer.headers.get("location", "/").startswith("//")
        assert "elsewhere" not in answer.headers.get("location", "")


@pytest.mark.long
def test_what_a_killed_server_left_is_removed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))

    def left() -> set[str]:
        return {path.name for path in temporary.glob("outflank-*")}

    def served(number: int) -> Served:
        """A server that has read a player."""
        started = start(tmp_path, databases[number], "--no-worker", *UNLIMITED, log=f"log-{number}")
        with LeagueClient(started.address) as league:
            key = league.register(f"Ada {len(list(tmp_path.iterdir()))}")
            file = counter_file(tmp_path, len(list(tmp_path.iterdir())))
            league.submit(key, file, name=file.stem, view="inversion")
        return started

    databases = [without_players(f"sqlite:///{tmp_path / f'league-{number}.db'}") for number in range(2)]
    living = served(0)
    of_the_living = left()
    killed = served(1)
    of_the_killed = left() - of_the_living
    assert len(of_the_living) == len(of_the_killed) == 1
    stop(killed, 9)
    assert left() == of_the_living | of_the_killed
    following = start(tmp_path, databases[1], "--no-worker", log="log-2")
    assert left() == of_the_living
    assert stop(following) == 0
    assert stop(living) == 0
    assert left() == set()
