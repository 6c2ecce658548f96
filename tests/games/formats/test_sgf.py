"""SGF: there and back, what other programs write, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outflank import Board, Game, GameRecord, read_games, write_games
from outflank.games.formats import sgf
from outflank.games.formats.any_format import read_game_file, read_pasted
from outflank.games.game import Problem
from tests.games.random_games import records

FEW = settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
# As Edax writes a game: a start, PL, moves and semicolons after them, passes as PA.
EDAX = """(;FF[4]GM[2]AP[edax:4.5]
PC[Edax]DT[2024-01-31]
PB[edax]PW[me]
SZ[8]AB[e4][d5]AW[d4][e5]PL[B]
RE[B+3]
B[F5];W[d6];
B[C3];W[d3];
B[C4];)
"""


@FEW
@given(st.lists(records(any_start=True), min_size=1, max_size=4))
def test_there_and_back(tmp_path: Path, written: list[GameRecord]) -> None:
    write_games(written, tmp_path / "g.sgf")
    assert read_games(tmp_path / "g.sgf") == written


def test_what_edax_writes(tmp_path: Path) -> None:
    path = tmp_path / "games"  # the content decides
    path.write_text(EDAX + EDAX.replace("RE[B+3]", "RE[Void]"))
    first, second = read_games(path)
    assert first == GameRecord(Game.from_transcript("f5d6c3d3c4"), "edax", "me", "Edax", "2024-01-31", 3)
    assert (second.result, second.number) == (None, 2)
    assert read_game_file(path).format == "sgf"


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("(;GM[2];B[fe];W[df];B[cc])", "f5d6c3"),  # two letters, as in Go
        ("(;GM[2];B[f5];W[d6](;B[c3];W[d3])(;B[c4];W[c3]))", "f5d6c3d3"),  # the main line
        ("(;GM[2](;B[f5](;W[d6])(;W[f6]))(;B[d3]))", "f5d6"),
        ("words ( ;\n GM [2] ;C[a \\] bracket; (and more)]B\n[f5];W[d6]C[x])", "f5d6"),
        ("(;GaMe[2]FF[3];Black[f5];White[d6])", None),
        ("(;gm[2];b[f5];w[d6])", "f5d6"),
        ("(;GM[Othello]FF[4];B[f5];W[d6])", "f5d6"),
        ("\ufeff(;GM[2];B[f5];W[d6])", "f5d6"),
        ("(;GM[2]FF[3];Black[f5];White[d6])", "f5d6"),  # FF[3]: lower-case letters do not count
    ],
)
def test_forms(text: str, moves: str | None) -> None:
    found = list(sgf.read(text))
    assert len(found) == 1
    if moves is None:
        assert isinstance(found[0], Problem) or found[0].entries
    else:
        (record,) = read_pasted(text) if "(;" in text else read_pasted(text[text.index("(") :])
        assert record.game.transcript == moves


def test_starts_passes_and_endings() -> None:
    start = Board("OX" + "-" * 62 + " O")
    (record,) = read_pasted("(;GM[2]AB[b1]AW[a1:a1]PL[W]RE[W+R];W[c1])")
    assert (record.game.start, record.game.transcript, record.ending) == (start, "c1", "resigned")
    (record,) = read_pasted("(;GM[2]AB[a1:b1]AW[c1]PL[white]RE[0];W[];B[d1])")
    assert record.game.start.black == 0b11
    assert record.result == 0


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("(;GM[1];B[aa])", "it is Go, and Othello is GM[2]"),
        ("(;GM[1]SZ[19];B[pd])", "it is Go, and Othello is GM[2]"),
        ("(;FF[4];B[f5])", "it does not say which game it is"),
        ("(;GM[2]SZ[10];B[f5])", "its board has size 10"),
        ("(;GM[2];B[f9])", "move 1: 'f9' is not a square"),
        ("(;GM[2];B[f5];B[d6])", "move 2 is written as B's, but it is white's turn"),
        ("(;GM[2];B[f5];W[f5])", "move 2 (f5) is not legal for white"),
        ("(;GM[2];B[f5];AW[a1];W[d6])", "it changes the board (AW) after move 1"),
        ("(;GM[2]AB[a1]AW[a1];B[f5])", "a1 holds a black and a white disc"),
        ("(;GM[2]AB[z9];B[f5])", "AB: 'z9' is not a square"),
        ("(;GM[2]PL[x];B[f5])", "the side to move (PL) is B or W"),
        ("(;GM[2]RE[B+99];B[f5])", "its result 'B+99' is not a disc difference"),
        ("(;GM[2];!)", "is not a property"),
        ("(;GM[2]" + ";B[f5]" * 200 + ")", "there are more than 128 moves"),
    ],
)
def test_what_is_refused(text: str, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "g.sgf"
    path.write_text(text + "\n(;GM[2];B[f5])")
    with pytest.raises(ValueError, match="game 1") as error:
        read_games(path)
    assert sentence in str(error.value)
    assert "g.sgf, game 1: " in str(error.value)
    assert [record.game.transcript for record in read_game_file(path, skip_bad=True).records] in (["f5"], [])


@pytest.mark.parametrize(("text", "sentence"), [
    ("(;GM[2];B[f5]", "it is cut off: a bracket is not closed"), ("(;GM[2];B[f5", "B has no complete value"),
    ("(;GM[2];B", "B has no complete value"), ("(;GM[2];B[f5\\]", "B has no complete value"),
])  # fmt: skip
def test_what_is_cut_off(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read_pasted(text)


def test_damage_costs_one_game(tmp_path: Path) -> None:
    path = tmp_path / "g.sgf"
    path.write_text(f"{EDAX}(;FF[4]GM[2]PB[x];B[f5];W[d6]\n{EDAX}(;GM[2]PB[y\n{EDAX}")
    file = read_game_file(path, skip_bad=True)
    assert [record.number for record in file.records] == [1, 3, 5]
    assert len(file.problems) == 2


def test_notes(tmp_path: Path) -> None:
    game = Game.from_transcript("f5d6")
    lost = [GameRecord(game, result=64, ending="resigned"), GameRecord(game, theoretical=2, ending="agreed")]
    notes = write_games(lost, tmp_path / "g.sgf")
    assert len(notes) == 3
    first, second = read_games(tmp_path / "g.sgf")
    assert (first.ending, first.result, second.ending) == ("resigned", None, "")
