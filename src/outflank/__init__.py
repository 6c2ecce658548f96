"""outflank: a laboratory and a league for learned Othello players.

>>> from outflank import league_match, named_player
>>> round(league_match(named_player("all-2"), double_games=2000).play().score, 1)
1.0

The public names are those of `__init__.pyi`, imported when first used: `outflank --help` answers at once.
"""

import lazy_loader

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
