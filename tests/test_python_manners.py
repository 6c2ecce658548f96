"""Wrong types fail where they are passed, in a sentence; names are accepted where players are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import outflank
from outflank import (
    Board,
    DoubledFunction,
    FunctionEvaluator,
    Game,
    GreedyPlayer,
    Match,
    NTupleNetwork,
    PieceCounter,
    RandomPlayer,
    SearchLimits,
    SearchPlayer,
    Square,
    StoredPlayer,
    Tournament,
    TournamentSettings,
    league_match,
    load_player,
    named_player,
    save_player,
    write_games,
)


def function(squares: Any) -> Any:
    return squares.sum(axis=1)


COUNTER = PieceCounter(np.ones(64))
WRONG: dict[str, tuple[Callable[[], object], str]] = {
    "function as evaluator": (lambda: GreedyPlayer(function), "wrap it: FunctionEvaluator"),  # type: ignore[arg-type]
    "number as function": (lambda: FunctionEvaluator(3), "has a function of an array"),  # type: ignore[arg-type]
    "name as evaluator": (lambda: GreedyPlayer("all-2"), "has an evaluator, got 'all-2'"),  # type: ignore[arg-type]
    "evaluator as player": (
        lambda: Match(COUNTER, "random", double_games=1), "make it one: GreedyPlayer"),  # type: ignore[arg-type]
    "class as player": (
        lambda: Match(RandomPlayer, "random", double_games=1), "a player has a name"),  # type: ignore[arg-type]
    "number as player": (lambda: league_match(3), "a player has a name"),  # type: ignore[arg-type]
    "None in a tournament": (
        lambda: Tournament(["all-2", None], TournamentSettings()), "a player has a name"),  # type: ignore[list-item]
    "text as games": (
        lambda: Match("all-2", "random", double_games="5"), "double_games must be a whole"),  # type: ignore[arg-type]
    "half a game": (
        lambda: Match("all-2", "random", double_games=1.5), "double_games must be a whole"),  # type: ignore[arg-type]
    "text as start": (
        lambda: Match("all-2", "random", double_games=1, starts=["f5"]), "starts must be boards"),  # type: ignore[list-item]
    "evaluator to search": (lambda: SearchPlayer(COUNTER), "has a GreedyPlayer to search"),  # type: ignore[arg-type]
    "depth as limits": (
        lambda: SearchPlayer(GreedyPlayer(COUNTER), 3), "limits are SearchLimits"),  # type: ignore[arg-type]
    "number as name": (lambda: named_player(3), "a player's name is a text such as 'all-2', got 3"),  # type: ignore[arg-type]
    "number as board": (lambda: Board(5), "a board is a text such as"),  # type: ignore[arg-type]
    "moves as transcript": (
        lambda: Game.from_transcript([37]), "a transcript is a text such as 'f5d6c3'"),  # type: ignore[arg-type]
    "evaluator to save": (
        lambda: save_player(COUNTER, "x.safetensors"), r"is saved is StoredPlayer\(evaluator, view\)"),  # type: ignore[arg-type]
    "number as transcript": (
        lambda: Board.from_transcript(5), "a transcript is a text such as 'f5d6c3'"),  # type: ignore[arg-type]
    "transcript as moves": (
        lambda: Game("f5d6"), r"of a text: Game.from_transcript\('f5d6'\)"),  # type: ignore[arg-type]
    "moves as games": (
        lambda: write_games("f5", "x.txt"), "games are a list of GameRecords, got 'f5'"),  # type: ignore[arg-type]
    "None as square": (lambda: Square(None), "a name such as 'f5', not None"),  # type: ignore[arg-type]
    "half a square": (lambda: Board().play(37.5), "a name such as 'f5', not 37.5"),  # type: ignore[arg-type]
    "half a ply": (lambda: SearchLimits(depth=2.5), "depth is a whole number, got 2.5"),  # type: ignore[arg-type]
    "shape as tables": (
        lambda: NTupleNetwork("all-2"), r"NTupleNetwork.of_shape\('all-2'\)"),  # type: ignore[arg-type]
    "number as tables": (lambda: NTupleNetwork(5), "tables are lists of placements.*got 5"),  # type: ignore[arg-type]
    "text as depth": (lambda: SearchLimits(depth="3"), "depth is a number, got '3'"),  # type: ignore[arg-type]
    "text as epsilon": (
        lambda: Match("all-2", "random", double_games=1, epsilon="x"), "epsilon must be a number"),  # type: ignore[arg-type]
    "half a thread": (
        lambda: Match("all-2", "random", double_games=1, threads=1.5), "threads must be a whole"),  # type: ignore[arg-type]
    "name as players": (
        lambda: Tournament("all-2", TournamentSettings()), "has a list of players, got the text"),
    "dictionary as tournament settings": (
        lambda: Tournament(["all-2", "random"], {}), r"settings are TournamentSettings\(...\), got {}"),  # type: ignore[arg-type]
    "dictionary as settings": (
        lambda: outflank.create_run(Path("never"), {}, 1), r"settings are TdSettings\(...\).*got {}"),  # type: ignore[arg-type]
    "transcript to choose on": (
        lambda: GreedyPlayer(COUNTER).choose("f5d6"), r"Board.from_transcript\('f5d6'\)"),  # type: ignore[arg-type]
    "None as position": (lambda: COUNTER(None), "a position is a Board, .*got None"),  # type: ignore[arg-type]
    "functions doubled": (
        lambda: DoubledFunction(FunctionEvaluator(function), COUNTER), "two core evaluators"),  # type: ignore[arg-type]
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_wrong_types(what: str) -> None:
    make, message = WRONG[what]
    with pytest.raises(TypeError, match=message):
        make()


def test_names_are_players() -> None:
    by_name = Match("all-2", "random", double_games=5, starts=Board()).play()
    assert by_name == Match(outflank.named_player("all-2"), RandomPlayer(), double_games=5).play()
    standings = Tournament(["all-2", "random"], TournamentSettings(double_games=5)).play()
    assert standings.rows[0].player == "all-2"
    with pytest.raises(ValueError, match="did you mean all-2"):
        Match("all2", "random", double_games=5)


def test_saved_players_say_which_version_wrote_them(tmp_path: Path) -> None:
    save_player(StoredPlayer(COUNTER, "inversion"), tmp_path / "a.safetensors")
    assert load_player(tmp_path / "a.safetensors").written_by == outflank.__version__


@pytest.mark.parametrize("file", ["a.safetensors", "a.player", "a.onnx"])
def test_functions_cannot_be_saved(tmp_path: Path, file: str) -> None:
    stored = StoredPlayer(FunctionEvaluator(function, "my function"), "inversion")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="my function is written in Python, and player files hold data"):
        save_player(stored, tmp_path / file)
    assert not (tmp_path / file).exists()
