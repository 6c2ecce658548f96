"""Plug-ins by name: what a name may stand for, and what is said of those that are wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from outflank import Board, GreedyPlayer, Match, SearchPlayer, named_player, plugins
from outflank.players.plugin_player import PluginPlayer

MODULE = """
import numpy as np
from outflank import Board, Evaluator, GreedyPlayer, PieceCounter, Square, WeightedEvaluator, named_player

def corners(squares):
    return squares[:, [0, 7, 56, 63]].sum(axis=1)

def counter():
    return PieceCounter(np.arange(64.0))

class Plain(Evaluator):
    view = "negation"
    description = "plain"
    def values(self, black, white):
        return np.bitwise_count(black).astype(float) - np.bitwise_count(white)

class First:
    name = "first"
    def choose(self, board):
        return board.legal_moves[0]

class Many(First):
    asked = []
    def choose_many(self, boards):
        Many.asked.append(len(boards))
        return [board.legal_moves[0] for board in boards]

class Cheat(First):
    def choose(self, board):
        return Square("a1")

class Broken(First):
    def choose(self, board):
        return {}["missing"]

class Forgetful(First):
    def choose(self, board):
        pass

class Quitter(First):
    def choose(self, board):
        raise SystemExit(3)

class Complex:
    def values(self, black, white):
        return np.full(len(black), 1j)

class Words:
    def values(self, black, white):
        return ["good"] * len(black)

class Weighty(WeightedEvaluator):
    description = "one weight"
    architecture = {}
    def __init__(self, weights=None):
        super().__init__(weights, 1)
    def with_weights(self, weights):
        return Weighty(weights)
    def values(self, black, white):
        return [1.0]

class Needy:
    def __init__(self, level):
        pass

class Group:
    inner = First()

ready = GreedyPlayer(counter(), "negation")
searching = named_player("all-2,depth=2")
number = 3

def broken(squares):
    raise RuntimeError("no GPU")

def too_few(squares):
    return [1.0]

class Difference:
    view = "negation"
    def values(self, black, white):
        return [float(b.bit_count() - w.bit_count()) for b, w in zip(black.tolist(), white.tolist())]

class Sideways(Difference):
    view = "sideways"

class Judge(First):
    def judge(self, board):
        return {str(move): 1 for move in board.legal_moves}

def by_numpy(squares):
    return np.linalg.inv(squares)

class Nans:
    def values(self, black, white):
        return [float("nan")] * len(black)
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module in the current folder."""
    name = f"own_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.delenv(plugins.SWITCH, raising=False)
    return name


def test_evaluators(own: str) -> None:
    function = named_player(f"{own}:corners,view=negation")
    assert isinstance(function, GreedyPlayer)
    assert (function.view, function.core, function.name) == ("negation", None, f"{own}:corners,view=negation")
    counter = named_player(f"{own}:counter")
    assert isinstance(counter, GreedyPlayer)
    assert (counter.view, counter.core is None) == ("inversion", False)  # it plays in the core
    plain = named_player(f"{own}:Plain,depth=2")
    assert isinstance(plain, SearchPlayer)
    assert isinstance(plain.inner, GreedyPlayer)
    assert plain.inner.view == "negation"
    counting = named_player("disc-difference,view=negation,depth=2")
    assert plain.judge(Board()) == counting.judge(Board())  # type: ignore[union-attr]
    duck = named_player(f"{own}:Difference,depth=2")  # it needs no base class
    assert duck.judge(Board()) == counting.judge(Board())  # type: ignore[union-attr]


def test_players(own: str) -> None:
    for name in ("First", "Group.inner", "Many"):
        player = named_player(f"{own}:{name}")
        assert isinstance(player, PluginPlayer)
        assert player.choose(Board()) == Board().legal_moves[0]
        assert player.analyze(Board()).has_values is False
    assert isinstance(named_player(f"{own}:ready,depth=2"), SearchPlayer)
    assert named_player(f"{own}:searching").name == f"{own}:searching"
    assert [value for _, value in named_player(f"{own}:Judge").judge(Board())] == [1.0] * 4  # type: ignore[union-attr]
    solving = named_player(f"{own}:First,solve=6")
    games = [game.transcript for game in Match(solving, "all-2", double_games=2, epsilon=0.2).games()]
    assert games == [game.transcript for game in Match(solving, "all-2", double_games=2, epsilon=0.2).games()]


def test_many_boards_are_answered_at_once(own: str) -> None:
    one, many = named_player(f"{own}:First"), named_player(f"{own}:Many")
    games = [
        [g.transcript for g in Match(p, "all-2", double_games=8, epsilon=0.1).games()] for p in (one, many)
    ]
    assert games[0] == games[1]
    assert max(sys.modules[own].Many.asked) == 16  # games, each by both sides in turn


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nowhere_at_all:player", "there is no module 'nowhere_at_all' in "),
        ("{own}:Frist", "'Frist' is not a name in own_.*; did you mean First"),
        ("{own}:number", "is of type int, not a player"),
        ("{own}:Needy", "needs the argument level"),
        ("{own}:First,depth=2", "no evaluator to search with, so it takes no depth"),
        ("{own}:First,view=negation", "is a player, not an evaluator, so it takes no view"),
        ("{own}:searching,depth=3", "searches by itself, so it takes no depth"),
        ("{own}:corners,nodes=100", "fixed depth only"),
        ("{own}:corners,weights=w.safetensors", "w.safetensors"),
        ("all-2,weights=w.safetensors", "all-2 is not a plug-in"),
        ("broken_{own}:player", "cannot import broken_.*ZeroDivisionError.* line 2"),
        ("exits_{own}:player", "cannot import exits_.*SystemExit"),
        ("needs_{own}:player", "cannot import needs_.*No module named 'not_installed'"),
        ("{own}:Sideways", "its view must be inversion or negation, got 'sideways'"),
        ("syntax_{own}:player", "cannot import syntax_.*SyntaxError"),
    ],
)
def test_wrong_names(own: str, name: str, message: str) -> None:
    texts = {"broken": "\n1 / 0", "exits": "exit(1)", "needs": "import not_installed", "syntax": "def"}
    for kind, text in texts.items():
        Path(f"{kind}_{own}.py").write_text(text, encoding="utf-8")
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        named_player(name.format(own=own))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Cheat", "chose a1, which is not a legal move"),
        ("Broken", "failed: KeyError: 'missing' .*line"),
        ("broken", "failed: RuntimeError: no GPU .*line"),
        ("by_numpy", r"failed: LinAlgError: .* \(own_.*\.py, line \d+\)$"),
        ("Forgetful", "failed: TypeError: a square is a number 0..63 or a name such as 'f5', not None$"),
        ("Quitter", "failed: SystemExit: 3 .*line"),
        ("too_few", "returned 1 values for"),
        ("Weighty", "returned 1 values for"),
        ("Nans", r"values\(\) returned NaN for board 0$"),
        ("Complex", "must return one number per board, got an array of complex128"),
        ("Words", "must return one number per board, got an array of <U4"),
    ],
)
def test_errors_say_whose_they_are(own: str, name: str, message: str) -> None:
    with pytest.raises(plugins.PluginError, match=f"{own}:{name}.*{message}"):
        Match(f"{own}:{name}", "random", double_games=1).play()


def test_a_process_can_refuse_plug_ins(own: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(plugins.SWITCH, "allow")  # restored at the end
    plugins.refuse()
    with pytest.raises(ValueError, match="is a plug-in, which is code"):
        named_player(f"{own}:First")
    assert own not in sys.modules


def test_a_file_wins_over_a_module(own: str) -> None:
    Path(f"{own}:First").write_text(" ".join(["1"] * 64), encoding="utf-8")
    player = named_player(f"{own}:First,view=negation")
    assert isinstance(player, GreedyPlayer)
    assert np.array_equal(player.evaluator.weights, np.ones(64))  # type: ignore[union-attr]


def test_the_code_of_a_player_is_known_under_any_name(own: str) -> None:
    from dataclasses import replace

    from outflank.studies.laboratory import identity

    path = Path(f"{own}.py")
    names = (f"{own}:corners", f"{own}:Plain,depth=2", f"{own}:Difference", f"{own}:First", f"{own}:Weighty")
    players = [replace(named_player(name), name="mine") for name in names]
    before = [identity(player)["code"] for player in players]
    assert before == [identity(player)["code"] for player in players]
    path.write_text(f"{MODULE}\n# changed\n", encoding="utf-8")
    assert not set(before) & {identity(player)["code"] for player in players}
    assert all("code" not in identity(named_player(name)) for name in ("all-2", "random", "all-2,depth=2"))
