"""The Othello League as published: Table III of Jaskowski 2014, milestones since September 2007."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Published:
    """A row of the table. Most scores are of 50 double games, the first two of 50,000."""

    date: str
    name: str
    encoding: str
    weights: int
    score: float


TABLE_3 = (
    Published("2014", "all-2-inv", "n-tuple network", 288, 0.9592),
    Published("2013-09-17", "wj-1-2-3-tuples", "n-tuple network", 966, 0.9149),
    Published("2011-01-30", "epTDLmpx_12x6", "n-tuple network", 3240, 0.871),
    Published("2011-01-28", "prb_nt15_001", "n-tuple network", 6561, 0.845),
    Published("2011-01-25", "epTDLxover", "n-tuple network", 4698, 0.83),
    Published("2008-05-03", "t15x6x8", "n-tuple network", 10935, 0.805),
    Published("2008-05-03", "x30x6x8", "n-tuple network", 21870, 0.73),
    Published("2008-03-28", "Stunner", "n-tuple network", 7725, 0.675),
    Published("2007-09-14", "MLP(...)312-ties0.FF", "neural network", 1915, 0.62),
)
