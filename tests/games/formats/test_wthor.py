"""WTHOR: the database's own files, there and back, and every way a file can be broken."""

from __future__ import annotations

import struct
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outflank import Game, GameRecord, read_games, write_games
from outflank.games.collection_statistics import ScoreKind, game_statistics
from outflank.games.formats.any_format import read_game_file
from outflank.games.replay import replay_records
from tests.games.random_games import random_game, records, tournament_score

# Games in all; games whose transcript stops before the end.
DATABASE = {
    "WTH_1985.wtb": (954, 8),
    "WTH_1990.wtb": (2986, 21),
    "WTH_1995.wtb": (4968, 41),
    "WTH_1998.wtb": (8077, 12),
    "WTH_1999.wtb": (7685, 41),
    "WTH_2001.wtb": (5540, 8),
    "WTH_2004.wtb": (9021, 0),
    "WTH_2009.wtb": (4173, 0),
    "WTH_2013.wtb": (2379, 0),
}


@pytest.fixture(scope="module")
def database(shared: Path) -> Path:
    return shared / "wthor"


@pytest.mark.parametrize("name", DATABASE)
def test_the_database_is_legal_and_its_scores_are_ours(database: Path, name: str) -> None:
    found = read_games(database / name)  # raises at the first illegal move
    games, unfinished = DATABASE[name]
    assert len(found) == games
    assert {record.year for record in found} == {int(name[4:8])}
    assert {record.theoretical_empties for record in found} == {24}
    replays = replay_records(found)
    stored = np.array([record.result for record in found])
    assert (stored[replays.over] == replays.winner_takes_empties[replays.over]).all()
    assert (~replays.over).sum() == unfinished
    statistics = game_statistics(found)
    assert ScoreKind.differs not in statistics.kinds
    assert len(statistics.exceptions) == unfinished


def test_a_known_game(database: Path) -> None:
    record = read_games(database / "WTH_1985.wtb")[0]
    assert record.game.transcript.startswith("f5f4e3f6d3e2g4f3e6h4")
    assert (record.black, record.white, record.event) == ("#741", "#568", "#2")
    assert (record.result, record.theoretical, record.game.final.disc_difference) == (8, -14, 8)


def test_the_database_there_and_back(database: Path, tmp_path: Path) -> None:
    original = database / "WTH_1985.wtb"
    assert write_games(read_games(original), tmp_path / "copy.wtb") == ()
    assert [path.name for path in tmp_path.iterdir()] == ["copy.wtb"]  # numbers without names stay numbers
    # All but the date of the file (4 bytes) is as it was.
    assert (tmp_path / "copy.wtb").read_bytes()[4:] == original.read_bytes()[4:]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(records(), min_size=1, max_size=6))
def test_there_and_back(tmp_path: Path, written: list[GameRecord]) -> None:
    for old in tmp_path.iterdir():
        old.unlink()
    # Only a complete game's score is sure to be a tournament's; unfinished ones are stored as they stand.
    assert write_games(written, tmp_path / "g.wtb") == ()
    assert read_games(tmp_path / "g.wtb") == written
    assert (tmp_path / "g.wtb").stat().st_size == 16 + 68 * len(written)


def test_what_the_format_cannot_hold(tmp_path: Path) -> None:
    game = random_game(Random(1))
    first = GameRecord(game, black="Ben Seeley of Elsewhere", date="1997", ending="resigned", theoretical=2)
    second = replace(first, date="1998", game=Game(game.moves[:20]), result=None)
    notes = " ".join(write_games([first, second], tmp_path / "g.wtb"))
    for sentence in ("1 games had no score", "who resigned", "theoretical scores are left out", "one year",
                     "1 names were changed"):  # fmt: skip
        assert sentence in notes
    back = read_games(tmp_path / "g.wtb")
    assert [record.black for record in back] == ["Ben Seeley of Elsew"] * 2
    assert [record.result for record in back] == [tournament_score(game), tournament_score(second.game)]
    assert (tmp_path / "g.jou").stat().st_size == 16 + 2 * 20


def test_plain_scores_become_tournament_scores(tmp_path: Path) -> None:
    played = [random_game(Random(i)) for i in range(200)]
    short = [game for game in played if game.final.discs < 64]
    assert short
    plain = [GameRecord(game, result=game.final.disc_difference) for game in short]
    assert write_games(plain, tmp_path / "g.wtb") == ()
    assert [record.result for record in read_games(tmp_path / "g.wtb")] == list(map(tournament_score, short))


def _name_file(path: Path, names: list[str], size: int) -> None:
    header = struct.pack("<4BIHHI", 20, 24, 1, 1, 0, len(names), 0, 0)
    path.write_bytes(header + b"".join(name.encode("latin-1").ljust(size, b"\0") for name in names))


def test_names_from_the_database(database: Path, tmp_path: Path) -> None:
    (tmp_path / "WTH_1985.wtb").write_bytes((database / "WTH_1985.wtb").read_bytes())
    _name_file(tmp_path / "WTHOR.JOU", ["???", *(f"Joueur é {i}" for i in range(1, 742))], 20)
    _name_file(tmp_path / "WTHOR.TRN", ["???", "Paris", "Tokyo"], 26)
    found = read_games(tmp_path / "WTH_1985.wtb")
    assert (found[0].black, found[0].white, found[0].event) == ("Joueur é 741", "Joueur é 568", "Tokyo")
    assert any(record.black.startswith("#") for record in found)  # numbers beyond the names


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("g.jou", b"\x14" * 10, "g.jou is cut off"),
        (
            "g.jou",
            struct.pack("<4BIHHI", 20, 24, 1, 1, 0, 5, 0, 0) + bytes(20),
            "promises 5 names, and there are 1",
        ),
        ("WTHOR.TRN", struct.pack("<4BIHHI", 20, 24, 1, 1, 0, 1, 0, 0) + bytes(27), "WTHOR.TRN is cut off"),
    ],
)
def test_broken_names(tmp_path: Path, name: str, content: bytes, sentence: str) -> None:
    write_games([GameRecord(random_game(Random(1)))], tmp_path / "g.wtb")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=sentence):
        read_games(tmp_path / "g.wtb")


def test_names_of_other_games_are_not_taken_over(tmp_path: Path) -> None:
    (tmp_path / "g.trn").write_bytes(b"precious")
    with pytest.raises(ValueError, match=r"g\.trn would give these games wrong names"):
        write_games([GameRecord(random_game(Random(1)))], tmp_path / "g.wtb")
    assert [path.name for path in tmp_path.iterdir()] == ["g.trn"]


@pytest.fixture
def three_games(tmp_path: Path) -> bytes:
    write_games([GameRecord(random_game(Random(i))) for i in range(3)], tmp_path / "three.wtb")
    return (tmp_path / "three.wtb").read_bytes()


def _with(content: bytes, at: int, *values: int) -> bytes:
    return content[:at] + bytes(values) + content[at + len(values) :]


SECOND = 16 + 68  # where the second game begins


@pytest.mark.parametrize(
    ("at", "values", "sentence"),
    [
        (12, (10,), "the games are on a 10x10 board"),
        (13, (1,), "puzzles"),
        (2, (13,), "this is not a WTHOR file: its header has month 13"),
        (4, (2,), "the header promises 2 games, but the file has room for 3"),
        (4, (255, 255, 255, 255), "the header promises 4,294,967,295 games, but the file has room for 3"),
        (SECOND + 8, (11,), "game 2: move 1 (a1) is not legal for black"),
        (SECOND + 10, (99,), "game 2: move 3 is stored as 99, which is not a square"),
        (SECOND + 10, (19,), "game 2: move 3 is stored as 19, which is not a square"),
        (SECOND + 10, (0,), "game 2: move 3 is missing, and moves come after it"),
        (SECOND + 6, (65,), "game 2: Black is said to have 65 discs"),
        (SECOND + 7, (200,), "game 2: Black is said to have 200 discs"),
    ],
)
def test_broken_bytes(
    tmp_path: Path, three_games: bytes, at: int, values: tuple[int, ...], sentence: str
) -> None:
    path = tmp_path / "broken.wtb"
    path.write_bytes(_with(three_games, at, *values))
    with pytest.raises(ValueError, match=r"broken\.wtb") as error:
        read_games(path)
    assert sentence in str(error.value)
    if at >= SECOND:
        file = read_game_file(path, skip_bad=True)
        assert [record.number for record in file.records] == [1, 3]
        assert [problem.number for problem in file.problems] == [2]


@pytest.mark.parametrize("size", [1, 15, 16, 17, 16 + 67, 16 + 68, 16 + 3 * 68 - 1, 16 + 3 * 68 + 5])
def test_files_of_a_wrong_length(tmp_path: Path, three_games: bytes, size: int) -> None:
    path = tmp_path / "cut.wtb"
    path.write_bytes((three_games + bytes(10))[:size])
    with pytest.raises(ValueError, match=r"cut\.wtb.*(header of 16 bytes|promises 3 games)"):
        read_games(path)
    if size >= 16:
        file = read_game_file(path, skip_bad=True)
        assert len(file.records) == (size - 16) // 68
        assert "the header promises 3 games" in str(file.problems[0])
