"""Learns a linear policy by REINFORCE against a random player, in batches of games that are played in step.

    python policy_gradient.py --steps 2000

The policy is one matrix: 128 inputs (own discs, opponent's discs) to 64 squares. 256 games run side by side,
and each finished game is replaced within the step. About ten seconds for 2,000 steps.
"""

from __future__ import annotations

import argparse

import numpy as np

from outflank.envs import BatchedOthello

GAMES = 256


def main() -> None:
    parser = argparse.ArgumentParser(description="Learn a linear policy by REINFORCE.")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--rate", type=float, default=0.5)
    options = parser.parse_args()

    random = np.random.default_rng(1)
    weights = np.zeros((128, 64), dtype=np.float32)
    batch = BatchedOthello(GAMES, opponent="random", seed=1)
    observations, masks = batch.reset()
    traces = np.zeros(
        (GAMES, 128, 64), dtype=np.float32
    )  # the gradient of each game's log-probability so far
    rewards: list[float] = []
    for number in range(1, options.steps + 1):
        boards = observations.reshape(GAMES, 128).astype(np.float32)
        logits = np.where(masks, boards @ weights, -np.inf)
        actions = (logits + random.gumbel(size=logits.shape)).argmax(axis=1)  # a sample of the softmax
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        scores = -chances
        scores[np.arange(GAMES), actions] += 1
        traces += boards[:, :, None] * scores[:, None, :].astype(np.float32)
        step = batch.step(actions)
        if over := np.flatnonzero(step.terminated).tolist():
            points = np.asarray(step.rewards)[over]
            weights += options.rate / GAMES / 30 * np.tensordot(points - points.mean(), traces[over], axes=1)
            traces[over] = 0
            rewards += points.tolist()
        observations, masks = step.observations, step.masks
        if number % 200 == 0:
            print(f"step {number:5}: score {(np.mean(rewards[-2000:]) + 1) / 2:.3f} against random")


if __name__ == "__main__":
    main()
