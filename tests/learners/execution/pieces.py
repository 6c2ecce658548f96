"""Pieces of work for the executor's tests, at the top of a module that worker processes can import."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from outflank.evaluators.piece_counter import PieceCounter
from outflank.games.statistics import Tally
from outflank.league.scoring import league_match
from outflank.players.greedy import GreedyPlayer

Weights = npt.NDArray[np.float64]


def league_games(population: Weights, piece: tuple[int, int]) -> Tally:
    """Some games of one row, with a seed of their own."""
    row, seed = piece
    player = GreedyPlayer(PieceCounter(population[row]))
    return league_match(player, double_games=20, seed=seed, threads=1).play()


def process(_: object, seconds: float) -> int:
    """Which process did it."""
    time.sleep(seconds)
    return os.getpid()


def compute(_: object, seconds: float) -> None:
    """Keep a core busy for so long, however many others want it; then wait."""
    began = time.thread_time()
    while time.thread_time() - began < seconds:
        pass
    time.sleep(seconds)


def total(weights: Weights, piece: int) -> float:
    return float(weights.sum()) + piece


class Unpicklable:
    """As a compiled player of the core is."""

    def __reduce__(self) -> str:
        raise TypeError("cannot be pickled")


@dataclass
class Population:
    """Caches in itself what it has made of its weights."""

    weights: list[float]

    @cached_property
    def compiled(self) -> Unpicklable:
        return Unpicklable()


def object_identities(population: Population, seconds: float) -> tuple[int, int, int]:
    time.sleep(seconds)
    return os.getpid(), id(population), id(population.compiled)


def begun(folder: Path) -> list[tuple[int, int]]:
    """Which pieces have begun in which process."""
    return [(int(a), int(b)) for a, b in (path.name.split("-") for path in folder.iterdir())]


def square_slowly(folder: Path, piece: int) -> int:
    (folder / f"{piece}-{os.getpid()}").touch()
    time.sleep(0.1)
    return piece**2


def fail_at_three(folder: Path, piece: int) -> int:
    if piece == 3:
        raise ValueError("a piece must not be 3")
    if piece == 4:
        raise FileNotFoundError(2, "No such file or directory", "book.txt")
    return square_slowly(folder, piece)


def kill_once(folder: Path, piece: int) -> int:
    """The first process to begin piece 1 dies of it."""
    if piece == 1 and not begun(folder):
        (folder / f"{piece}-{os.getpid()}").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return piece


def kill_always(_: object, piece: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return piece
