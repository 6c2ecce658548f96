"""Our players as NBoard engines: a golden conversation, and values that mean what the protocol says."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outflank import Analysis, Board, Game, RandomPlayer, Square, named_player
from outflank.interfaces.engines.nboard import NBoardEngine
from outflank.players.analysis import AnalyzedMove, analyze
from outflank.players.engines.nboard import game_as_ggf
from tests.interfaces.engines.test_gtp import COMMAND, WHITE_PASSES, golden


def ask(engine: NBoardEngine, line: str) -> list[str]:
    return "".join(engine.answers(line + "\n")).splitlines()


def test_golden_conversation() -> None:
    said, answers = golden("nboard-conversation.txt")
    result = subprocess.run(
        [*COMMAND, "all-2", "--protocol", "nboard"], input=said, capture_output=True, text=True, timeout=60
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert re.sub(r"(=== [^/]*/[^/]*/)\d+\.\d+", r"\g<1>0.00", result.stdout) == answers


class DiscCounter:
    """Takes the most discs; says so by `analyze`, as players that search do: exact of the last move."""

    name = "disc counter"

    def choose(self, board: Board) -> Square:
        return self.analyze(board).best

    def analyze(self, board: Board, all_moves: bool = False) -> Analysis:
        sign = 1 if board.mover == "black" else -1
        values = {move: sign * board.play(move).disc_difference for move in board.legal_moves}
        ranked = sorted(values, key=lambda move: -values[move])[: None if all_moves else 1]
        moves = tuple(AnalyzedMove(move, values[move], True, (move, Square("a1"))) for move in ranked)
        return Analysis(moves, depth=1, nodes=7, seconds=0.0, is_in_discs=True)


def test_players_that_analyze_give_variations_nodes_and_exact_values() -> None:
    engine = NBoardEngine(DiscCounter())
    ask(engine, f"set game {game_as_ggf(Board(), [Square('f5')])}")  # after it White takes one disc: 3-3
    search, nodes, move = ask(engine, "go")[1:4]
    assert re.fullmatch(r"search [A-H][1-8]-A1 0\.00 0 100%", search)
    assert re.fullmatch(r"nodestats 7 \d+\.\d\d", nodes)
    assert re.fullmatch(r"=== [A-H][1-8]/0\.00/\d+\.\d\d", move)
    hints = [line.split() for line in ask(engine, "hint 10") if line.startswith("search")]
    assert {hint[1][:2] for hint in hints} == {"F6", "D6", "F4"}
    values = [float(hint[2]) for hint in hints]
    assert values == sorted(values, reverse=True)


def test_values_are_for_the_player_to_move(random_boards: list[Board]) -> None:
    def answer_on(board: Board) -> str:
        engine = NBoardEngine(DiscCounter())
        ask(engine, f"set game {game_as_ggf(board, []).replace('W[PA]', '').replace('B[PA]', '')}")
        return next(line for line in ask(engine, "go") if line.startswith("==="))

    assert answer_on(Board(WHITE_PASSES)).startswith("=== PA/-64.00/")
    over = next(board for board in random_boards if board.is_over and board.disc_difference)
    for board in (over, Board.from_discs(over.black, over.white, "white")):
        sign = 1 if board.mover == "black" else -1
        assert answer_on(board).startswith(f"=== PA/{sign * over.disc_difference:.2f}/")


def test_retrograde_analysis_counts_passes_and_goes_back_to_the_start() -> None:
    engine = NBoardEngine(DiscCounter())
    ask(engine, f"set game (;GM[Othello]PB[]PW[]TY[8]BO[8 {WHITE_PASSES.replace('X', '*')}]W[PA]B[H8];)")
    lines = [line for line in ask(engine, "analyze") if line.startswith("analysis")]
    assert lines == ["analysis 2 -64.00", "analysis 1 64.00", "analysis 0 -64.00"]


def test_moves_are_told_by_both_versions_of_the_protocol() -> None:
    for word in ("", "move "):
        engine = NBoardEngine(DiscCounter())
        for told in ("F5", "d6/1.5/3.2", "c3//1"):
            assert ask(engine, word + told) == []
        answer = ask(engine, "go")[-2]
        assert Square(answer.split()[1][:2]) in Game.from_transcript("f5d6c3").final.legal_moves


def test_a_player_without_values_still_moves() -> None:
    engine = NBoardEngine(RandomPlayer())
    assert re.fullmatch(r"=== [A-H][1-8]//\d+\.\d\d", ask(engine, "go")[1])
    assert [line for line in ask(engine, "analyze") if line.startswith("analysis")] == []
    assert ask(engine, "hint 4")[1].startswith("search ")


def test_the_answer_to_go_begins_before_the_thinking_is_over() -> None:
    class Endless(DiscCounter):
        def analyze(self, board: Board, all_moves: bool = False) -> Analysis:  # noqa: ARG002
            raise ValueError(f"thinks about {board.discs} discs")

    answers = NBoardEngine(Endless()).answers("go\n")
    assert next(answers) == "status thinking\n"
    assert next(answers) == "status outflank: thinks about 4 discs\n"


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.text(max_size=40)
        | st.sampled_from(["go", "hint 3", "move f5", "D6", "analyze", "learn", "set depth 3"])
        | st.text(max_size=30).map(lambda text: f"set game (;GM[Othello]BO[8 {text}]B[F5];)")
    )
)
def test_any_lines_are_borne(lines: list[str]) -> None:
    engine = NBoardEngine(DiscCounter())
    for line in lines:
        for answer in engine.answers(line):
            assert re.match(r"(status|search|nodestats|===|set myname|analysis|learned|pong)\b|===", answer)
            assert answer.endswith("\n")
            assert answer.count("\n") == 1
    if not engine.finished:
        assert ask(engine, "ping 9") == ["pong 9"]


def test_one_engine_speaks_for_another() -> None:
    """A GTP engine in an NBoard program: `outflank engine gtp:... --protocol nboard`."""
    inner = f"gtp:{sys.executable} -c 'from outflank.interfaces.cli import main; main()' engine all-2"
    said, answers = golden("nboard-conversation.txt")
    result = subprocess.run(
        [*COMMAND, inner, "--protocol", "nboard"], input=said, capture_output=True, text=True, timeout=60
    )
    moves = [line.split("/")[0] for line in result.stdout.splitlines() if line.startswith("===")]
    assert moves == [line.split("/")[0] for line in answers.splitlines() if line.startswith("===")]


def test_one_ply_players_have_values() -> None:
    board = Game.from_transcript("f5d6c3d3c4").final
    judged = dict(named_player("all-2").judge(board))  # type: ignore[union-attr]
    assert analyze(named_player("all-2"), board).value_for_mover == pytest.approx(max(judged.values()))
    every = analyze(named_player("all-2"), board, all_moves=True)
    assert {move.square: move.value_for_mover for move in every.moves} == pytest.approx(judged)


def test_depth_limits_a_search_and_hints_come_from_one_search() -> None:
    engine = NBoardEngine(named_player("td-all-rounder,nodes=1e9"))
    ask(engine, "set depth 3")
    searches = [line for line in ask(engine, "hint 4") if line.startswith("search")]
    assert len(searches) == 4
    assert all(line.split()[-1].strip() == "3" for line in searches)


def test_a_book_move_needs_no_search() -> None:
    engine = NBoardEngine(named_player("td-all-rounder,nodes=1e12,book=default"))
    (answer,) = [line for line in ask(engine, "go") if line.startswith("===")]
    assert Square(answer.split()[1].split("/")[0].lower()) in Board().legal_moves
