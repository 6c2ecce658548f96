"""What an optimiser is: ask it for a generation of weight vectors, tell it how fit each of them is.

It knows nothing of games. Randomness is an argument: generation g draws only from stream(seed, g), so
that a checkpoint needs no generator, and a generation that is asked for again is the same.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

FloatVector = npt.NDArray[np.float64]
FloatMatrix = npt.NDArray[np.float64]
IntVector = npt.NDArray[np.int64]
Tensors = dict[str, npt.NDArray[np.float64]]


def stream(seed: int, generation: int) -> np.random.Generator:
    """The numbers that generation draws."""
    return np.random.default_rng([seed, generation])


class Optimiser(Protocol):
    """Searches flat weight vectors. `generation` counts the tells so far."""

    generation: int

    def ask(self) -> FloatMatrix:
        """The individuals of this generation, one a row: first those kept from the last one, then new
        ones. Asking twice gives the same."""
        ...

    def tell(self, fitness: FloatVector, individuals: FloatMatrix | None = None) -> None:
        """One number for each row that was asked, the higher the better. `individuals`: the rows as they
        are now, if they learned something in the meantime (weights changed within their lifetime)."""
        ...

    @property
    def kept(self) -> IntVector:
        """For the leading rows that ask() carries over unchanged from the last generation: which row of
        that generation each was. Empty if every row is new."""
        ...

    @property
    def choosing(self) -> int:
        """How many individuals of a generation are chosen; the rest could as well not have been."""
        ...

    @property
    def parents(self) -> FloatMatrix:
        """The individuals chosen last, the fittest first; for a search distribution, its mean."""
        ...

    @property
    def favourite(self) -> FloatVector:
        """The vector it would hand out now."""
        ...

    def state(self) -> Tensors:
        """All that a checkpoint must hold."""
        ...

    def restore(self, state: Tensors) -> None:
        """Go on from a checkpoint."""
        ...
