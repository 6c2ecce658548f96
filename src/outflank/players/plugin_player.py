"""Players and evaluators of one's own, as plug-ins (plugins.py): any object with `choose`, any evaluator.

>>> plugin_player("outflank.players.greedy:RandomPlayer", None, "mine").choose(Board()) in Board().legal_moves
True

What a name may stand for, as an object, or as a class or a function without arguments that makes one:
- a player: an object with choose(board). With judge(board), moves with values, it can analyse too;
- an evaluator: an object with values(black, white), or a function from squares to values, as for
  FunctionEvaluator.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from outflank.board import Board, Square
from outflank.evaluators.doubled import DoubledFunction
from outflank.evaluators.plugin_network import PluginNetwork, plugin_network
from outflank.evaluators.protocol import (
    BitArray,
    CoreEvaluator,
    Evaluator,
    FloatArray,
    FunctionEvaluator,
    WeightedEvaluator,
    checked_values,
)
from outflank.evaluators.storage import VIEWS, View, load_weights
from outflank.players.analysis import Analysis
from outflank.players.engines.player import ExternalPlayer
from outflank.players.greedy import GreedyPlayer, Player, RandomPlayer, preference_for
from outflank.players.search import SearchPlayer
from outflank.plugins import (
    Group,
    PluginError,
    blamed,
    is_plugin,
    is_reference,
    load,
    made,
    registered,
    source_digest,
)

OwnPlayer = GreedyPlayer | RandomPlayer | SearchPlayer | ExternalPlayer
WHAT = (
    "a player (an object with choose(board)), an evaluator (one with values(black, white)), a function from "
    "squares to values, or a class or function without arguments that makes one"
)


@dataclass(frozen=True)
class PluginPlayer:
    """Somebody's player: its moves are checked, and its errors say whose they are."""

    player: Player
    name: str

    @property
    def core(self) -> None:
        """None: it does not play in the core."""
        return None

    @property
    def code(self) -> Player:
        """What somebody wrote."""
        return self.player

    @property
    def gives_values(self) -> bool:
        return callable(getattr(self.player, "judge", None))

    def choose(self, board: Board) -> Square:
        with blamed(self.name):
            chosen = Square(self.player.choose(board))
        return self._legal(chosen, board)

    def _legal(self, chosen: Square, board: Board) -> Square:
        if chosen not in board.legal_moves:
            raise PluginError(f"{self.name} chose {chosen}, which is not a legal move on {board.text}")
        return chosen

    def preferences(self, boards: Sequence[Board]) -> list[FloatArray]:
        """Its choices on many boards, in one call if it has choose_many(boards)."""
        choose_many = getattr(self.player, "choose_many", None)
        if choose_many is None:
            return [preference_for(board, [self.choose(board)]) for board in boards]
        with blamed(self.name):
            chosen = [Square(square) for square in choose_many(list(boards))]
        if len(chosen) != len(boards):
            raise PluginError(f"{self.name} chose {len(chosen)} moves on {len(boards)} boards")
        return [
            preference_for(board, [self._legal(s, board)]) for board, s in zip(boards, chosen, strict=True)
        ]

    def judge(self, board: Board) -> list[tuple[Square, float]]:
        """The legal moves with its values for the mover."""
        with blamed(self.name):
            judged: Any = self.player.judge(board)  # type: ignore[attr-defined]
            pairs = judged.items() if isinstance(judged, Mapping) else judged
            values = {Square(square): float(value) for square, value in pairs}
        if set(values) != set(board.legal_moves) or any(value != value for value in values.values()):
            raise PluginError(f"{self.name} must give a number to each legal move on {board.text}")
        return [(square, values[square]) for square in board.legal_moves]

    def analyze(self, board: Board, all_moves: bool = False) -> Analysis:
        """Its moves with values, if it gives them; else its choice."""
        began = time.perf_counter()
        if not self.gives_values:
            square = self.choose(board)
            return Analysis.of_choice(square, time.perf_counter() - began)
        found = Analysis.of_values(self.judge(board), 1, time.perf_counter() - began)
        return found if all_moves else replace(found, moves=found.moves[:1])


class HasValues(Protocol):
    """All that is needed of somebody's evaluator."""

    def values(self, black: BitArray, white: BitArray) -> FloatArray: ...


class PluginEvaluator(Evaluator):
    """Somebody's evaluator, whose values are checked and whose errors say whose they are."""

    def __init__(self, evaluator: HasValues, name: str) -> None:
        self._evaluator, self._name = evaluator, name
        self.view: View | None = getattr(evaluator, "view", None)
        if self.view not in (None, *VIEWS[:2]):
            raise PluginError(f"{name}: its view must be inversion or negation, got {self.view!r}")

    @property
    def code(self) -> object:
        """What somebody wrote."""
        return getattr(self._evaluator, "code", self._evaluator)

    @property
    def description(self) -> str:
        return self._name

    def values(self, black: BitArray, white: BitArray) -> FloatArray:
        with blamed(self._name):
            values = self._evaluator.values(black, white)
            return checked_values(values, len(black), f"{self._name}.values()")


def names_plugin_player(source: str) -> bool:
    return is_reference(source) or source in registered("players") or source in registered("evaluators")


def _group_of(source: str) -> Group:
    return "players" if source in registered("players") else "evaluators"


def plugin_digest(source: str) -> str:
    """Of the code that a name stands for."""
    return source_digest(source, _group_of(source))


def plugin_player(source: str, view: View | None, text: str) -> OwnPlayer | PluginPlayer:
    """The player that a plug-in's name stands for; `text` is the whole name, with its options."""
    found = _player_or_evaluator(load(source, _group_of(source)), source)
    if isinstance(found, Evaluator | DoubledFunction):
        seen_by = view or getattr(found, "view", None) or _usual_view(found)
        return GreedyPlayer(_as_plugin(found, source), seen_by, text)
    if isinstance(found, GreedyPlayer) and view is not None:
        return replace(found, view=view, name=text)
    if view is not None:
        raise ValueError(f"{source} is a player, not an evaluator, so it takes no view")
    if isinstance(found, GreedyPlayer | RandomPlayer | SearchPlayer | ExternalPlayer):
        return replace(found, name=text)
    return PluginPlayer(found, text)


def _as_plugin(evaluator: Evaluator | DoubledFunction, source: str) -> Evaluator | DoubledFunction:
    if isinstance(evaluator, CoreEvaluator | DoubledFunction | PluginEvaluator):
        return evaluator
    if isinstance(evaluator, WeightedEvaluator):
        return PluginNetwork(evaluator, source)
    return PluginEvaluator(evaluator, source)


def plugin_with_weights(source: str, file: str, view: View | None, text: str) -> GreedyPlayer:
    """An evaluator of somebody's own with the weights that a run has learned."""
    if not is_plugin(source, "evaluators"):
        raise ValueError(f"{source} is not a plug-in, so it takes no weights: a player's file holds its own")
    stored = load_weights(file)
    network = plugin_network(source)
    if stored.weights.size != network.weights.size:
        raise ValueError(
            f"{file} holds {stored.weights.size} weights of {stored.evaluator}, but {source} has "
            f"{network.weights.size}"
        )
    return GreedyPlayer(network.with_weights(stored.weights), view or stored.view or "inversion", text)


def _usual_view(evaluator: Evaluator | DoubledFunction) -> View:
    return "doubled" if isinstance(evaluator, DoubledFunction) else "inversion"


def _player_or_evaluator(found: Any, source: str) -> Any:
    """An object with choose(), or an evaluator; made by calling what makes it."""
    found = made(found, source)
    if isinstance(found, Evaluator | DoubledFunction) or callable(getattr(found, "choose", None)):
        return found
    if callable(getattr(found, "values", None)):
        return PluginEvaluator(found, source)
    if callable(found) and not inspect.isclass(found):
        return _function_evaluator(found, source)
    raise ValueError(f"{source} is {_kind(found)}, not {WHAT}")


def _function_evaluator(function: Callable[..., Any], source: str) -> PluginEvaluator:
    return PluginEvaluator(FunctionEvaluator(function, source), source)


def _kind(found: Any) -> str:
    return f"the class {found.__name__}" if inspect.isclass(found) else f"of type {type(found).__name__}"
