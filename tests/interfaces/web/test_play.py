"""The API to play with: its answers against the rules. The page is tested in board/."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from outflank import Board, Game, PieceCounter, named_player
from outflank.interfaces.web.compute.play import play_response
from outflank.players.greedy import GreedyPlayer
from outflank.players.search import minimax_values


@pytest.fixture(scope="module")
def client(league_server: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=league_server, timeout=30) as client:
        yield client


@pytest.fixture(scope="module")
def ids(client: httpx.Client) -> dict[str, int]:
    rows = client.get("/api/v1/players", params={"limit": 1000}).json()["players"]
    return {row["name"]: row["id"] for row in rows}


def random_game(seed: int, length: int = 60) -> list[str]:
    chance, board = random.Random(seed), Board()
    moves: list[str] = []
    while not board.is_over and len(moves) < length:
        board = board.settled()
        moves.append(str(chance.choice(board.legal_moves)))
        board = board.play(moves[-1])
    return moves


def answer(client: httpx.Client, **query: object) -> Any:
    response = client.get("/api/v1/play", params={key: str(value) for key, value in query.items()})
    assert response.status_code == 200, response.text
    return response.json()


@pytest.mark.parametrize("seed", range(8))
def test_every_position_is_that_of_the_rules(client: httpx.Client, ids: dict[str, int], seed: int) -> None:
    moves = random_game(seed)
    found = answer(client, moves=" ".join(moves).upper(), player=ids["all-2"])
    assert found["transcript"] == "".join(moves)
    assert len(found["positions"]) == len(moves) + 1
    board = Board()
    for number, position in enumerate(found["positions"]):
        if number:
            before = board.settled()
            board = before.play(moves[number - 1])
            gained = {name for name in _squares(board) if before.disc(name) not in (None, board.disc(name))}
            assert (position["move"], position["mover"]) == (moves[number - 1], before.mover)
            assert set(position["flipped"]) == gained
        settled = board.settled()
        assert position["squares"] == board.text[:64]
        assert position["legal"] == [str(square) for square in settled.legal_moves]
        assert position["turn"] == (None if board.is_over else settled.mover)
        assert position["passed"] == (board.mover if settled != board else None)
        assert (position["black"], position["white"]) == (board.black.bit_count(), board.white.bit_count())
        assert position["disc_difference"] == board.disc_difference
        assert (position["evaluation"] is None) == board.is_over
    assert board.is_over
    assert found["is_over"]
    assert found["outcome"] == board.outcome
    assert {key: found[key] for key in found["positions"][-1]} == found["positions"][-1]


def _squares(board: Board) -> Iterator[str]:
    return (f"{'abcdefgh'[i % 8]}{i // 8 + 1}" for i in range(64) if (board.black | board.white) >> i & 1)


@pytest.mark.parametrize("name", ["all-2", "standard-heuristic", "iago", "td-all-rounder"])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_values_are_those_of_minimax(
    client: httpx.Client, ids: dict[str, int], name: str, depth: int
) -> None:
    player = named_player(name)
    assert isinstance(player, GreedyPlayer)
    moves = random_game(3, length=20)
    found = answer(client, moves="".join(moves), player=ids[name], values=1, depth=depth)
    board = Board.from_transcript("".join(moves)).settled()
    expected = dict(minimax_values(player, board, depth))
    assert found["depth"] == depth
    assert {one["square"]: one["value"] for one in found["values"]} == {
        str(square): pytest.approx(value, rel=1e-5, abs=1e-5) for square, value in expected.items()
    }
    values = [one["value"] for one in found["values"]]
    assert values == sorted(values, reverse=True)
    assert found["choice"]["value"] == pytest.approx(values[0])


def test_the_deepest_search_plays_the_last_squares_perfectly(
    client: httpx.Client, ids: dict[str, int]
) -> None:
    moves = random_game(5, length=51)
    found = answer(client, moves="".join(moves), player=ids["all-2"], values=1, depth=6)
    board = Board.from_transcript("".join(moves)).settled()
    exact = {str(move): _score_for(board.mover, board.play(move)) for move in board.legal_moves}
    assert {one["square"]: one["discs"] for one in found["values"]} == exact
    assert found["choice"]["discs"] == max(exact.values())


def _score_for(side: str, board: Board) -> int:
    """The disc difference at the end under perfect play, slowly."""
    board = board.settled()
    if board.is_over:
        return board.disc_difference if side == "black" else -board.disc_difference
    scores = [_score_for(side, board.play(move)) for move in board.legal_moves]
    return max(scores) if board.mover == side else min(scores)


def test_evaluations_do_not_depend_on_who_moved(client: httpx.Client, ids: dict[str, int]) -> None:
    """The start is the same for both sides, and swapped colours swap the sign."""
    assert answer(client, player=ids["all-2"])["evaluation"] == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize(
    ("query", "status", "said"),
    [
        ({"moves": "a1"}, 422, "move 1 (a1) is not legal for black"),
        ({"moves": "f5d"}, 422, "two characters per move"),
        ({"moves": "f5x9"}, 422, "squares are a1 to h8"),
        ({"moves": "f5" * 500}, 422, "400 characters"),
        ({"moves": "".join(random_game(1)) + "a1"}, 422, "is not legal"),
        ({"moves": "f5", "player": "9999"}, 404, "no player 9999"),
        ({"player": "-1"}, 422, "player"),
        ({"player": "1", "depth": "7"}, 422, "depth"),
        ({"player": "1", "depth": "0"}, 422, "depth"),
        ({"values": "1"}, 422, "player=ID"),
        ({"player": "1", "moves": "<script>"}, 422, "squares are a1 to h8"),
    ],
)
def test_what_cannot_be_played_is_refused(
    client: httpx.Client, query: dict[str, str], status: int, said: str
) -> None:
    response = client.get("/api/v1/play", params=query)
    assert response.status_code == status
    assert list(response.json()) == ["error"]
    assert said in response.json()["error"]


@pytest.mark.parametrize("weight", [1e36, -1e36, 1e6, 2e4])
@pytest.mark.parametrize("depth", [1, 2, 6])
def test_values_beyond_all_measure_do_no_harm(weight: float, depth: int) -> None:
    """A search counts in numbers of four bytes, and a won game as a million."""
    game = Game.from_transcript("".join(random_game(2, length=50)))
    answer = play_response(
        game, GreedyPlayer(PieceCounter([weight] * 64), "negation"), depth, with_values=True
    )
    assert answer.choice is not None
    assert answer.choice.square in answer.legal
    assert {move.square for move in answer.values or []} == set(answer.legal)
    assert all(move.value is None or math.isfinite(move.value) for move in answer.values or [])
