"""OpenSpiel both ways: our players as `pyspiel` bots, and its bots as our players.

>>> import pyspiel
>>> from outflank import Match, named_player
>>> def random_bot(player_id): return pyspiel.make_uniform_random_bot(player_id, 1)
>>> othello = pyspiel.load_game("othello")
>>> pyspiel.evaluate_bots(othello.new_initial_state(), [PlayerBot("all-2"), random_bot(1)], 1)
[1.0, -1.0]
>>> Match(named_player("all-2"), BotPlayer(random_bot, "random bot"), double_games=5).play().games
10

OpenSpiel writes a pass as action 64; squares have our numbers. Its states are known by their moves alone, so
its bots play by the moves of a game (`HistoryPlayer`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any

from outflank.board import Board, Square
from outflank.envs.rules import missing, opponent_named
from outflank.players.engines.gtp import moves_to
from outflank.players.greedy import Player

try:
    import pyspiel
except ImportError:
    raise missing("open_spiel") from None

PASS = 64
MOST_BOARDS = 1 << 12  # that may come next, whose moves are remembered


def board_of(state: Any) -> Board:
    """The board of an Othello state of OpenSpiel."""
    if (name := state.get_game().get_type().short_name) != "othello":
        raise ValueError(f"outflank's players play othello, and this is a state of {name}")
    board = Board()
    for action in state.history():
        board = board.pass_turn() if action == PASS else board.play(action)
    return board


def state_after(moves: Sequence[int]) -> Any:
    """OpenSpiel's state after moves from the standard start, passes left out."""
    state = pyspiel.load_game("othello").new_initial_state()
    for move in moves:
        _pass_if_must(state)
        state.apply_action(int(move))
    _pass_if_must(state)
    return state


def _pass_if_must(state: Any) -> None:
    if not state.is_terminal() and state.legal_actions() == [PASS]:
        state.apply_action(PASS)


class PlayerBot(pyspiel.Bot):
    """One of our players, or its name, as a bot of OpenSpiel."""

    def __init__(self, player: Player | str) -> None:
        super().__init__()
        self.player = opponent_named(player)

    def step(self, state: Any) -> int:
        board = board_of(state)
        return int(self.player.choose(board)) if board.has_moves else PASS

    def restart_at(self, state: Any) -> None:
        """Nothing to do: each step looks at the whole state."""

    def restart(self) -> None:
        """Nothing to do: each step looks at the whole state."""

    def inform_action(self, state: Any, player_id: int, action: int) -> None:
        """Nothing to do: each step looks at the whole state."""


class BotPlayer:
    """A bot of OpenSpiel as one of our players.

    make_bot(player_id) returns the bot for Black (0) or White (1); it is called once for each.
    """

    def __init__(self, make_bot: Callable[[int], Any], name: str = "openspiel") -> None:
        self.name = name
        self._make_bot = make_bot
        self._bots: dict[int, Any] = {}
        self._expected: OrderedDict[Board, tuple[Square, ...]] = OrderedDict()

    def choose_after(self, start: Board, moves: Sequence[Square]) -> Square:
        """Its move in a game."""
        state = state_after((*self._moves_to(start), *moves))
        player_id = state.current_player()
        if player_id not in self._bots:
            self._bots[player_id] = self._make_bot(player_id)
        bot = self._bots[player_id]
        bot.restart_at(state)
        return Square(int(bot.step(state)))

    def choose(self, board: Board) -> Square:
        """Its move on a board that follows from its last move, or that a few moves from the start reach."""
        moves = self._moves_to(board)
        square = self.choose_after(Board(), moves)
        after = board.play(square).settled()
        for reply in after.legal_moves:
            self._expected[after.play(reply).settled()] = (*moves, square, reply)
        while len(self._expected) > MOST_BOARDS:
            self._expected.popitem(last=False)
        return square

    def _moves_to(self, board: Board) -> tuple[Square, ...]:
        moves = self._expected.get(board) or moves_to(board)
        if moves is None:
            raise ValueError(
                f"{self.name} cannot play on {board.text}: no moves that lead there were found, and "
                "OpenSpiel knows a position by its moves alone"
            )
        return moves
