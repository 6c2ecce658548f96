"""Objects that go to other processes without what they have cached, such as their compiled form.

>>> import pickle
>>> from outflank import named_player
>>> player = named_player("all-2")
>>> player.core is not None, "core" in vars(player)
(True, True)
>>> "core" in vars(pickle.loads(pickle.dumps(player)))
False
"""

from __future__ import annotations

from functools import cached_property
from typing import Any


class Portable:
    """Leaves its cached properties behind; where it arrives, they are made anew when first needed."""

    def __getstate__(self) -> dict[str, Any]:
        cached = {
            name
            for kind in type(self).__mro__
            for name, value in vars(kind).items()
            if isinstance(value, cached_property)
        }
        return {name: value for name, value in vars(self).items() if name not in cached}
