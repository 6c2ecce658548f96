"""`outflank serve`, `register`, `submit` and `league-table --league`, as people use them."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from outflank.interfaces.cli import app
from tests.conftest import Outflank
from tests.interfaces.web.serving import counter_file, serving, without_players


def run(*arguments: object) -> None:
    """In this process: what is refused is an exception, which main() turns into one line and exit code 2."""
    app([str(argument) for argument in arguments], standalone_mode=False)


def test_a_player_is_handed_in_from_the_command_line(outflank: Outflank, tmp_path: Path) -> None:
    mine, theirs = (counter_file(tmp_path, number) for number in range(2))
    database = without_players(f"sqlite:///{tmp_path / 'league.db'}")
    with serving(tmp_path, database, "--no-worker", f"--with={mine},Mine,view=negation") as served:
        league = ("--league", served.address)
        key = json.loads(outflank("register", "Ada", *league, "--json").stdout)["key"]
        with pytest.raises(ValueError, match="there is an entrant Ada already; choose another name"):
            run("register", "Ada", *league)
        unnamed = outflank("submit", theirs, *league, "--key", key, "--view", "negation")
        assert unnamed.stdout.startswith("counter-1 is in the league and will be scored: ")
        given = ("submit", theirs, *league, "--name", "Theirs", "--key", key)
        with pytest.raises(ValueError, match="choose inversion or negation"):
            run(*given)
        with pytest.raises(ValueError, match="a view is one of inversion, negation, doubled, not up"):
            run(*given, "--view", "up")
        with pytest.raises(ValueError, match="unknown API key"):
            run(*given, "--key", "wrong")
        handed_in = outflank(*given, "--view", "inversion", "--json")
        answer = json.loads(handed_in.stdout)
        assert (answer["name"], answer["page"]) == ("Theirs", f"{served.address}/players/{answer['id']}")
        again = outflank(*given, "--view", "inversion")
        sentence = "outflank: there is a player Theirs already; choose another name\n"
        assert (again.returncode, again.stdout, again.stderr) == (2, "", sentence)
        rows = json.loads(outflank("league-table", *league, "--json").stdout)
        assert [(row["name"], row["entrant"]) for row in rows] == [
            ("Mine", "keeper"), ("counter-1", "Ada"), ("Theirs", "Ada"),
        ]  # fmt: skip
        assert "Theirs" in outflank("league-table", *league).stdout
        with pytest.raises(ValueError, match="outflank submit"):
            run("league-table", "all-2", *league)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--db", "nonsense"), "'nonsense' is not a database"),
        (("--db", "mysql://localhost/league"), "neither sqlite:///FILE nor postgresql://"),
        (("--db", "sqlite://"), "use sqlite:///FILE"),
        (("--db", "sqlite:///{folder}"), "the league's database cannot be opened"),
        (("--db", "postgresql://nobody@127.0.0.1:1/none"), "the league's database cannot be opened"),
        (("--host", "999.999.999.999"), "cannot listen on 999.999.999.999"),
        (("--runs", "log"), "log is a file, not a folder of runs"),
        (("--published", "nowhere"), "nowhere is not a folder of published files"),
        (("--with", "nowhere.player"), "nowhere.player"),
        (("--with", "x.player,<b>"), "give x.player such a name"),
    ],
)
def test_what_cannot_be_served_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, str], sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log").touch()
    with pytest.raises((ValueError, OSError), match=re.escape(sentence)):
        run("serve", "--no-worker", "--port", 0, options[0], options[1].format(folder=tmp_path))


def test_a_port_that_is_taken(outflank: Outflank, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = outflank("serve", "--port", port, cwd=tmp_path)
    sentence = f"outflank: cannot listen on 127.0.0.1 port {port}: it is in use; choose another with --port\n"
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", sentence)


@pytest.mark.parametrize(
    ("missing", "arguments"),
    [
        ("fastapi", ("serve",)),
        ("sqlalchemy", ("worker", "--db=sqlite:///league.db")),
        ("httpx", ("register", "Ada", "--league=http://127.0.0.1:1")),
    ],
)
def test_without_the_extra_it_says_how_to_get_it(
    tmp_path: Path, missing: str, arguments: tuple[str, ...]
) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; from outflank.interfaces.cli import main; main()"
    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, cwd=tmp_path
    )
    assert ran.returncode == 2
    assert ran.stderr.endswith("pip install 'outflank[server]'\n")


def test_a_league_that_is_not_there() -> None:
    for address, sentence in (
        ("http://127.0.0.1:1", "no league responds at http://127.0.0.1:1"),
        ("league.example.org", "is not the address of a league"),
        ("http://[", "no league responds at"),
    ):
        with pytest.raises((ValueError, OSError), match=sentence):
            run("league-table", "--league", address)


@pytest.mark.parametrize("answer", [b"<html>Welcome</html>", b'{"total": 1}', b"\xff", b""])
def test_what_answers_is_no_league(answer: bytes) -> None:
    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Other) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        with pytest.raises(OSError, match="is not a league of this version: its API responded 200"):
            run("league-table", "--league", f"http://127.0.0.1:{server.server_port}")
        server.shutdown()
        thread.join()
