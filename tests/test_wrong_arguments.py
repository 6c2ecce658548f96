"""Every public callable with every argument wrong: a sentence where it is passed, or it works; nothing else.

An obscure error deep inside (AttributeError, a message of NumPy or of the core's bindings) fails here.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy import uint64

from outflank import (
    Board,
    CmaEs,
    DoubledFunction,
    EvolutionSettings,
    EvolutionStrategy,
    FunctionEvaluator,
    Game,
    GameRecord,
    Games,
    GeneticSearch,
    GreedyPlayer,
    LeagueScore,
    Match,
    Mlp,
    NTupleNetwork,
    OpeningBook,
    Opponents,
    PieceCounter,
    PlayingStyle,
    Population,
    RandomPlayer,
    SearchLimits,
    SearchPlayer,
    SearchTuning,
    SelfAdaptiveEvolution,
    Solver,
    SpatialMlp,
    Square,
    Standings,
    StoredPlayer,
    Tally,
    TdSettings,
    ThreadExecutor,
    Tournament,
    TournamentSettings,
    bradley_terry,
    create_run,
    league_match,
    load_player,
    named_player,
    open_run,
    read_games,
    read_start_positions,
    save_player,
    write_games,
)

COUNTER = PieceCounter(np.arange(64.0))
GREEDY, RANDOM, BOARD = GreedyPlayer(COUNTER), RandomPlayer(), Board()
SEARCH = SearchPlayer(GREEDY, SearchLimits(depth=1))
NETWORK = NTupleNetwork.of_shape("all-1")
GAME = Game.from_transcript("f5d6c3")
RECORD = GameRecord(GAME)
BLACK, WHITE = np.array([BOARD.black], dtype=uint64), np.array([BOARD.white], dtype=uint64)
WRONG: tuple[Any, ...] = (
    None, 3, -1, 2.5, float("nan"), True, "x", "", "all-2", b"x", [], [1], ["all-2"], (1, 2), {}, {"a": 1},
    object(), lambda *_: 0, Board, BOARD, COUNTER, GREEDY, RANDOM, GAME, RECORD, NETWORK, Square("f5"),
    SearchLimits(depth=1), Path("nope"), np.zeros(3), np.zeros((2, 2), dtype=object), np.array("x"),
    np.zeros(64, dtype=np.complex128), np.array(["a"] * 64), np.zeros((64, 64)), np.full(64, np.nan),
)  # fmt: skip
# What Python, NumPy and the bindings say when a wrong value has come too far.
OBSCURE = re.compile(
    r"\n|incompatible function|unsupported operand|has no len|not subscriptable|not iterable|not callable"
    r"|not supported between|unpack|unhashable|cannot be interpreted|ambiguous|could not convert|must be real"
    r"|ufunc|broadcast|inhomogeneous|has no attribute|out of bounds|Cannot cast|cannot convert|os.PathLike"
)


def _population(**changes: Any) -> Population:
    given: dict[str, Any] = {
        "evaluator": NETWORK, "weights": np.zeros((2, NETWORK.weights.size)), "style": PlayingStyle(),
        "opponents": Opponents.named(["random"]), "epsilon": 0.1, "seed": 0,
    }  # fmt: skip
    return Population(**given | changes)


def _told(search: Any, fitness: Any) -> None:
    search.ask()
    search.tell(fitness)


def _cma() -> CmaEs:
    return CmaEs(np.zeros(5), population=6, sigma=1.0, seed=1)


MATCH = {"double_games": 1, "epsilon": 0.1, "starts": [BOARD], "seed": 1, "threads": 1, "workers": None}
TOURNAMENT = {"double_games": 1, "epsilon": 0.1, "seed": 1, "starts": (BOARD,)}
STRATEGY: dict[str, Any] = {"parents": 1, "offspring": 3, "sigma": 1.0, "plus": True, "seed": 1}
# What is called, with right arguments, of which one after the other becomes wrong.
CALLS: dict[str, tuple[Callable[..., object], list[Any], dict[str, Any]]] = {
    "Board": (Board, [BOARD.text], {}),
    "Board.from_transcript": (Board.from_transcript, ["f5d6"], {}),
    "Board.from_discs": (Board.from_discs, [BOARD.black, BOARD.white, "black"], {}),
    "Board.play": (BOARD.play, ["f5"], {}),
    "Square": (Square, ["f5"], {}),
    "PieceCounter": (PieceCounter, [np.zeros(64)], {}),
    "PieceCounter.with_weights": (COUNTER.with_weights, [np.zeros(64)], {}),
    "PieceCounter.values": (COUNTER.values, [BLACK, WHITE], {}),
    "PieceCounter()": (COUNTER, [BOARD], {}),
    "NTupleNetwork": (NTupleNetwork, [[[[0, 1]]], np.zeros(9)], {}),
    "NTupleNetwork.of_shape": (NTupleNetwork.of_shape, ["all-2"], {"stages": 2}),
    "NTupleNetwork.values": (NETWORK.values, [BLACK, WHITE], {}),
    "Mlp": (Mlp, [None], {"hidden": 4}),
    "SpatialMlp": (SpatialMlp, [None], {}),
    "DoubledFunction": (DoubledFunction, [COUNTER, COUNTER], {}),
    "FunctionEvaluator": (FunctionEvaluator, [lambda squares: squares.sum(axis=1), "sum"], {}),
    "GreedyPlayer": (GreedyPlayer, [COUNTER, "inversion", "name"], {}),
    "GreedyPlayer.judge": (GREEDY.judge, [BOARD], {}),
    "GreedyPlayer.choose": (GREEDY.choose, [BOARD], {}),
    "GreedyPlayer.analyze": (GREEDY.analyze, [BOARD], {}),
    "GreedyPlayer.values_for_mover": (GREEDY.values_for_mover, [BLACK, WHITE, np.array([True])], {}),
    "RandomPlayer": (RandomPlayer, ["name"], {}),
    "RandomPlayer.choose": (RANDOM.choose, [BOARD], {}),
    "SearchLimits": (SearchLimits, [3, 100, 1.0], {}),
    "SearchPlayer": (
        SearchPlayer, [GREEDY, SearchLimits(depth=1)],
        {"solve": 4, "threads": 1, "name": "n", "book_best": 1, "book": None, "tuning": None},
    ),
    "SearchPlayer.choose": (SEARCH.choose, [BOARD], {}),
    "SearchPlayer.analyze": (SEARCH.analyze, [BOARD], {}),
    "SearchPlayer.judge": (SEARCH.judge, [BOARD], {}),
    "Solver": (Solver, [], {}),
    "named_player": (named_player, ["all-2"], {}),
    "load_player": (load_player, ["a.safetensors"], {}),
    "save_player": (save_player, [StoredPlayer(COUNTER, "inversion"), "b.safetensors"], {}),
    "StoredPlayer": (StoredPlayer, [COUNTER, "inversion"], {}),
    "Match": (Match, [GREEDY, RANDOM], MATCH),
    "Match.play": (lambda *two, **rest: Match(*two, **rest).play(), [GREEDY, RANDOM], MATCH),
    "league_match": (lambda player, **rest: league_match(player, **rest).play(), ["all-2"],
                     {"double_games": 1, "seed": 1}),
    "Tournament": (Tournament, [["all-2", "random"], TournamentSettings(double_games=1)], {}),
    "TournamentSettings": (TournamentSettings, [], TOURNAMENT),
    "Tournament.play": (
        lambda players, **rest: Tournament(players, TournamentSettings(**rest)).play(),
        [["all-2", "random"]], TOURNAMENT,
    ),
    "bradley_terry": (bradley_terry, [["a", "b"], {("a", "b"): Tally(1, 0, 1, (0, 0, 1, 0, 0))}], {}),
    "Standings.of": (Standings.of, [[]], {}),
    "Tally": (lambda other: Tally().__add__(other), [Tally()], {}),
    "read_games": (read_games, ["g.txt"], {}),
    "write_games": (write_games, [[RECORD], "o.txt"], {}),
    "read_start_positions": (read_start_positions, ["starts.txt"], {}),
    "Game": (lambda moves, start: Game(moves, start).boards, [(Square("f5"),), BOARD], {}),
    "Game.from_transcript": (Game.from_transcript, ["f5", BOARD], {}),
    "GameRecord": (GameRecord, [GAME], {}),
    "ThreadExecutor": (ThreadExecutor, [1], {}),
    "LeagueScore": (LeagueScore, [(RANDOM,), 2, 2, 2], {}),
    "PlayingStyle": (PlayingStyle, [], {"view": "inversion", "depth": 1, "solve": 0, "book": ""}),
    "Population": (_population, [], {
        "evaluator": NETWORK, "weights": np.zeros((2, NETWORK.weights.size)), "style": PlayingStyle(),
        "opponents": Opponents.named(["random"]), "epsilon": 0.1, "seed": 0}),
    "Opponents.named": (Opponents.named, [["random"]], {}),
    "Games": (Games, [ThreadExecutor(1), _population()], {}),
    "CmaEs": (CmaEs, [np.zeros(5)], {"population": 6, "sigma": 1.0, "seed": 1}),
    "CmaEs.tell": (lambda fitness: _told(_cma(), fitness), [np.zeros(6)], {}),
    "CmaEs.restore": (lambda state: _cma().restore(state), [_cma().state()], {}),
    "EvolutionStrategy": (EvolutionStrategy, [np.zeros((4, 5))], STRATEGY),
    "EvolutionStrategy.tell": (
        lambda fitness: _told(EvolutionStrategy(np.zeros((4, 5)), **STRATEGY), fitness), [np.zeros(4)], {}),
    "SelfAdaptiveEvolution": (
        SelfAdaptiveEvolution, [np.zeros((2, 5))], {"parents": 2, "offspring": 2, "sigma": 0.1, "seed": 1}),
    "GeneticSearch": (GeneticSearch, [np.zeros((4, 5))], {"mutation_rate": 0.1, "step": 0.1, "seed": 1}),
    "TdSettings": (TdSettings, [], {"evaluator": "all-2", "games": 10}),
    "EvolutionSettings": (EvolutionSettings, [],
                          {"method": "cma-es", "evaluator": "all-2", "generations": 1}),
    "create_run": (create_run, ["run", TdSettings(evaluator="all-2", games=10), 1], {}),
    "open_run": (open_run, ["learned"], {}),
    "OpeningBook.open": (OpeningBook.open, ["default"], {}),
    "OpeningBook.moves": (OpeningBook.open("default").moves, [BOARD], {}),
    "SearchTuning.load": (SearchTuning.load, ["tuning.json"], {}),
}  # fmt: skip


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the files that the calls name."""
    monkeypatch.chdir(tmp_path)
    save_player(StoredPlayer(COUNTER, "inversion"), "a.safetensors")
    write_games([RECORD], "g.txt")
    Path("starts.txt").write_text(BOARD.text + "\n", encoding="utf-8")
    create_run("learned", TdSettings(evaluator="all-2", games=10), 1)


def _complaint(call: Callable[..., object], arguments: list[Any], named: dict[str, Any]) -> str | None:
    """What is wrong with how a call fails; None if nothing is."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call(*arguments, **named)
    except (TypeError, ValueError, OSError) as error:
        return f"{type(error).__name__}: {error}" if OBSCURE.search(str(error)) else None
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


@pytest.mark.parametrize("name", CALLS)
def test_wrong_arguments(name: str) -> None:
    call, arguments, named = CALLS[name]
    complaints: list[tuple[int | str, int, str | None]] = []
    for number, wrong in enumerate(WRONG):
        for at in range(len(arguments)):
            given = [*arguments]
            given[at] = wrong
            if name == "create_run" and at > 0:
                given[0] = f"run-{number}-{at}"
            complaints.append((at, number, _complaint(call, given, named)))
        complaints += [(key, number, _complaint(call, arguments, named | {key: wrong})) for key in named]
    assert [found for found in complaints if found[2] is not None] == []
