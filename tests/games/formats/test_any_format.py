"""Files of games: every format there and back, replays against a slow twin, and every way to be broken."""

from __future__ import annotations

import bz2
import gzip
import json
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from outflank import Board, Game, GameRecord, Square, _core, read_games, write_games
from outflank.games.collection_statistics import ScoreKind, game_statistics
from outflank.games.formats import any_format as game_files
from outflank.games.formats.any_format import moves_matrix, read_game_file
from outflank.games.replay import PASS, replay_entries, replay_records
from tests.games.random_games import games, random_game, records, tournament_score

FEW = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def _written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@FEW
@given(st.lists(games(), min_size=1, max_size=5))
def test_transcripts_there_and_back(tmp_path: Path, played: list[Game]) -> None:
    write_games([GameRecord(game) for game in played], tmp_path / "g.txt")
    assert read_games(tmp_path / "g.txt") == [GameRecord(game) for game in played]


@FEW
@given(st.lists(records(any_start=True), min_size=1, max_size=5))
def test_json_lines_there_and_back(tmp_path: Path, written: list[GameRecord]) -> None:
    assert write_games(written, tmp_path / "g.jsonl") == ()
    assert read_games(tmp_path / "g.jsonl") == written


def test_json_lines_hold_every_field(tmp_path: Path) -> None:
    record = GameRecord(Game.from_transcript("f5d6"), "é", "名", "x", "1997.03.02", -3.5, "forfeit", 4, 24)
    write_games([record, GameRecord(Game())], tmp_path / "g.jsonl")
    assert read_games(tmp_path / "g.jsonl") == [record, GameRecord(Game())]


def _replay_slowly(entries: bytes) -> tuple[int, int, Board]:
    """Legal entries, unwritten passes, and the board after them."""
    board, passes = Board(), 0
    for at, entry in enumerate(entries):
        if entry == PASS:
            if board.has_moves:
                return at, passes, board
            board = board.pass_turn()
            continue
        settled = board.settled()
        if entry > 63 or entry not in settled.legal_moves:
            return at, passes, board
        passes |= (settled.mover != board.mover) << min(at, 63)
        board = settled.play(entry)
    return len(entries), passes, board


@FEW
@given(games(), st.data())
def test_replay_against_a_slow_twin(game: Game, data: st.DataObject) -> None:
    entries = bytearray(game.moves)
    for _ in range(data.draw(st.integers(0, 2))):
        entries.insert(data.draw(st.integers(0, len(entries))), data.draw(st.integers(0, 66)))
    legal, passes, board = _replay_slowly(bytes(entries))
    replays = replay_entries([bytes(entries)], [Board()])
    assert (replays.legal[0], replays.passes[0], replays.over[0]) == (legal, passes, board.is_over)
    assert (replays.black[0], replays.white[0]) == (board.black.bit_count(), board.white.bit_count())


def test_written_passes_are_the_rules_passes(tmp_path: Path) -> None:
    random = Random(3)
    with_passes = [
        game
        for game in (random_game(random) for _ in range(40))
        if replay_records([GameRecord(game)]).passes[0]
    ]
    assert len(with_passes) > 5
    for game in with_passes:
        words: list[str] = []
        for board, move in zip(game.boards, game.moves, strict=False):
            words += ([["--", "pa", "PASS", "ps"][len(words) % 4]] if not board.has_moves else []) + [
                str(move)
            ]
        text = " ".join(words)
        assert read_games(_written(tmp_path / "g.txt", text)) == [GameRecord(game)]
        assert read_games(_written(tmp_path / "g.txt", "".join(words) + " -- --")) == [GameRecord(game)]


def test_forms_of_transcripts(tmp_path: Path) -> None:
    lines = ["# mine", "", "f5d6c3", "F5 D6 C3", "\tf5,d6,c3 ", "1. f5 d6 2. c3", "1.f5 d6 3.c3: +12",
             "f5d6c3 38-26", "f5d6c3 -4", "f5 d6 c3 = +2.00", "% theirs"]  # fmt: skip
    found = read_games(_written(tmp_path / "games", "\r\n".join(lines)))
    assert {record.game for record in found} == {Game.from_transcript("f5d6c3")}
    assert [record.result for record in found] == [None, None, None, None, 12, 12, -4, 2]
    assert [record.number for record in found] == list(range(1, 9))


@pytest.mark.parametrize("order", ["le", "be"])
def test_text_of_windows(tmp_path: Path, order: str) -> None:
    content = "\ufeffF5D6C3\r\nf5f6\r\n".encode(f"utf-16-{order}")
    found = read_games(_written(tmp_path / "games.txt", content))
    assert [record.game.transcript for record in found] == ["f5d6c3", "f5f6"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("f5d6\nf5d6f5", "g.txt, line 2: move 3 (f5) is not legal for black"),
        ("# x\n\nf5f5", "g.txt, line 3: move 2 (f5) is not legal for white"),
        ("f5 -- d6", "line 1: move 2 is a pass, but white has a legal move"),
        ("f5d9", "line 1: move 2: 'd9' is not a square"),
        ("f5d", "line 1: move 2: 'd' is not a square"),
        ("hello", "line 1: move 1: 'hello' is not a square"),
        ("f5d6 12", "'12' after the moves is not a score"),
        ("f5d6: +99", "a score of 99 is outside -64..64"),
        ("f5d6 !", "'!' after the moves is not a score"),
        ("12", "line 1: move 1: '12' is not a square"),
        ("f5d6" * 100, "line 1: there are more than 128 moves, and a game has at most 60"),
        ("# nothing\n", "g.txt holds no games"),
        ("", "g.txt is empty"),
        (b"f5d6\xff\xfe", "g.txt, byte 4: this is neither text nor another format of games"),
        ('{"moves": "f5d6f5"}', "g.txt, line 1: move 3 (f5) is not legal for black"),
        ('{"moves": "f5"}\n{"black": "x"}', "g.txt, line 2: moves: Field required"),
        ('{"moves": "f5", "result": 99}', "line 1: result: Input should be less than or equal to 64"),
        ('{"moves": "f5", "start": "x"}', "line 1: a board has 64 characters"),
        ('{"moves": "f5 +3"}', "line 1: '+3' is not a move"),
        ('{"moves": "f5"', "line 1: Invalid JSON"),
        ("{}\n", "line 1: moves: Field required"),
    ],
)  # fmt: skip
def test_broken_texts(tmp_path: Path, content: str | bytes, sentence: str) -> None:
    path = _written(tmp_path / "g.txt", content)
    with pytest.raises(ValueError, match=r"g\.txt") as error:
        read_games(path)
    assert sentence in str(error.value)


def test_skipping_bad_games(tmp_path: Path) -> None:
    file = read_game_file(_written(tmp_path / "g.txt", "f5\nf5f5\nd3\nzz"), skip_bad=True)
    assert [(record.game.transcript, record.number) for record in file.records] == [("f5", 1), ("d3", 3)]
    assert [str(problem)[:14] for problem in file.problems] == ["line 2: move 2", "line 4: move 1"]


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress])
def test_compressed_files(tmp_path: Path, compress: object, monkeypatch: pytest.MonkeyPatch) -> None:
    squeezed: bytes = compress(b"f5d6\n" * 3000)  # type: ignore[operator]
    assert len(read_games(_written(tmp_path / "g.txt.z", squeezed))) == 3000
    for damaged in (squeezed[:-9], squeezed[:12], squeezed[:20] + b"?" + squeezed[21:]):
        with pytest.raises(ValueError, match=r"g\.txt\.z cannot be decompressed"):
            read_games(_written(tmp_path / "g.txt.z", damaged))
    monkeypatch.setattr(game_files, "LARGEST_FILE", 14_999)
    with pytest.raises(ValueError, match="holds more than"):
        read_games(_written(tmp_path / "g.txt.z", squeezed))


def test_what_is_no_game_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is a folder"):
        read_games(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_games(tmp_path / "none.wtb")
    with pytest.raises(ValueError, match="holds the names of a WTHOR database"):
        read_games(_written(tmp_path / "WTHOR.JOU", b"\x14" * 36))


@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.sampled_from(["wtb", "ggf", "txt", "jsonl", "xyz", "gz"]),
    st.one_of(
        st.binary(max_size=200),
        st.text('(;)[]BWPAGMOTYREf5d6 8+-*O\n{}":,.1', max_size=80).map(str.encode),
        st.binary(max_size=68).map(
            lambda tail: bytes([20, 6, 7, 12, 1, 0, 0, 0, 0, 0, 193, 7, 8, 0, 24, 0]) + tail.ljust(68, b"8")
        ),
    ),
)
def test_any_bytes_are_games_or_a_clear_error(tmp_path: Path, suffix: str, content: bytes) -> None:
    path = _written(tmp_path / f"any.{suffix}", content)
    for skip_bad in (False, True):
        try:
            file = read_game_file(path, skip_bad=skip_bad)
            replays = replay_records(file.records)
            assert replays.legal.tolist() == [len(record.game.moves) for record in file.records]
        except ValueError as error:
            assert str(path) in str(error)
            assert "\n" not in str(error)


def test_records_of_matches(tmp_path: Path) -> None:
    lines = [
        {"game": 0, "black": "a", "start": Board().text, "moves": "f5d6", "disc_differences": [0, 3, 0]},
        {"game": 1, "black": "b", "start": Board().text, "moves": "f5", "disc_differences": [0, 3],
         "forfeit": {"player": "b", "reason": "it hung"}},
        {"game": 2, "black": "a", "start": Board().text, "moves": "f5", "disc_differences": [0, 3],
         "forfeit": {"player": "b", "reason": "it hung"}},
    ]  # fmt: skip
    found = read_games(_written(tmp_path / "g.jsonl", "\n".join(map(json.dumps, lines))))
    assert [(record.black, record.result, record.ending) for record in found] == [
        ("a", 0, ""), ("b", -64, "forfeit"), ("a", 64, "forfeit")]  # fmt: skip


def test_moves_as_a_matrix() -> None:
    played = [Game.from_transcript("f5d6c3"), Game(), random_game(Random(1))]
    matrix = moves_matrix([GameRecord(game) for game in played])
    assert matrix.shape == (3, 60)
    assert matrix.dtype == np.uint8
    for row, game in zip(matrix, played, strict=True):
        assert row.tolist() == [*map(int, game.moves)] + [_core.NO_MOVE] * (60 - len(game.moves))
    assert moves_matrix([]).shape == (0, 60)


def test_what_cannot_be_written(tmp_path: Path) -> None:
    def refuses(game: Game, name: str, sentence: str) -> None:
        with pytest.raises(ValueError, match=sentence):
            write_games([GameRecord(Game.from_transcript("f5")), GameRecord(game)], tmp_path / name)
        assert list(tmp_path.iterdir()) == []

    elsewhere = Game((), Board().play("f5"))
    refuses(elsewhere, "g.txt", "game 2 has its own start position")
    refuses(elsewhere, "g.wtb", "game 2 has its own start position")
    refuses(Game(), "g.txt", "game 2 has no moves")
    refuses(Game(), "g.pgn", "games are written as .wtb")
    for name in ("g.jsonl", "g.ggf", "g.wtb", "g.txt"):
        refuses(Game((Square("f5"), Square("f5"))), name, "game 2 cannot be written: move 2 is not legal")


@FEW
@given(st.lists(games(), min_size=1, max_size=12))
def test_openings_are_counted_up_to_symmetry(played: list[Game]) -> None:
    long_enough = [game for game in played if len(game.moves) >= 3]
    slow = Counter(min(board.text for board in game.boards[3].symmetries) for game in long_enough)
    found = game_statistics([GameRecord(game) for game in played], opening_moves=3)
    fast: Counter[str] = Counter()
    for opening in found.openings:
        assert opening.moves.startswith("f5")
        fast[min(board.text for board in Board.from_transcript(opening.moves).symmetries)] += opening.games
    assert fast == slow


def test_kinds_of_scores() -> None:
    full = next(g for g in (random_game(Random(i)) for i in range(99)) if g.final.discs == 64)
    short = next(g for g in (random_game(Random(i)) for i in range(999)) if g.final.discs < 64)
    cut = Game(full.moves[:30])
    found = game_statistics(
        [
            GameRecord(full, result=full.final.disc_difference),
            GameRecord(short, result=tournament_score(short)),
            GameRecord(full, result=full.final.disc_difference + 2),
            GameRecord(cut, result=cut.final.disc_difference),
            GameRecord(cut, result=64),
            GameRecord(cut),
        ]
    )
    assert found.kinds == dict.fromkeys(ScoreKind, 1)
    assert [each.kind for each in found.exceptions] == [
        ScoreKind.differs, ScoreKind.unfinished_as_it_stood, ScoreKind.unfinished_differs]  # fmt: skip
    assert (found.complete, found.unfinished, found.shortest) == (3, 3, 30)
    assert found.black_wins + found.draws + found.white_wins == 5  # the last one is open


@pytest.mark.parametrize(
    ("date", "year"), [("1997", 1997), ("1997.03.02_10:00:00.MST", 1997), ("2000-4-16 11:13 EST", 2000),
                       ("945277754", 1999), ("", None), ("spring", None), ("19970302", None)]
)  # fmt: skip
def test_years(date: str, year: int | None) -> None:
    assert GameRecord(Game(), date=date).year == year
