"""What compute processes do for visitors: TASKS by name. Each takes players and plain arguments, and gives
the bytes of its answer; a ValueError is a sentence for whoever asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Literal

from outflank.games.game import Game
from outflank.games.match import Match
from outflank.interfaces.web.play_answer import play_answer
from outflank.players.greedy import GreedyPlayer

TaskName = Literal["play", "match"]


def play(players: Sequence[GreedyPlayer], moves: str, depth: int, values: bool) -> bytes:
    """A transcript's boards, and what the player, if there is one, makes of them: a PlayAnswer as JSON."""
    try:
        game = Game.from_transcript(moves)
    except ValueError as error:
        raise ValueError(f"moves: {error}") from None
    answer = play_answer(game, players[0] if players else None, depth, values)
    return answer.model_dump_json().encode()


def match(players: Sequence[GreedyPlayer], double_games: int, epsilon: float, seed: int) -> bytes:
    """A match of two players: the first one's Tally as JSON."""
    first, second = players
    played = Match(first, second, double_games=double_games, epsilon=epsilon, seed=seed, threads=1)
    return json.dumps(asdict(played.play())).encode()


TASKS: dict[TaskName, Callable[..., bytes]] = {"play": play, "match": match}
