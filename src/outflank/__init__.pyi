"""The public names, and where each is defined."""

from .board import Board, Square
from .evaluators.counted_network import CountedNetwork
from .evaluators.deep_network import DeepNetwork
from .evaluators.doubled import DoubledFunction
from .evaluators.iago import Iago
from .evaluators.mlp import Mlp, SpatialMlp
from .evaluators.ntuple_network import NTupleNetwork
from .evaluators.onnx.network import OnnxEvaluator, OnnxNetwork
from .evaluators.piece_counter import PieceCounter
from .evaluators.protocol import CoreEvaluator, Evaluator, FunctionEvaluator, WeightedEvaluator
from .evaluators.storage import StoredPlayer, load_player, save_player
from .games.batch import Forfeit
from .games.formats.any_format import GameRecord, read_games, write_games
from .games.game import Game
from .games.match import Match
from .games.positions import read_start_positions
from .games.ratings.bradley_terry import bradley_terry
from .games.statistics import Tally
from .games.tournaments.standings import Standings
from .games.tournaments.tournament import Tournament, TournamentSettings
from .league.scoring import league_match
from .learners.execution.executor import ThreadExecutor
from .learners.fitness.fixed_opponents import LeagueScore
from .learners.fitness.population import Games, Opponents, PlayingStyle, Population
from .learners.optimisers.cma_es import CmaEs
from .learners.optimisers.evolution_strategies import EvolutionStrategy, SelfAdaptiveEvolution
from .learners.optimisers.genetic import GeneticSearch
from .learners.optimisers.optimiser import Optimiser
from .learners.runs.evolution_settings import EvolutionSettings
from .learners.runs.parallel_runs import create_run, open_run
from .learners.td import TdSettings
from .players.analysis import Analysis
from .players.engines.player import ExternalPlayer
from .players.greedy import GreedyPlayer, Player, RandomPlayer
from .players.names import named_player
from .players.onnx_player import PolicyPlayer
from .players.opening_book import OpeningBook
from .players.search import SearchLimits, SearchPlayer
from .players.search_tuning import SearchTuning
from .players.solver import Solution, Solver

__all__ = [
    "Analysis",
    "Board",
    "CmaEs",
    "CoreEvaluator",
    "CountedNetwork",
    "DeepNetwork",
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
    "OnnxEvaluator",
    "OnnxNetwork",
    "OpeningBook",
    "Opponents",
    "Optimiser",
    "PieceCounter",
    "Player",
    "PlayingStyle",
    "PolicyPlayer",
    "Population",
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
    "WeightedEvaluator",
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
__version__: str
