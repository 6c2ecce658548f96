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
    from outflank.learners.cma import CmaEs
    from outflank.learners.contest import Contest, Games, Opponents, PlayingStyle
    from outflank.learners.evolution import EvolutionStrategy, SelfAdaptiveEvolution
    from outflank.learners.evolution_settings import EvolutionSettings
    from outflank.learners.executor import ThreadExecutor
    from outflank.learners.fitness import LeagueScore
    from outflank.learners.genetic import GeneticSearch
    from outflank.learners.optimiser import Optimiser
    from outflank.learners.runs import create_run, open_run
    from outflank.learners.td import TdSettings
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
    "CmaEs": "learners.cma",
    "Contest": "learners.contest",
    "CoreEvaluator": "evaluators.protocol",
    "DoubledFunction": "evaluators.doubled",
    "Evaluator": "evaluators.protocol",
    "EvolutionSettings": "learners.evolution_settings",
    "EvolutionStrategy": "learners.evolution",
    "ExternalPlayer": "players.external",
    "Forfeit": "games.batch",
    "FunctionEvaluator": "evaluators.protocol",
    "Game": "games.game",
    "GameRecord": "games.records",
    "Games": "learners.contest",
    "GeneticSearch": "learners.genetic",
    "GreedyPlayer": "players.greedy",
    "Iago": "evaluators.iago",
    "LeagueScore": "learners.fitness",
    "Match": "games.match",
    "Mlp": "evaluators.mlp",
    "NTupleNetwork": "evaluators.ntuple_network",
    "OpeningBook": "players.opening_book",
    "Opponents": "learners.contest",
    "Optimiser": "learners.optimiser",
    "PieceCounter": "evaluators.piece_counter",
    "Player": "players.greedy",
    "PlayingStyle": "learners.contest",
    "RandomPlayer": "players.greedy",
    "SearchLimits": "players.search",
    "SearchPlayer": "players.search",
    "SearchTuning": "players.tuning",
    "SelfAdaptiveEvolution": "learners.evolution",
    "Solution": "players.knowledge",
    "Solver": "players.knowledge",
    "SpatialMlp": "evaluators.spatial_mlp",
    "Square": "board",
    "Standings": "games.standings",
    "StoredPlayer": "evaluators.storage",
    "Tally": "games.statistics",
    "TdSettings": "learners.td",
    "ThreadExecutor": "learners.executor",
    "Tournament": "games.tournament",
    "TournamentSettings": "games.tournament",
    "bradley_terry": "games.ratings",
    "create_run": "learners.runs",
    "league_match": "league.scoring",
    "load_player": "evaluators.storage",
    "named_player": "players.names",
    "open_run": "learners.runs",
    "read_games": "games.records",
    "read_start_positions": "games.start_positions",
    "save_player": "evaluators.storage",
    "write_games": "games.records",
}
__all__ = [
    "Analysis",
    "Board",
    "CmaEs",
    "Contest",
    "CoreEvaluator",
    "DoubledFunction",
    "Evaluator",
    "EvolutionSettings",
    "EvolutionStrategy",
    "ExternalPlayer",
    "Forfeit",
    "FunctionEvaluator",
    "Game",
    "GameRecord",
    "Games",
    "GeneticSearch",
    "GreedyPlayer",
    "Iago",
    "LeagueScore",
    "Match",
    "Mlp",
    "NTupleNetwork",
    "OpeningBook",
    "Opponents",
    "Optimiser",
    "PieceCounter",
    "Player",
    "PlayingStyle",
    "RandomPlayer",
    "SearchLimits",
    "SearchPlayer",
    "SearchTuning",
    "SelfAdaptiveEvolution",
    "Solution",
    "Solver",
    "SpatialMlp",
    "Square",
    "Standings",
    "StoredPlayer",
    "Tally",
    "TdSettings",
    "ThreadExecutor",
    "Tournament",
    "TournamentSettings",
    "bradley_terry",
    "create_run",
    "league_match",
    "load_player",
    "named_player",
    "open_run",
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
