"""Learning within a lifetime: temporal differences on every individual before it is selected.

What an individual learns stays in its weights and is inherited (Singer 2001; Szubert, Jaskowski and Krawiec
2009, co-evolutionary temporal difference learning).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from outflank.evaluators.protocol import CoreEvaluator
from outflank.learners.executor import Executor
from outflank.learners.optimiser import FloatMatrix, FloatVector
from outflank.learners.td import TdLearner, TdSettings


@dataclass(frozen=True)
class Lessons:
    """What all individuals of a generation learn from: so many games of self-play, each its own."""

    settings: TdSettings
    evaluator: CoreEvaluator  # the architecture
    weights: FloatMatrix
    seed: int


def learn_all(executor: Executor, lessons: Lessons) -> FloatMatrix:
    """The individuals after their lessons."""
    return np.stack(executor.map(learn, lessons, list(range(len(lessons.weights)))))


def learn(lessons: Lessons, number: int) -> FloatVector:
    """One individual's weights after its games; pure."""
    evaluator = lessons.evaluator.with_weights(lessons.weights[number])
    learner = TdLearner(lessons.settings, (lessons.seed + number) % (1 << 64), evaluator)
    learner.play(lessons.settings.games)
    return learner.learned().weights
