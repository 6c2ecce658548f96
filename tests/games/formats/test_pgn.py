"""PGN as PlayOK, Edax and converters of WTHOR write it; what is refused, and why."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from outflank import Board, Game, GameRecord, read_games
from outflank.games.formats.any_format import read_game_file, read_pasted
from outflank.games.replay import moves_by_colour, replay_records
from tests.games.random_games import random_game

PLAYOK_TAGS = """\
[Event "?"]
[Site "PlayOK"]
[Date "2020.05.05"]
[Round "-"]
[Black "tama"]
[White "neko"]
[Result "{result}"]
[Time "11:24:48"]
[TimeControl "300"]
[BlackElo "1073"]
[WhiteElo "1183"]

"""


def _numbered(game: Game, written_pass: str, width: int = 80) -> str:
    """Moves as `1. f5 d6 2. c3 ...`, a pass as a move, wrapped at a width."""
    passes = int(replay_records([GameRecord(game)]).passes[0])
    words = [written_pass if move is None else str(move) for _, move in moves_by_colour(game, passes)]
    lines, line = [], ""
    for at, word in enumerate(words):
        for part in [f"{at // 2 + 1}.", word] if at % 2 == 0 else [word]:
            if len(line) + len(part) >= width:
                lines.append(line)
                line = ""
            line += f" {part}" if line else part
    return "\n".join([*lines, line])


def _with_passes() -> list[Game]:
    played = [random_game(Random(seed)) for seed in range(40)]
    return [game for game in played if replay_records([GameRecord(game)]).passes[0]]


@pytest.mark.parametrize("name", ["games.pgn", "games.txt", "games"])
def test_files_of_playok(tmp_path: Path, name: str) -> None:
    played = _with_passes()
    assert len(played) > 5
    texts = []
    for game in played:
        result = f"{game.final.black.bit_count()}-{game.final.white.bit_count()}"
        texts.append(f"{PLAYOK_TAGS.format(result=result)}{_numbered(game, '--')} {result}\n\n")
    path = tmp_path / name
    path.write_bytes("\n".join(texts).replace("\n", "\r\n").encode())
    file = read_game_file(path)
    assert (file.format, file.problems) == ("pgn", ())
    assert file.records == [
        GameRecord(game, "tama", "neko", "PlayOK", "2020.05.05", game.final.disc_difference)
        for game in played
    ]


def test_a_pasted_game_of_playok_that_was_not_finished() -> None:
    (record,) = read_pasted(PLAYOK_TAGS.format(result="0-1") + "1. f5 d6 2. c3 0-1")
    assert (record.game.transcript, record.result, record.black) == ("f5d6c3", None, "tama")


def test_files_of_edax(tmp_path: Path) -> None:
    game = _with_passes()[0]
    black, white = game.final.black.bit_count(), game.final.white.bit_count()
    result, winner = ("1-0", "lynx 1-2") if black > white else ("0-1", "edax")
    path = tmp_path / "g.pgn"
    path.write_text(
        f'[Event "?"]\n[Site "edax"]\n[Date "2026.??.??"]\n[Date "0.0.0"]\n[Round "?"]\n[Black "lynx 1-2"]\n'
        f'[White "edax"]\n[Result "{result}"]\n\n {_numbered(game, "pass", 78)}\n'
        f"{{{winner} wins {black}-{white}}} {result}\n\n\n"
        '[Event "?"]\n[Site "edax"]\n[Date "2026.??.??"]\n[Black "?"]\n[White "?"]\n[Result "*"]\n'
        '[FEN "8/8/8/3pP3/3Pp3/8/8/3p4 w - - 0 1"]\n\n 1. c5 *\n\n\n'
        '[Black "a"]\n[Result "1/2-1/2"]\n\n 1. f5\n{Draw 32-32} 1/2-1/2\n',
        encoding="utf-8",
    )
    first, second, third = read_games(path)
    assert first == GameRecord(game, "lynx 1-2", "edax", "edax", "2026.??.??", black - white)
    assert second.game.start == Board(f"{'-' * 3}X{Board().text[4:64]} O")
    assert (second.game.transcript, second.result, second.black, second.year) == ("c5", None, "", 2026)
    assert (third.result, third.number) == (0, 3)


def test_files_of_converters_from_wthor() -> None:
    tags = '[Event "World Championship - 1977"]\n[Date "1977"]\n[Black "A"]\n[White "B"]\n[Result "34-30"]\n'
    pairs = "1. F5 D6\n3. C3 D3\n5. C4\n"
    found = read_pasted(f"{tags}{pairs}\n{'-' * 40}\n{tags}{pairs.replace('3.', '2.')}34-30\n{'-' * 40}\n")
    assert [record.game.transcript for record in found] == ["f5d6c3d3c4"] * 2
    assert {(record.result, record.date, record.event) for record in found} == {
        (4, "1977", "World Championship - 1977")
    }


def test_comments_variations_and_marks_are_skipped() -> None:
    text = (
        '[White "a \\"b\\" c"]\n% escaped\n1. f5! $3 d6?! {good} 2.c3 ; the rest\n(2. d3 (2. e3)) 2... d3 *'
    )
    (record,) = read_pasted(text)
    assert (record.game.transcript, record.white) == ("f5d6c3d3", 'a "b" c')


def test_games_without_tags_begin_at_move_1(tmp_path: Path) -> None:
    path = tmp_path / "g.pgn"
    path.write_text('1. f5 d6 2. c3 38-26\n1. f5 f6\n1. d3 *\n[Black "x"]\n*\n')
    assert [record.game.transcript for record in read_games(path)] == ["f5d6c3", "f5f6", "d3", ""]


REFUSED = {
    "chess": ('[Event "x"]\n1. e4 e5 2. Nf3 1-0', "move 3: 'Nf3' is not a square"),
    "an illegal move": ('[Event "x"]\n1. f5 f5 1-0', "move 2 (f5) is not legal for white"),
    "a cut move": ('[Event "x"]\n1. f5 d', "move 2: 'd' is not a square"),
    "a cut tag": ('[Event "x"]\n[Bla', "a tag such as [Black \"NAME\"] is cut off or damaged"),
    "no moves": ('[Event "x"]\n', "there are neither moves nor a result after its tags; it is cut off"),
    "a cut comment": ('[Event "x"]\n1. f5 {and', "a comment's bracket is not closed"),
    "a cut variation": ('[Event "x"]\n1. f5 (1. d3 *', "a variation's bracket is not closed"),
    "chess's FEN": ('[FEN "rnbqkbnr/8/8/8/8/8/8/8 w"]\n1. f5 *', "is not a board of p (black) and P (white)"),
    "no mover": ('[FEN "8/8/8/8/8/8/8/8"]\n1. f5 *', "its start (FEN) has b or w to move, got ''"),
    "too many discs": ('[Result "60-26"]\n1. f5 *', "its result 60-26 is of more than 64 discs"),
    "two results": ('[Event "x"]\n1. f5 1-0 0-1', "it has two results, 1-0 and 0-1"),
    "endless": ('[Event "x"]\n' + "1. f5 " + "d6 " * 500, "there are more than 128 moves"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "sentence"), REFUSED.values(), ids=REFUSED.keys())
def test_games_that_are_refused(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "g.pgn"
    good = '[Event "y"]\n1. f5 *\n'
    path.write_text(f"{good}\n{text}")
    with pytest.raises(ValueError, match=r"g\.pgn, game 2: ") as error:
        read_games(path)
    assert sentence in str(error.value)
    path.write_text(f"{good}\n{text}\n\n{good}")
    file = read_game_file(path, skip_bad=True)
    assert len(file.problems) == 1
    assert [record.number for record in file.records] == ([1] if "comment" in sentence else [1, 3])


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "g.pgn"
    path.write_text("\n\n")
    with pytest.raises(ValueError, match="holds no games"):
        read_games(path)
