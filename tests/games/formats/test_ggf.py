"""GGF: there and back, the server's archives, variants that are refused, and damage."""

from __future__ import annotations

import bz2
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outflank import Board, Game, GameRecord, read_games, write_games
from outflank.games.formats.any_format import read_game_file
from outflank.games.replay import replay_records
from tests.games.random_games import random_game, records

START = "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"


def _read(tmp_path: Path, text: str | bytes) -> list[GameRecord]:
    (tmp_path / "g.ggf").write_bytes(text.encode() if isinstance(text, str) else text)
    return read_games(tmp_path / "g.ggf")


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(records(any_start=True), min_size=1, max_size=5))
def test_there_and_back(tmp_path: Path, written: list[GameRecord]) -> None:
    assert write_games(written, tmp_path / "g.ggf") == ()
    assert read_games(tmp_path / "g.ggf") == written


def test_every_ending_and_score_there_and_back(tmp_path: Path) -> None:
    game = random_game(Random(1), moves=20)
    written = [
        GameRecord(game, "a", "b", "GGS/os", "2003.12.15_13:24:03.MST", -40, "resigned"),
        GameRecord(game, result=64, ending="time"),
        GameRecord(game, result=0, ending="agreed"),
        GameRecord(game, result=2.5),
        GameRecord(game),
        GameRecord(Game()),
    ]
    assert write_games(written, tmp_path / "g.ggf") == ()
    assert read_games(tmp_path / "g.ggf") == written


def test_passes_are_written_in_their_colour(tmp_path: Path) -> None:
    random = Random(5)
    game = next(
        g for g in (random_game(random) for _ in range(99)) if replay_records([GameRecord(g)]).passes[0]
    )
    write_games([GameRecord(game)], tmp_path / "g.ggf")
    text = (tmp_path / "g.ggf").read_text()
    at = next(i for i, board in enumerate(game.boards) if not board.has_moves)
    passed = game.boards[at].mover[0].upper()
    assert f"{passed}[PA]{'W' if passed == 'B' else 'B'}[{str(game.moves[at]).upper()}]" in text
    assert _read(tmp_path, text.replace("[PA]", "[pass//0.01]")) == [GameRecord(game)]
    without = text.replace(f"{passed}[PA]", "")  # the letters still say whose moves they are
    assert _read(tmp_path, without) == [GameRecord(game)]
    in_turn = "".join(f"{'BW'[i % 2]}[{move}]" for i, move in enumerate(game.moves))
    with pytest.raises(ValueError, match=f"move {at + 1} is written as {passed}'s, but it is"):
        _read(tmp_path, f"(;GM[Othello]{in_turn};)")


def test_a_game_as_the_server_writes_it(tmp_path: Path) -> None:
    found = _read(
        tmp_path,
        f"(;GM[Othello]PC[GGS/os]DT[2003.12.15_13:24:03.MST]PB[black 1]PW[white+]RB[2197.01]RW[2199.72]"
        f"TI[05:00//02:00]TY[8]RE[+12.000]{START}B[F5//0.01]W[d6/-1.50/3.2]\nB[ c3 /]W[D3];)",
    )
    assert found == [
        GameRecord(
            Game.from_transcript("f5d6c3d3"), "black 1", "white+", "GGS/os", "2003.12.15_13:24:03.MST", 12
        )
    ]
    assert found[0].year == 2003


def test_lower_case_loses_no_move(tmp_path: Path) -> None:
    (record,) = _read(tmp_path, "\ufeff(;gm[othello]pb[a]ty[8]b[F5//1.5]w[D6];)")
    assert (record.black, record.game.transcript) == ("a", "f5d6")


@pytest.mark.parametrize(
    ("result", "score", "ending"),
    [
        ("", None, ""),
        ("RE[?]", None, ""),
        ("RE[ ? ]", None, ""),
        ("RE[?:R]", None, "resigned"),
        ("Re[+4.000:T]", 4, "time"),
        ("RE[-127.000]", None, ""),  # Edax, of a game that is not over
    ],
)
def test_unfinished_games(tmp_path: Path, result: str, score: float | None, ending: str) -> None:
    (record,) = _read(tmp_path, f"(;GM[othello]PC[Edax]PB[?]PW[?]{result}{START}B[F5]W[D6]B[C3];)")
    assert (record.game.transcript, record.result, record.ending) == ("f5d6c3", score, ending)


def test_odd_case_and_several_games_per_line(tmp_path: Path) -> None:
    board = f"{'-' * 27}o*------*o{'-' * 27}"
    odd = f"( ;Gm[oThElLo] pB[x] tY[8] rE[+4] bO[8 {board} *]"
    game = "(;GM[Othello]B[f5];)"
    found = _read(tmp_path, f"3 {odd}b[F5]w[d6] ; ){game} (\n;GM[Othello]B[d3])  1 {game}\n2 {game}{game}")
    assert [record.game.transcript for record in found] == ["f5d6", "f5", "d3", "f5", "f5", "f5"]
    assert (found[0].black, found[0].result) == ("x", 4)
    path = tmp_path / "g.ggf"
    path.write_text(f"( ;GM[Othello]B[f5] {game}")
    with pytest.raises(ValueError, match=r"game 1: it is cut off or damaged"):
        read_games(path)
    assert [record.number for record in read_game_file(path, skip_bad=True).records] == [2]


def test_archives_of_synchro_matches(tmp_path: Path) -> None:
    start = "BO[8 -------- -------- -----*-- ---***-- ---**O-- ----**-- -------- -------- O]"
    game = f"(;GM[Othello]TY[s8r18]RE[?]{start}W[D7]B[D6];)"
    lines = f"2 {game}{game}\n1 (;GM[Othello]TY[8]RE[?]{START}B[f5];)\n(;GM[othello]B[d3];)\n"
    (tmp_path / "Othello.latest.ggf.bz2").write_bytes(bz2.compress(lines.encode()))
    found = read_games(tmp_path / "Othello.latest.ggf.bz2")
    assert [record.game.transcript for record in found] == ["d7d6", "d7d6", "f5", "d3"]
    assert found[0].game.start == Board("---------------------X-----XXX-----XXO------XX------------------ O")
    assert found[2].game.start == Board()


def test_names_in_old_encodings(tmp_path: Path) -> None:
    assert _read(tmp_path, "(;GM[Othello]PB[é]B[f5];)".encode("latin-1"))[0].black == "é"
    assert _read(tmp_path, "(;GM[Othello]PB[é]B[f5];)")[0].black == "é"
    assert _read(tmp_path, b"\xef\xbb\xbf(;GM[Othello]PB[x]B[f5];)")[0].black == "x"


def test_names_that_would_break_the_format(tmp_path: Path) -> None:
    record = GameRecord(Game.from_transcript("f5"), black="a]b[c", white="x\ny", event=";)(;")
    assert "2 names or dates were changed" in write_games([record], tmp_path / "g.ggf")[0]
    found = read_games(tmp_path / "g.ggf")
    assert [(r.black, r.white, r.event) for r in found] == [("a)b(c", "x y", ";)(;")]


REFUSED = {
    "another game": ("GM[Amazons]TY[10]", "it is a game of Amazons, not of Othello"),
    "10x10": ("GM[Othello]TY[10]", "its board has size 10, and outflank plays on 8x8"),
    "octagon": ("GM[Othello]TY[88]", "its board has size 88"),
    "10x10 by its board": (f"GM[Othello]BO[10 {'-' * 100} *]", "its board has size 10"),
    "komi": ("GM[Othello]TY[8k]", "it is a komi game (type 8k)"),
    "komi by its moves": ("GM[Othello]TY[8]KB[f5/3]KW[f5/-1]", "it is a komi game"),
    "anti": ("GM[Othello]TY[8a]", "it is an anti game (type 8a)"),
    "synchro anti": ("GM[Othello]TY[s8ar20]", "it is an anti game"),
    "unknown type": ("GM[Othello]TY[8z]", "its type '8z' is unknown"),
    "no type": ("GM[Othello]TY[]", "its type '' is unknown"),
    "random start untold": ("GM[Othello]TY[8r20]", "it has a random start, but does not say which"),
    "a short board": ("GM[Othello]BO[8 ---- *]", "a board has 64 characters"),
    "a strange disc": (f"GM[Othello]BO[8 {'?' * 64} *]", "'?' at a1 is not X, O or -"),
    "no result": ("GM[Othello]RE[won]", "its result 'won' is not a disc difference"),
    "a result beyond the board": ("GM[Othello]RE[+65]", "its result '+65' is not a disc difference"),
    "a strange ending": ("GM[Othello]RE[+5:x]", "ends in 'x', which is none of r, t and s"),
    "no square": ("GM[Othello]B[i9]", "move 1: 'i9' is not a square"),
    "an illegal move": ("GM[Othello]B[f5]W[f5]", "move 2 (f5) is not legal for white"),
    "an illegal pass": ("GM[Othello]B[f5]W[PA]", "move 2 is a pass, but white has a legal move"),
    "the wrong side": ("GM[Othello]W[f5]B[d6]", "move 1 is written as W's, but it is black's turn"),
    "one side twice": ("GM[Othello]B[f5]B[d6]", "move 2 is written as B's, but it is white's turn"),
}


@pytest.mark.parametrize(("properties", "sentence"), REFUSED.values(), ids=REFUSED.keys())
def test_games_that_are_refused(tmp_path: Path, properties: str, sentence: str) -> None:
    good = "(;GM[Othello]B[f5];)"
    with pytest.raises(ValueError, match=r"g\.ggf, game 2: ") as error:
        _read(tmp_path, f"{good}\n(;{properties};)\n{good}")
    assert sentence in str(error.value)
    file = read_game_file(tmp_path / "g.ggf", skip_bad=True)
    assert [record.number for record in file.records] == [1, 3]
    assert len(file.problems) == 1


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("(;GM[Othello]B[f5]", "game 1: it is cut off or damaged"),
        ("(;GM[Othello]B[f5", "game 1: it is cut off or damaged"),
        ("(;GM[Othello]B[f5];)\n(;GM[Oth", "game 2: it is cut off or damaged"),
        ("(;GM[Othello]B f5;)", "game 1: it is cut off or damaged"),
        ("(;GM[Othello]B[f5];) and so on", "game 2: it should start with (; but there is 'and so on'"),
        (f"(;GM[Othello]{'B[f5]W[d6]' * 100};)", "game 1: there are 200 moves, and a game has at most 60"),
        ("(;GM[Othello]" + " " * 300_000, "game 1: it is cut off or damaged"),
        ("(;A[" * 100_000, "game 1: it is cut off or damaged"),
        ("hello", "game 1: it should start with (; but there is 'hello'"),
        ("  \n", "g.ggf holds no games"),
    ],
)
def test_damage(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=r"g\.ggf") as error:
        _read(tmp_path, text)
    assert sentence in str(error.value)
