"""Runs of either kind, by their settings."""

from __future__ import annotations

from pathlib import Path

from outflank.learners.evolution_run import EvolutionRun
from outflank.learners.evolution_settings import EvolutionSettings
from outflank.learners.executor import Executor
from outflank.learners.run_folder import RunFolder
from outflank.learners.settings import Settings
from outflank.learners.training import Run, TdRun


def create_run(path: Path, settings: Settings, seed: int, executor: Executor | None = None) -> Run:
    """A new run in a folder that is not there yet. `executor`: where an evolutionary run plays its games."""
    if isinstance(settings, EvolutionSettings):
        return EvolutionRun.create(path, settings, seed, executor)
    return TdRun.create(path, settings, seed)


def open_run(path: Path, executor: Executor | None = None) -> Run:
    """The run in a folder, as its last checkpoint left it."""
    folder = RunFolder.open(path)
    settings, _ = folder.settings()
    return EvolutionRun(folder, executor) if isinstance(settings, EvolutionSettings) else TdRun(folder)
