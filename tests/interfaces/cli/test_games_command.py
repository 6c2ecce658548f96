"""`outflank games` as real processes: converting, counting, showing, and bad input."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from outflank import Game, GameRecord, named_player, read_games, write_games
from outflank.games.match import Match
from tests.conftest import Outflank
from tests.games.random_games import random_game, tournament_score


@pytest.fixture
def played(tmp_path: Path) -> list[GameRecord]:
    """Twenty games of 1996 and 1997 in played.jsonl, the last one cut short and resigned."""
    random = Random(7)
    records = []
    for number in range(20):
        game = random_game(random)
        black = "Imai" if number % 2 else "Rose"
        date = "1996" if number < 8 else "1997"
        records.append(GameRecord(game, black, "Caspard", "Tokyo", date, tournament_score(game)))
    cut = Game(records[-1].game.moves[:30])
    records[-1] = GameRecord(cut, "Imai", "Caspard", "Tokyo", "1997", 64, "resigned")
    write_games(records, tmp_path / "played.jsonl")
    return records


def test_import_through_every_format(outflank: Outflank, tmp_path: Path, played: list[GameRecord]) -> None:
    names = ["a.ggf", "s.sgf", "b.wtb", "c.jsonl", "d.txt"]
    source = "played.jsonl"
    for name in names:
        result = outflank("games", "import", source, "--out", name, cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        assert f"{name}: 20 games from 1 file" in result.stdout
        assert f"outflank games stats {name}" in result.stdout
        assert [r.game for r in read_games(tmp_path / name)] == [r.game for r in played]
        source = name
    assert [r.black for r in read_games(tmp_path / "c.jsonl")] == [r.black for r in played]
    assert "note: a transcript holds the moves alone" in result.stderr


def test_openings_are_the_same_for_a_seed_and_a_match_starts_from_them(
    outflank: Outflank, tmp_path: Path
) -> None:
    options = ("games", "openings", "--random-plies", 6, "--count", 20, "--seed", 3)
    printed = outflank(*options).stdout
    assert len(set(printed.splitlines())) == 20
    assert "--starts my.txt" in outflank(*options, "--out", "my.txt", cwd=tmp_path).stdout
    assert (tmp_path / "my.txt").read_text() == printed
    again = outflank(*options, "--out", "my.txt", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (2, "")
    assert "my.txt already exists" in again.stderr
    assert outflank(*options, "--out", "my.txt", "--force", cwd=tmp_path).returncode == 0
    played = outflank("match", "all-2", "random", "--starts", "my.txt", "--json", cwd=tmp_path)
    assert json.loads(played.stdout)["double_games"] == 20


def test_import_merges_and_filters(outflank: Outflank, tmp_path: Path, played: list[GameRecord]) -> None:
    def kept(*options: object) -> int:
        sources = ("played.jsonl", "played.jsonl")
        result = outflank(
            "games", "import", *sources, "--out", "o.jsonl", "--force", "--json", *options, cwd=tmp_path
        )
        report = json.loads(result.stdout)
        assert report["games"] + report["filtered_out"] == 40
        assert len(read_games(tmp_path / "o.jsonl")) == report["games"]
        return int(report["games"])

    assert kept("--year", 1996) == 16
    assert kept("--year", "1996-1997", "--player", "rose") == 20
    assert kept("--player", "caspard", "--min-moves", 31) == 2 * sum(
        len(record.game.moves) > 30 for record in played
    )


def test_import_skips_bad_games_only_if_told(outflank: Outflank, tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text("f5d6\nf5f5\nd3c3\n")
    result = outflank("games", "import", "g.txt", "--out", "o.jsonl", cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == (
        "outflank: g.txt, line 2: move 2 (f5) is not legal for white; "
        "--skip-bad reads the other 2 and skips 1 such\n"
    )
    assert not (tmp_path / "o.jsonl").exists()
    result = outflank("games", "import", "g.txt", "--out", "o.jsonl", "--skip-bad", cwd=tmp_path)
    assert result.returncode == 0
    assert (
        "Skipped as unreadable or illegal: 1\n  g.txt, line 2: move 2 (f5) is not legal for white"
        in result.stdout
    )
    assert len(read_games(tmp_path / "o.jsonl")) == 2


def test_stats(outflank: Outflank, tmp_path: Path, played: list[GameRecord]) -> None:
    (tmp_path / "g.txt").write_text("f5d6c3\ne6f4c3\nf5f5\n")  # the first two are one opening
    result = outflank("games", "stats", "played.jsonl", "g.txt", "--opening-moves", 3, "--json", cwd=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    report = json.loads(result.stdout)
    assert [(row["file"], row["games"], row["unreadable"]) for row in report["files"]] == [
        ("played.jsonl", 20, 0), ("g.txt", 2, 1)]  # fmt: skip
    total = report["total"]
    assert (total["games"], total["complete"], total["unfinished"]) == (22, 19, 3)
    assert total["years"] == [1996, 1997]
    assert total["black_wins"] == sum((record.result or 0) > 0 for record in played)
    assert total["kinds"]["no stored score"] == 2
    assert [(e["file"], e["game"], e["ending"]) for e in report["exceptions"]] == [
        ("played.jsonl", 20, "resigned")
    ]
    assert report["unreadable"][0]["reason"] == "move 2 (f5) is not legal for white"
    assert sum(opening["games"] for opening in report["openings"]) == 22
    assert next(opening["games"] for opening in report["openings"] if opening["moves"] == "f5d6c3") >= 2
    shown = outflank("games", "stats", "played.jsonl", "g.txt", cwd=tmp_path).stdout
    for text in ("played.jsonl", "1996-1997", "illegal: 1", "(resigned)"):
        assert text in shown


def test_stats_of_the_database(outflank: Outflank, shared: Path) -> None:
    report = json.loads(outflank("games", "stats", shared / "wthor" / "WTH_1985.wtb", "--json").stdout)
    assert (report["total"]["games"], report["total"]["complete"], len(report["exceptions"])) == (954, 946, 8)
    assert report["total"]["kinds"]["complete, the score gives the empty squares to the winner"] == 34


def test_replay(outflank: Outflank, tmp_path: Path, played: list[GameRecord]) -> None:
    result = outflank("games", "replay", "played.jsonl", "--game", 2, "--json", cwd=tmp_path)
    report = json.loads(result.stdout)
    game = played[1].game
    assert [step["board"] for step in report["positions"]] == [board.text for board in game.boards]
    assert "".join(step["move"] for step in report["positions"]) == game.transcript
    assert (report["black"], report["result"], report["is_over"]) == ("Imai", played[1].result, True)
    shown = outflank("games", "replay", "played.jsonl", "--game", 20, "--move", 30, cwd=tmp_path).stdout
    assert "Imai (black) - Caspard (white)" in shown
    assert "stored result: +64 for Black (resigned)" in shown
    assert str(played[19].game.final).splitlines()[4] in shown
    assert "unfinished" in shown


def test_records_of_a_match_are_read(outflank: Outflank, tmp_path: Path) -> None:
    outflank("match", "all-2", "random", "--double-games", 5, "--record", "m.jsonl", cwd=tmp_path)
    found = read_games(tmp_path / "m.jsonl")
    match = Match(named_player("all-2"), named_player("random"), double_games=5, epsilon=0.1)
    assert [record.game for record in found] == list(match.games())
    assert [record.result for record in found] == [record.game.final.disc_difference for record in found]
    assert {record.black for record in found} == {"all-2", "random"}


BAD = {
    "no such file": (("stats", "none.wtb"), "none.wtb: no such file or directory"),
    "a folder": (("stats", "."), ". is a folder"),
    "unknown format": (("import", "g.txt", "--out", "o.pgn"), "o.pgn: games are written as .wtb"),
    "output exists": (("import", "g.txt", "--out", "g.txt"), "g.txt already exists"),
    "names exist": (("import", "g.txt", "--out", "names.wtb"), "names.jou already exists"),
    "missing folder": (("import", "g.txt", "--out", "no/such/o.txt"), "no such file or directory"),
    "nothing left": (("import", "g.txt", "--out", "o.txt", "--year", "1900"), "none of the 1 games matches"),
    "no year": (("import", "g.txt", "--out", "o.txt", "--year", "x"), "--year takes a year such as 1997"),
    "cut off": (("stats", "cut.wtb"), "cut.wtb: a WTHOR file starts with a header of 16 bytes"),
    "no such game": (("replay", "g.txt", "--game", "2"), "g.txt has 1 games, so there is no game 2"),
    "no such move": (("replay", "g.txt", "--move", "3"), "has 2 moves, so there is no move 3"),
    "a bad game": (("replay", "bad.txt"), "bad.txt, line 1: move 2 (f5) is not legal for white"),
    "unknown command": (("convert", "g.txt"), "'convert' is not a command; known: import"),
}  # fmt: skip


@pytest.mark.parametrize(("arguments", "sentence"), BAD.values(), ids=BAD.keys())
def test_bad_input(outflank: Outflank, tmp_path: Path, arguments: tuple[str, ...], sentence: str) -> None:
    files = {"g.txt": "f5d6\n", "bad.txt": "f5f5\n", "cut.wtb": "x", "names.jou": "precious"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    result = outflank("games", *arguments, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, "")
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == files


def test_help(outflank: Outflank) -> None:
    for arguments in (("games",), ("games", "--help")):
        result = outflank(*arguments)
        assert result.returncode == 0
        assert all(name in result.stdout for name in ("import", "stats", "replay"))
