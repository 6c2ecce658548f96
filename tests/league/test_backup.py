"""Backup and restore, by the commands of docs/league.md."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import text

from outflank.interfaces.cli import app
from outflank.league.competitions import Competitions
from outflank.league.league import League, score_seed
from outflank.league.scoring import league_match
from outflank.league.store import Store
from outflank.players.names import named_player
from tests.conftest import ROOT
from tests.interfaces.web.serving import serving, without_players
from tests.league.test_league import ALL_2, HEURISTIC, small_worker, work_all

DOCS = (ROOT / "docs" / "league.md").read_text(encoding="utf-8")
SECTION = DOCS.partition("## Back up and restore\n")[2].partition("\n## ")[0]
BLOCKS = dict(
    zip(
        ("sqlite backup", "sqlite restore", "postgresql backup", "postgresql restore"),
        re.findall(r"```\n(.*?)```", SECTION, flags=re.DOTALL),
        strict=True,
    )
)


def run(block: str, folder: Path, database: str) -> str:
    """As the docs say; what the league's URL is afterwards."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    environment["OUTFLANK_DB"] = database
    script = f'set -eu\n{BLOCKS[block]}\nprintf "%s" "$OUTFLANK_DB" > url'
    subprocess.run(["bash", "-c", script], cwd=folder, env=environment, check=True)
    return (folder / "url").read_text()


@pytest.mark.long
def test_a_restored_league_is_the_one_of_the_backup_and_goes_on(database: str, tmp_path: Path) -> None:
    kind = database.partition(":")[0]
    if kind == "postgresql" and shutil.which("pg_dump") is None:
        pytest.skip("pg_dump is not in the path")
    store = Store(without_players(database))
    league = League(store)
    key = league.register("Ada")
    first = league.submit(key, ALL_2, name="all-2", view="inversion")
    work_all(small_worker(league))
    second = league.submit(key, HEURISTIC, name="the heuristic", view="negation")
    competitions = Competitions(league)
    cup = competitions.open("Cup", double_games=5)
    for player in (first, second):
        competitions.nominate(key, cup, player.id)
    competitions.start(cup)
    worker = small_worker(league)
    held = worker.jobs.take()  # a worker that is at work while the copy is made
    assert held is not None
    before = league.table()
    with serving(tmp_path, database, "--no-worker"):
        run(f"{kind} backup", tmp_path, database)
    league.register("who came later")
    worker.do(held)
    league.remove(first.id)
    store.close()

    restored = run(f"{kind} restore", tmp_path, database)
    store = Store(restored)
    league = League(store)
    assert league.table() == before
    assert league.entrant(key).name == "Ada"
    assert league.content(first.id) == ALL_2.read_bytes()
    with store.writing() as session:
        session.execute(text("UPDATE jobs SET lease = 0 WHERE state = 'taken'"))  # as after 15 seconds
    work_all(small_worker(league))
    player = league.player(second.id)
    match = league_match(
        named_player("standard-heuristic"), double_games=1500, seed=score_seed(player.digest)
    )
    assert player.scores[-1].tally == match.play()
    assert Competitions(league).state(cup).state == "finished"
    league.register("who comes again")
    store.close()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["copy.db"], "league.db is not a league's file"),
        (["copy.db", "--db=sqlite:///other.db"], "other.db is not a league's database"),
        (["other.db", "--db=sqlite:///other.db"], "other.db exists already"),
        (["copy.db", "--db=sqlite:///broken.db"], "broken.db cannot be copied to copy.db"),
        (["nowhere/copy.db", "--db=sqlite:///good.db"], "good.db cannot be copied"),
        (["copy.db", "--db=postgresql://127.0.0.1:1/x"], "pg_dump --format=custom"),
    ],
)
def test_what_cannot_be_backed_up_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.db").touch()
    (tmp_path / "broken.db").write_bytes(b"no database" * 1000)
    Store("sqlite:///good.db").close()
    with pytest.raises((ValueError, OSError), match=re.escape(sentence)):
        app(["backup", *arguments], standalone_mode=False)
    assert not (tmp_path / "copy.db").exists()
