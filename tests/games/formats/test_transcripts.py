"""Transcripts as people paste them: wrapped, numbered, with names; one game is one game."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank import Game, GameRecord, read_games
from outflank.games.formats.any_format import read_game_file, read_pasted
from tests.games.random_games import games, random_game

PLAYED = random_game(Random(1)).transcript[:64]


def _pasted(game: Game, random: Random) -> str:
    """One of the ways in which people write a game down."""
    moves = [str(move) for move in game.moves]
    style = random.randrange(11)
    if style == 0:  # wrapped at some width, within a move too
        text, width = "".join(moves), random.randrange(3, 40)
        return "\n".join(text[at : at + width] for at in range(0, len(text), width))
    if style == 1:  # numbered pairs, a few per line
        pairs = [" ".join(moves[at : at + 2]) for at in range(0, len(moves), 2)]
        numbered = [f"{number}. {pair}" for number, pair in enumerate(pairs, start=1)]
        return "\n".join(" ".join(numbered[at : at + 5]) for at in range(0, len(numbered), 5))
    if style == 2:  # one per line, with numbers but no dots
        return "\r\n".join(f"{number} {move.upper()}" for number, move in enumerate(moves, start=1))
    if style == 3:
        return "-".join(moves)
    if style == 4:  # full-width letters, as in Japanese text
        return "".join(chr(ord(letter) + 0xFEE0) for letter in "".join(moves).upper())
    if style == 5:  # a list in a program
        return str(moves) if random.randrange(2) else json.dumps(moves)
    if style == 6:  # a cell of a table, or copied from a web page that may be wrapped anywhere
        return f'"{"".join(moves)}"' if random.randrange(2) else "\u200b".join(moves)
    if style == 7:  # quoted in a mail, in a fence, with a full stop
        lines = ["> " + " ".join(moves[at : at + 9]) for at in range(0, len(moves), 9)]
        return "```text\n" + "\n".join(lines) + ".\n```\n"
    if style == 8:
        return random.choice([" - ", " -> ", " \u2192 ", "\u2013"]).join(moves)
    if style == 9:  # the cells of a table, each on a line
        return "\n".join(f"{number}\n{move}" for number, move in enumerate(moves, start=1))
    return "  ".join(moves).upper() + "  "


@settings(max_examples=60, deadline=None)
@given(games(), st.integers(0, 1 << 32))
def test_a_pasted_game_is_one_game(game: Game, seed: int) -> None:
    text = _pasted(game, Random(seed))
    assert [record.game for record in read_pasted(text)] == [game]


@pytest.mark.parametrize("style", range(30))
def test_a_file_of_one_wrapped_game(style: int, tmp_path: Path) -> None:
    random = Random(style)
    game = random_game(random)
    path = tmp_path / "g.txt"
    path.write_text(_pasted(game, random), encoding="utf-8")
    assert [record.game for record in read_games(path)] == [game]


def test_several_wrapped_games_in_a_file(tmp_path: Path) -> None:
    random = Random(5)
    played = [random_game(random) for _ in range(20)]
    text = "\n".join(
        "\n".join("".join(map(str, game.moves))[at : at + 40] for at in range(0, 120, 40)) for game in played
    )
    path = tmp_path / "g.txt"
    path.write_text(text)
    assert [record.game for record in read_games(path)] == played


def test_a_fault_in_a_wrapped_game_is_a_fault_of_the_whole(tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    path.write_text(f"{PLAYED[:40]}\n{PLAYED[40:60]}e5\nf5d6\n")
    file = read_game_file(path, skip_bad=True)
    assert [record.game.transcript for record in file.records] == ["f5d6"]
    assert [str(problem) for problem in file.problems] == ["line 1: move 31 (e5) is not legal for black"]
    path.write_text(f"{PLAYED[:40]}\n{PLAYED[40:60]}z9\nf5d6\n")
    file = read_game_file(path, skip_bad=True)
    assert [record.game.transcript for record in file.records] == ["f5d6"]
    assert "line 1: line 2: move 11: 'z9' is not a square" in str(file.problems[0])
    path.write_text("f5d6 : +3\nc3d3\n")
    with pytest.raises(ValueError, match="line 2: there are moves after the score"):
        read_games(path)
    with pytest.raises(ValueError, match=r"move 31 \(e5\) is not legal"):
        read_pasted(f"{PLAYED[:40]}\n{PLAYED[40:60]}e5")


def test_othello_quest(tmp_path: Path) -> None:
    moves = [{"m": str(move), "t": 1200} for move in Game.from_transcript(PLAYED).moves]
    document = {"id": "x", "players": [{"name": "tama"}, {"name": "neko"}], "position": {"moves": moves}}
    wanted = GameRecord(Game.from_transcript(PLAYED), "tama", "neko")
    assert read_pasted(json.dumps(document)) == [wanted]
    path = tmp_path / "quest.json"
    path.write_text(json.dumps(document, indent=1))
    assert read_games(path) == [wanted]
    path.write_text(
        json.dumps(document) + "\n" + json.dumps(document | {"position": {"moves": [{"m": "a1"}]}})
    )
    file = read_game_file(path, skip_bad=True)
    assert (file.format, file.records, len(file.problems)) == ("quest", [wanted], 1)
    for text, sentence in (
        ('{"m": "f5"', "it is not JSON"), ('{"m": "f5"}', "it has no list of moves"),
        ('[{"m": "z9"}]', "move 1: 'z9' is not a square"), ("[" * 5000, "it is not JSON|nested too deeply"),
        (json.dumps([{"m": "f5"}] * 200), "more than 128 moves"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=sentence):
            read_pasted(text)


@pytest.mark.parametrize(
    "text",
    ["1. f5 1... d6 2. c3 2... d3", "f5d6c3d3 ...", "f5d6c3d3 *", "1:F5 2:D6 3:C3 4:D3", "1) f5 d6\n2) c3 d3",
     "1.f5 d6\r\n2.c3 d3", "f5 d6\tc3 d3\u2026"],
)  # fmt: skip
def test_numbers_and_ends_of_pasted_games(text: str) -> None:
    assert [record.game.transcript for record in read_pasted(text)] == ["f5d6c3d3"]


def test_two_games_are_not_taken_for_one() -> None:
    assert [record.game.transcript for record in read_pasted("f5d6c3\nf5f6e6")] == ["f5d6c3", "f5f6e6"]


def test_text_of_apps(tmp_path: Path) -> None:
    path = tmp_path / "quest.txt"
    path.write_text(
        "Black: tama (1845)\nWhite: neko\nDate: 2024-05-01\nResult: 33 - 31\n"
        f"{PLAYED[:30]}\n{PLAYED[30:]}\n\n黒:一郎\n白:次郎\n結果:黒 40-24\n棋譜:F5D6C3\n",
        encoding="utf-8",
    )
    first, second = read_games(path)
    assert first == GameRecord(Game.from_transcript(PLAYED), "tama (1845)", "neko", "", "2024-05-01", 2)
    assert second == GameRecord(Game.from_transcript("f5d6c3"), "一郎", "次郎", "", "", 16)
    path.write_text(f"Black: a1b\n{PLAYED}\n40-24\nBlack: neko\n1 f5 2 d\n6\nResult: 40-24\nf5\n")
    third, fourth, fifth = read_games(path)
    assert (third.black, third.result, third.game.transcript) == ("a1b", 16, PLAYED)
    assert (fourth.black, fourth.result, fourth.game.transcript) == ("neko", 16, "f5d6")
    assert (fifth.black, fifth.result) == ("", None)
    path.write_text("Black: tama\n")
    with pytest.raises(ValueError, match="there are no moves after black"):
        read_games(path)
    path.write_text("Result: 12345\nf5\n")
    with pytest.raises(ValueError, match="line 1: '12345' is not a result"):
        read_games(path)
