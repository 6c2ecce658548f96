"""Learning between generations: temporal differences on every individual before it is selected.

What an individual learns stays in its weights and is inherited (Singer 2001; Szubert, Jaskowski and Krawiec
2009, co-evolutionary temporal difference learning).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from outflank.evaluators.protocol import CoreEvaluator, WeightedEvaluator
from outflank.learners.execution.executor import Executor
from outflank.learners.optimisers.optimiser import FloatMatrix, FloatVector
from outflank.learners.td import TdLearner, TdSettings


@dataclass(frozen=True)
class SelfPlay:
    """The self-play that all individuals of a generation learn from, each by itself."""

    settings: TdSettings
    evaluator: WeightedEvaluator  # the architecture
    weights: FloatMatrix
    seed: int


def learned_individuals(executor: Executor, self_play: SelfPlay) -> FloatMatrix:
    """The weights of all individuals after their games."""
    return np.stack(executor.map(learned_individual, self_play, list(range(len(self_play.weights)))))


def learned_individual(self_play: SelfPlay, number: int) -> FloatVector:
    """One individual's weights after its games; pure."""
    evaluator = self_play.evaluator.with_weights(self_play.weights[number])
    assert isinstance(evaluator, CoreEvaluator)  # the run's settings were checked
    learner = TdLearner(self_play.settings, (self_play.seed + number) % (1 << 64), evaluator)
    learner.play(self_play.settings.games)
    return learner.learned().weights
