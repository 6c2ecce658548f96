"""outflank: a laboratory and a league for learned Othello players.

>>> from outflank import league_match, named_player
>>> round(league_match(named_player("all-2"), double_games=2000).play().score, 1)
1.0

The public names are imported when first used, so that `outflank --help` answers at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from outflank.board import Board, Square
    from outflank.evaluators.doubled import DoubledFunction
    from outflank.evaluators.iago import Iago
    from outflank.evaluators.mlp import Mlp
    from outflank.evaluators.ntuple_network import NTupleNetwork
    from outflank.evaluators.piece_counter import PieceCounter
    from outflank.evaluators.protocol import CoreEvaluator, Evaluator, FunctionEvaluator
    from outflank.evaluators.spatial_mlp import SpatialMlp
    from outflank.evaluators.storage import StoredPlayer, load_player, save_player
    from outflank.games.batch import Forfeit
    from outflank.games.game import Game
    from outflank.games.match import Match
    from outflank.games.ratings import bradley_terry
    from outflank.games.records import GameRecord, read_games, write_games
    from outflank.games.standings import Standings
    from outflank.games.start_positions import read_start_positions
    from outflank.games.statistics import Tally
    from outflank.games.tournament import Tournament, TournamentSettings
    from outflank.league.scoring import league_match
    from outflank.players.analysis import Analysis
    from outflank.players.external import ExternalPlayer
    from outflank.players.greedy import GreedyPlayer, Player, RandomPlayer
    from outflank.players.knowledge import Solution, Solver
    from outflank.players.names import named_player
    from outflank.players.opening_book import OpeningBook
    from outflank.players.search import SearchLimits, SearchPlayer
    from outflank.players.tuning import SearchTuning

__version__ = "0.1.0"
_MODULE_OF = {
    "Analysis": "players.analysis",
    "Board": "board",
    "CoreEvaluator": "evaluators.protocol",
    "DoubledFunction": "evaluators.doubled",
    "Evaluator": "evaluators.protocol",
    "ExternalPlayer": "players.external",
    "Forfeit": "games.batch",
    "FunctionEvaluator": "evaluators.protocol",
    "Game": "games.game",
    "GameRecord": "games.records",
    "GreedyPlayer": "players.greedy",
    "Iago": "evaluators.iago",
    "Match": "games.match",
    "Mlp": "evaluators.mlp",
    "NTupleNetwork": "evaluators.ntuple_network",
    "OpeningBook": "players.opening_book",
    "PieceCounter": "evaluators.piece_counter",
    "Player": "players.greedy",
    "RandomPlayer": "players.greedy",
    "SearchLimits": "players.search",
    "SearchPlayer": "players.search",
    "SearchTuning": "players.tuning",
    "Solution": "players.knowledge",
    "Solver": "players.knowledge",
    "SpatialMlp": "evaluators.spatial_mlp",
    "Square": "board",
    "Standings": "games.standings",
    "StoredPlayer": "evaluators.storage",
    "Tally": "games.statistics",
    "Tournament": "games.tournament",
    "TournamentSettings": "games.tournament",
    "bradley_terry": "games.ratings",
    "league_match": "league.scoring",
    "load_player": "evaluators.storage",
    "named_player": "players.names",
    "read_games": "games.records",
    "read_start_positions": "games.start_positions",
    "save_player": "evaluators.storage",
    "write_games": "games.records",
}
__all__ = [
    "Analysis",
    "Board",
    "CoreEvaluator",
    "DoubledFunction",
    "Evaluator",
    "ExternalPlayer",
    "Forfeit",
    "FunctionEvaluator",
    "Game",
    "GameRecord",
    "GreedyPlayer",
    "Iago",
    "Match",
    "Mlp",
    "NTupleNetwork",
    "OpeningBook",
    "PieceCounter",
    "Player",
    "RandomPlayer",
    "SearchLimits",
    "SearchPlayer",
    "SearchTuning",
    "Solution",
    "Solver",
    "SpatialMlp",
    "Square",
    "Standings",
    "StoredPlayer",
    "Tally",
    "Tournament",
    "TournamentSettings",
    "bradley_terry",
    "league_match",
    "load_player",
    "named_player",
    "read_games",
    "read_start_positions",
    "save_player",
    "write_games",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'outflank' has no attribute {name!r}")
    return getattr(import_module(f"outflank.{_MODULE_OF[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
