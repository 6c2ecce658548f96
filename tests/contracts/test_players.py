"""One suite over every kind of player: legal moves, passes, seeds, names, and two paths with one result."""

from __future__ import annotations

import copy
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from outflank import (
    Board,
    DoubledFunction,
    FunctionEvaluator,
    GreedyPlayer,
    Match,
    PieceCounter,
    Player,
    RandomPlayer,
    SearchLimits,
    SearchPlayer,
    Square,
    StoredPlayer,
    named_player,
    save_player,
)

# Random weights never tie, so a choice does not depend on who breaks ties.
COUNTER, OTHER_COUNTER = (PieceCounter(np.random.default_rng(seed).normal(size=64)) for seed in (3, 4))
IN_PYTHON = FunctionEvaluator(lambda squares: squares @ COUNTER.square_weights, "a counter in Python")
OUTFLANK = f"{shlex.quote(sys.executable)} -c 'from outflank.interfaces.cli import main; main()'"


class FirstMove:
    """The least that a player must have."""

    name = "first move"

    def choose(self, board: Board) -> Square:
        return board.legal_moves[0]


def searching(
    evaluator: PieceCounter | FunctionEvaluator, depth: int, solve: int | None = None
) -> SearchPlayer:
    return SearchPlayer(GreedyPlayer(evaluator, "negation"), SearchLimits(depth=depth), solve=solve)


NAMED = {
    "random": "random",
    "greedy, inversion": "all-2",
    "greedy, negation": "all-2,view=negation",
    "greedy, file": "{file}",
    "depth": "{file},depth=3",
    "nodes": "all-2,nodes=300",
    "nodes, pruning": "td-all-rounder,nodes=300,solve=10",
    "time": "{file},time=0.002,solve=4",
    "solver": "{file},solve=8",
    "depth and solver": "{file},depth=2,solve=6",
    "random with solver": "random,solve=8",
    "book": "{file},book=default",
    "best three of a book": "all-2,book=default,book_best=3",
    "gtp engine": "gtp:{outflank} engine '{file}' --protocol gtp",
    "nboard engine": "nboard:{outflank} engine '{file}' --protocol nboard",
}
MADE: dict[str, Callable[[], Player]] = {
    "doubled": lambda: GreedyPlayer(DoubledFunction(COUNTER, OTHER_COUNTER), "doubled"),
    "Python function": lambda: GreedyPlayer(IN_PYTHON, "inversion"),
    "Python function, depth": lambda: searching(IN_PYTHON, depth=2),
    "Python function, solver": lambda: searching(IN_PYTHON, depth=1, solve=5),
    "player object": FirstMove,
}
KINDS = (*NAMED, *MADE)
every_player = pytest.mark.parametrize("kind", KINDS)
WITH_A_CLOCK = ("time",)
ENGINES = ("gtp engine", "nboard engine")

# Where the next side to move has to pass: at the start, and right after the first move.
PASSES = (
    Board("-XXXXXXO" + "X" * 55 + "- X").settled(),
    Board("-XXXXXXO" + "X" * 55 + "- O"),
    Board("X" * 54 + "-OXXXXXX-- X"),
)


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The names of the players that have one."""
    file = tmp_path_factory.mktemp("players") / "no ties.safetensors"
    save_player(StoredPlayer(COUNTER, "inversion"), file)
    return {kind: text.format(file=file, outflank=OUTFLANK) for kind, text in NAMED.items()}


def made(kind: str, texts: dict[str, str]) -> Player:
    return named_player(texts[kind]) if kind in NAMED else MADE[kind]()


def transcripts(first: Player, second: Player, seed: int = 5, threads: int = 1, games: int = 4) -> list[str]:
    match = Match(first, second, double_games=games, epsilon=0.2, seed=seed, threads=threads)
    return [game.transcript for game in match.games()]


@pytest.fixture(scope="module")
def boards() -> list[Board]:
    """Openings, middle games and endings of random games."""
    games = Match(RandomPlayer(), RandomPlayer(), double_games=4, seed=3).games()
    found = [board for k, game in enumerate(games) for board in game.boards[k::11]]
    return [board for board in (*found, *PASSES) if board.has_moves]


@every_player
def test_moves_are_legal_and_the_board_stays_as_it_was(
    kind: str, texts: dict[str, str], boards: list[Board]
) -> None:
    player = made(kind, texts)
    for board in boards:
        before = copy.deepcopy(board)
        assert player.choose(board) in before.legal_moves
        assert board == before
        assert (board.black, board.white, board.mover) == (before.black, before.white, before.mover)


@every_player
def test_passes_are_not_the_player_s_business(kind: str, texts: dict[str, str]) -> None:
    """It is asked only where it has a move, and games with passes come to their end."""
    player = made(kind, texts)
    match = Match(player, RandomPlayer(), double_games=len(PASSES), starts=PASSES, epsilon=0.0)
    games = list(match.games())
    assert len(games) == 2 * len(PASSES)
    assert all(game.final.is_over for game in games)
    # Six of the games begin with one side's only move, after which the other has none.
    assert any(
        a.mover == b.mover for game in games for a, b in zip(game.boards, game.boards[1:], strict=False)
    )


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in WITH_A_CLOCK])
def test_the_seed_decides_not_the_threads(kind: str, texts: dict[str, str]) -> None:
    opponent = GreedyPlayer(OTHER_COUNTER, "negation")
    first = transcripts(made(kind, texts), opponent)
    assert transcripts(made(kind, texts), opponent, threads=3) == first
    assert transcripts(made(kind, texts), opponent, seed=6) != first


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in WITH_A_CLOCK])
def test_games_are_the_same_in_the_core_and_in_step(kind: str, texts: dict[str, str]) -> None:
    """Against an evaluator in Python, games are played in step; against its twin, where both are of the
    core, by the playout kernel."""
    player = made(kind, texts)
    in_step = transcripts(player, GreedyPlayer(IN_PYTHON, "negation"))
    assert transcripts(player, GreedyPlayer(COUNTER, "negation")) == in_step


@pytest.mark.parametrize("depth", [1, 2])
def test_a_function_in_python_plays_as_its_twin_in_the_core(depth: int) -> None:
    """From three plies on, transpositions tie, and ties are broken by other draws."""
    opponent = named_player("standard-heuristic")
    in_python, in_core = (searching(evaluator, depth=depth) for evaluator in (IN_PYTHON, COUNTER))
    assert in_python.core is None
    assert in_core.core is not None
    assert transcripts(in_python, opponent, games=2) == transcripts(in_core, opponent, games=2)


@pytest.mark.parametrize("kind", ENGINES)
def test_an_engine_plays_as_the_player_inside_it(kind: str, texts: dict[str, str]) -> None:
    opponent = GreedyPlayer(OTHER_COUNTER, "negation")
    inside = named_player(texts["greedy, file"])
    assert transcripts(made(kind, texts), opponent) == transcripts(inside, opponent)


@pytest.mark.parametrize("kind", NAMED)
def test_a_name_names_the_same_player_again(kind: str, texts: dict[str, str]) -> None:
    player = named_player(texts[kind])
    assert player.name == texts[kind]
    again = named_player(player.name)
    assert type(again) is type(player)
    if kind not in WITH_A_CLOCK and kind not in ENGINES:  # those are compared above
        opponent = GreedyPlayer(OTHER_COUNTER, "negation")
        assert transcripts(again, opponent) == transcripts(player, opponent)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "random" not in kind])
def test_values_are_those_of_the_legal_moves(kind: str, texts: dict[str, str], boards: list[Board]) -> None:
    player = made(kind, texts)
    if not isinstance(player, GreedyPlayer | SearchPlayer):
        pytest.skip("a player that only chooses")
    for board in boards[::5]:
        values = player.judge(board)
        assert [square for square, _ in values] == list(board.legal_moves)
        assert np.isfinite([value for _, value in values]).all()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("all-2,depth=0", r"depth must be within 1\.\.60, got 0"),
        ("all-2,depth=two", "depth must be a number, got 'two'"),
        ("all-2,nodes=0", "nodes must be at least 1, got 0"),
        ("all-2,time=0", "above 0, got 0"),
        ("all-2,solve=61", "solve must be a number of empty squares within 0..60, got 61"),
        ("all-2,book=default,book_best=65", r"book_best must be within 1\.\.64, got 65"),
        ("all-2,book_best=3", "book_best needs a book"),
        ("all-2,time=1,threads=0", r"threads must be within 1\.\.1024, got 0"),
        ("random,depth=2", "random has no evaluator to search with"),
        ("gtp:", "command"),
    ],
)
def test_wrong_names_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        named_player(text)


def test_an_evaluator_in_python_takes_no_nodes() -> None:
    with pytest.raises(ValueError, match="fixed depth"):
        SearchPlayer(GreedyPlayer(IN_PYTHON), SearchLimits(nodes=1000))


def test_a_missing_book_is_refused(tmp_path: Path) -> None:
    with pytest.raises((ValueError, FileNotFoundError), match="nowhere"):
        named_player(f"all-2,book={tmp_path}/nowhere.book")
