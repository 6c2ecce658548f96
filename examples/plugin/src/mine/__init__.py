"""Plug-ins for outflank: everything that a command line or a settings file names as `mine:NAME`."""

from mine.evaluators import Regions, corners
from mine.fitness import WorstCase
from mine.optimisers import Ga
from mine.players import Mobility

__all__ = ["Ga", "Mobility", "Regions", "WorstCase", "corners"]
