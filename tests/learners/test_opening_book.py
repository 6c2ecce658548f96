"""Learning books: slow twins of propagation and of deviations, symmetry, determinism, interruption."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from outflank import Board, Game, OpeningBook, _core, named_player
from outflank.board import Square, symmetric_square
from outflank.games.formats.any_format import GameRecord, read_games
from outflank.learners.opening_book import BookLearner, Judgement, PlayerJudge
from outflank.players.search import SearchPlayer

# Mover and opponent: value and deviation (hundredths of a disc), the deviation's square, games.
Entries = dict[tuple[int, int], tuple[int, int, int, int]]


class CountingJudge:
    """Values that any fixed function of the board gives, in hundredths; interrupts itself if asked to."""

    name = "all-2"  # what its books say of it: a player that can go on with them

    def __init__(self, interrupt_after: int | None = None) -> None:
        self.calls = 0
        self.interrupt_after = interrupt_after

    def judge_moves(self, boards: Sequence[Board]) -> list[Judgement]:
        self.calls += 1
        if self.calls == self.interrupt_after:
            raise KeyboardInterrupt
        return [[(move, made_up(board, move)) for move in board.legal_moves] for board in boards]


def made_up(board: Board, move: Square) -> float:
    """The same for all images and both colours of a move."""
    after = board.play(move)
    mover, opponent = canonical(after)
    return ((mover * 31 + opponent * 17) % 2003 - 1001) / 100


def canonical(board: Board) -> tuple[int, int]:
    return min((image.mover_discs, image.opponent_discs) for image in board.symmetries)


def learner(plies: int = 10, judge: CountingJudge | None = None, variety: float = 3.0) -> BookLearner:
    return BookLearner(_core.GrowingBook(plies), judge or CountingJudge(), seed=5, variety=variety)


def extended(book: BookLearner, games: int) -> BookLearner:
    for _ in book.extend(games):
        pass
    return book


def entries(book: BookLearner) -> Entries:
    columns = (column.tolist() for column in book.core.entries())
    return {(mover, opponent): tuple(rest) for mover, opponent, *rest in zip(*columns, strict=True)}


def slow_value(board: Board, book: Entries, known: dict[Board, int]) -> int:
    """Recursive negamax in hundredths of a disc: results of games, deviations, and books' moves."""
    if board not in known:
        known[board] = _slow_value(board, book, known)
    return known[board]


def _slow_value(board: Board, book: Entries, known: dict[Board, int]) -> int:
    if not board.has_moves:
        return 100 * (board.mover_discs.bit_count() - board.opponent_discs.bit_count())
    _, deviation, deviation_value, _ = book[canonical(board)]
    values = [deviation_value] if deviation < 64 else []
    for move in board.legal_moves:
        after = board.play(move)
        settled = after.settled()
        if canonical(settled) in book:
            value = slow_value(settled, book, known)
            values.append(-value if settled.mover == after.mover else value)
    return max(values)


@pytest.mark.parametrize(("plies", "games"), [(5, 40), (12, 150), (60, 8)])
def test_propagation_equals_slow_negamax(plies: int, games: int) -> None:
    book = entries(extended(learner(plies), games))
    assert len(book) > 50
    known: dict[Board, int] = {}
    for (mover, opponent), (value, *_) in book.items():
        assert value == slow_value(Board.from_discs(mover, opponent), book, known)


def test_every_position_has_its_best_deviation() -> None:
    book = entries(extended(learner(), 200))
    kinds = Counter[str]()
    for (mover, opponent), (_, deviation, deviation_value, _) in book.items():
        board = Board.from_discs(mover, opponent)
        out = [move for move in board.legal_moves if canonical(board.play(move).settled()) not in book]
        if out:
            assert deviation in out
            best = max(made_up(board, move) for move in out)
            assert made_up(board, Square(deviation)) == best == deviation_value / 100
        else:
            assert deviation == 64
        kinds["out" if out else "all in"] += 1
    assert min(kinds["out"], kinds["all in"]) > 3


def test_without_variety_each_game_plays_the_best_deviation() -> None:
    book = extended(learner(variety=0), 1)
    for _ in range(30):
        board, deviation = Board(), None
        while deviation is None and board.discs < 14:
            square, _, is_deviation, _ = book.core.moves(board.mover_discs, board.opponent_discs)[0]
            board = board.play(square).settled()
            deviation = board if is_deviation else None
        if deviation is None:
            return
        before = len(book.core)
        extended(book, 1)
        assert book.core.find(deviation.mover_discs, deviation.opponent_discs) is not None
        assert len(book.core) > before


def test_a_finished_game_counts_by_its_discs() -> None:
    # The shortest game there is: Black wins 13-0 after nine moves.
    record = GameRecord(Game.from_transcript("e6f4e3f6g5d6e7f5c5"))
    assert record.game.final.is_over
    book = learner(20)
    assert book.add_games([record]) == 10
    list(book.judge_waiting())
    final = record.game.final
    assert final.disc_difference == 13
    assert book.core.find(final.mover_discs, final.opponent_discs) == (-13.0, 1)
    before = record.game.boards[-2]
    moves = book.core.moves(before.mover_discs, before.opponent_discs)
    assert (int(record.game.moves[-1]), 13.0, False, 1) in moves


def test_symmetric_games_fall_on_one_entry() -> None:
    game = Game.from_transcript("f5d6c3d3c4f4f6f3e6e7")
    symmetric = [
        GameRecord(
            Game(tuple(symmetric_square(move, image) for move in game.moves), game.start.symmetric(image))
        )
        for image in range(8)
    ]
    book = learner()
    assert book.add_games(symmetric) == 11
    assert {games for *_, games in entries(book).values()} == {8}


def test_imported_positions_are_counted_as_they_occur(shared: Path) -> None:
    records = read_games(shared / "wthor" / "WTH_1985.wtb")[:150]
    expected = Counter(
        canonical(board.settled()) for record in records for board in record.game.boards if board.discs <= 14
    )
    book = learner()
    assert book.add_games(records) == len(expected)
    assert {position: games for position, (*_, games) in entries(book).items()} == expected
    often = learner()
    often.add_games(records, min_games=3)
    assert set(entries(often)) == {position for position, games in expected.items() if games >= 3}
    # What is known already stays, and is counted on.
    list(often.judge_waiting())
    known = len(often.core)
    assert often.add_games(records[:1], min_games=3) == 0
    assert len(often.core) == known
    assert often.core.games == 151


def test_the_same_seed_gives_the_same_book() -> None:
    first, second = (extended(learner(), 120).core.bytes("") for _ in range(2))
    assert first == second
    other = BookLearner(_core.GrowingBook(10), CountingJudge(), seed=6, variety=3.0)
    assert extended(other, 120).core.bytes("") != first


@pytest.mark.parametrize("interrupt_after", [1, 2, 5, 23, 40, 91, 150])
def test_interrupted_books_end_as_if_they_never_had_been(tmp_path: Path, interrupt_after: int) -> None:
    whole, path = extended(learner(), 150), tmp_path / "interrupted.book"
    book = learner(judge=CountingJudge(interrupt_after))
    with pytest.raises(KeyboardInterrupt):
        extended(book, 150)
    book.save(path)
    done = OpeningBook.open(path).games
    assert done < 150
    resumed = BookLearner(_core.GrowingBook.of(OpeningBook.open(path).core), CountingJudge(), 5, 3.0)
    assert extended(resumed, 150 - done).core.bytes("") == whole.core.bytes("")


def test_interrupted_imports_are_judged_later(tmp_path: Path, shared: Path) -> None:
    records = read_games(shared / "wthor" / "WTH_1985.wtb")
    whole = learner()
    whole.add_games(records)
    list(whole.judge_waiting())
    book = learner(judge=CountingJudge(interrupt_after=3))
    book.add_games(records)
    with pytest.raises(KeyboardInterrupt):
        list(book.judge_waiting())
    book.save(tmp_path / "i.book")
    half = OpeningBook.open(tmp_path / "i.book")
    assert 0 < half.statistics.not_judged < len(half)
    assert Board() in half  # those with the fewest discs come first, so what is there can be used
    for board in (Board(), Board().play("f5")):
        assert {move.square for move in half.moves(board)} <= set(board.legal_moves)
    resumed = BookLearner(_core.GrowingBook.of(half.core), CountingJudge())
    list(resumed.judge_waiting())
    assert resumed.core.bytes("") == whole.core.bytes("")


def test_a_complete_book_stops() -> None:
    book = extended(learner(plies=3, variety=50), 5000)
    positions = {canonical(Board())}
    level = [Board()]
    for _ in range(3):
        level = [board.play(move).settled() for board in level for move in board.legal_moves]
        positions |= {canonical(board) for board in level}
    assert set(entries(book)) == positions
    assert book.core.games < 5000


def test_load_goes_on_with_what_the_file_says(tmp_path: Path) -> None:
    path = tmp_path / "b.book"
    begun = BookLearner.new(plies=7, judge="all-2,view=negation", seed=9, variety=0.25)
    extended(begun, 20).save(path)
    loaded = BookLearner.load(path)
    assert (loaded.seed, loaded.variety, loaded.core.plies) == (9, 0.25, 7)
    assert loaded.judge.name == "all-2,view=negation"
    assert BookLearner.load(path, "td-all-rounder").judge.name == "td-all-rounder"
    extended(begun, 30)
    assert extended(loaded, 30).core.bytes("") == begun.core.bytes("")
    path.write_bytes(begun.core.bytes("no JSON"))
    with pytest.raises(ValueError, match="does not name the judge"):
        BookLearner.load(path)


class Unreliable(CountingJudge):
    def __init__(self, value: float, moves: int) -> None:
        super().__init__()
        self.value, self.moves = value, moves

    def judge_moves(self, boards: Sequence[Board]) -> list[Judgement]:
        return [[(move, self.value) for move in board.legal_moves[: self.moves]] for board in boards]


@pytest.mark.parametrize(("value", "moves"), [(float("nan"), 64), (float("inf"), 64), (1.0, 1)])
def test_judges_that_fail_are_named(value: float, moves: int) -> None:
    with pytest.raises(ValueError, match="all-2 does not give every legal move of Board"):
        extended(learner(judge=Unreliable(value, moves)), 10)


def test_values_beyond_the_board_are_held_to_it() -> None:
    book = extended(learner(judge=Unreliable(1e9, 64)), 3)
    assert {abs(value) for value, *_ in entries(book).values()} == {6400}


def test_bad_settings() -> None:
    for arguments, sentence in (
        ({"plies": 0}, "1 to 60 plies deep, got 0"),
        ({"plies": 61}, "1 to 60 plies deep, got 61"),
        ({"variety": -1.0}, "variety is a number of discs"),
        ({"variety": float("nan")}, "variety is a number of discs"),
        ({"seed": -1}, "a seed is a whole number"),
        ({"judge": "random"}, "random does not value moves"),
        ({"judge": "al-2"}, "did you mean all-2"),
        ({"judge": "td-all-rounder,nodes=1000"}, "searches to a fixed depth"),
        ({"judge": "random,solve=4"}, "random,solve=4 does not value moves"),
    ):
        with pytest.raises(ValueError, match=sentence):
            BookLearner.new(**arguments)
    with pytest.raises(ValueError, match="at least one game"):
        extended(learner(), 0)


def test_players_judge_in_discs() -> None:
    for name, plain in (("td-all-rounder", "td-all-rounder,depth=1"), ("td-all-rounder,depth=3",) * 2):
        judge, player = PlayerJudge.named(name), named_player(plain)
        assert isinstance(player, SearchPlayer)
        boards = [Board(), Board.from_transcript("f5d6c3d3c4f4")]
        for board, judged in zip(boards, judge.judge_moves(boards), strict=True):
            assert judged == [(move, player.in_discs(value, board)) for move, value in player.judge(board)]
            assert all(abs(value) < 64 for _, value in judged)
        assert judge.notes == ()
    assert "taken as discs" in PlayerJudge.named("all-2").notes[0]
