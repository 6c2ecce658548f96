"""Trains a convolutional network on a file of games with PyTorch, and exports it as an ONNX player.

    outflank match all-rounder all-2 --double-games 500 --record games.jsonl
    python examples/train_onnx.py games.jsonl net.onnx
    outflank score net.onnx

The network learns who wins: its target is the final disc difference / 64, for the side that has just moved,
which it sees as Black (the view inversion).
"""

from __future__ import annotations

import argparse

import numpy as np
import onnx
import torch
from torch import nn

from outflank import read_games


def samples(path: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Planes (positions, 2, 8, 8) and targets (positions, 1) of every board after a move."""
    planes, targets = [], []
    for record in read_games(path):
        result = record.game.final.disc_difference / 64
        for before, after in zip(record.game.boards[:-1], record.game.boards[1:], strict=True):
            black_moved = before.settled().mover == "black"
            own, other = (after.black, after.white) if black_moved else (after.white, after.black)
            planes.append([own, other])
            targets.append([result if black_moved else -result])
    bits = np.array(planes, dtype=np.uint64)[:, :, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)
    boards = torch.from_numpy(bits.reshape(-1, 2, 8, 8).astype(np.float32))
    return boards, torch.tensor(targets, dtype=torch.float32)


def network(channels: int = 32) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(2, channels, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(channels, channels, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(64 * channels, 1),
        nn.Tanh(),
    )


def train(model: nn.Module, boards: torch.Tensor, targets: torch.Tensor, epochs: int) -> None:
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        losses = []
        for rows in torch.randperm(len(boards)).split(256):
            loss = nn.functional.mse_loss(model(boards[rows]), targets[rows])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1}: loss {np.mean(losses):.4f}")


def export(model: nn.Module, path: str) -> None:
    """With the view in the metadata, so that the file alone is a player."""
    model.eval()
    torch.onnx.export(
        model, (torch.zeros(1, 2, 8, 8),), path, dynamo=False, opset_version=17,
        input_names=["board"], output_names=["value"], dynamic_axes={"board": {0: "batch"}},
    )  # fmt: skip
    stored = onnx.load(path)
    onnx.helper.set_model_props(stored, {"outflank.view": "inversion"})
    onnx.save(stored, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games")
    parser.add_argument("out")
    parser.add_argument("--epochs", type=int, default=5)
    options = parser.parse_args()
    torch.manual_seed(1)
    model = network()
    train(model, *samples(options.games), options.epochs)
    export(model, options.out)


if __name__ == "__main__":
    main()
