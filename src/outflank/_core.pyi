"""The C++ core of outflank. Squares are bits 0..63, a1 = 0, row by row."""

from collections.abc import Sequence
import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray


NO_MOVE: int = 255

LONGEST_GAME: int = 60

LONGEST_TUPLE: int = 15

TIE: float = 1e-06

VARIANT: str = 'native'

def tuned_for() -> str:
    """What kind of machine this build is for."""

def legal_moves(mover: int, opponent: int) -> int: ...

def flips(square: int, mover: int, opponent: int) -> int: ...

def symmetric(set: int, symmetry: int) -> int: ...

def perft(mover: int, opponent: int, depth: int) -> int: ...

def stream_numbers(seed: int, stream: int, count: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]:
    """The first numbers of stream(seed, stream)."""

def exponentials(exponents: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """e to the power of each number: the same bits on every machine."""

NO_BOOK_VALUE: int = -32768

BOOK_GAME_OVER: int = 66

BOOK_UNITS_PER_DISC: int = 100

class OpeningBook:
    """A book, read in place."""

    def __init__(self, bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

    @property
    def plies(self) -> int: ...

    @property
    def games(self) -> int: ...

    @property
    def note(self) -> bytes: ...

    def is_intact(self) -> bool: ...

    def find(self, mover: int, opponent: int) -> tuple[float, int] | None: ...

    def moves(self, mover: int, opponent: int) -> list[tuple[int, float, bool, int]]: ...

    def values(self, mover: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], opponent: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]:
        """The values of many positions in discs; NaN where the book has none."""

    def move_counts(self, mover: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], opponent: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]:
        """How many book moves each of many positions has."""

    def entries(self) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]]: ...

class GrowingBook:
    """A book under construction."""

    def __init__(self, plies: int) -> None: ...

    @staticmethod
    def of(book: OpeningBook) -> GrowingBook: ...

    def __len__(self) -> int: ...

    @property
    def plies(self) -> int: ...

    @plies.setter
    def plies(self, arg: int, /) -> None: ...

    @property
    def games(self) -> int: ...

    def add_games(self, black: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], white: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], black_moves: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], games: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None: ...

    def drop_rare(self, fewest_games: int) -> None: ...

    def not_judged(self) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]]: ...

    def moves_out(self, mover: int, opponent: int) -> int:
        """The legal moves that lead out of the book, as a set."""

    def set_deviation(self, mover: int, opponent: int, square: int | None, value_for_mover: float) -> None: ...

    def propagate(self) -> None: ...

    def find(self, mover: int, opponent: int) -> tuple[float, int] | None: ...

    def moves(self, mover: int, opponent: int) -> list[tuple[int, float, bool, int]]: ...

    def entries(self) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]]: ...

    def bytes(self, note: str) -> bytes:
        """The book as a file."""

def squares(black: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], white: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C')]:
    """Boards as rows of 64 numbers: black +1, white -1, empty 0."""

class Evaluator:
    def values(self, black: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], white: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    @property
    def bytes(self) -> int:
        """Memory in use."""

def piece_counter(weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Evaluator: ...

def iago(square_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], coefficients: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Evaluator:
    """
    coefficients: base and slope of positional, early, late and potential mobility.
    """

def ntuple_network(tables: Sequence[Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)]], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], stages: int = 1, form: str = 'compiled') -> Evaluator:
    """form: plain, folded, or compiled (the faster of the two)."""

def counted_network(tables: Sequence[Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)]], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Sequence[str], count_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], stages: int = 1) -> Evaluator: ...

def deep_network(tables: Sequence[Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)]], vector: int, hidden: int, stages: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Evaluator: ...

def covering_sets(tables: Sequence[Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)]]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]:
    """The sets of squares that the folded form of a network looks up."""

def parse_league_text(text: bytes) -> tuple[list[Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C')]], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    The tables (squares, a row per placement; none for a piece counter) and the weights.
    """

def mlp(layers: Sequence[tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]]], add_disc_difference: bool = False) -> Evaluator: ...

class Player:
    def judge(self, black: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], white: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], black_moves: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
        """
        The legal moves of boards with the player's value of each: first, squares, values.
        """

class Chooser:
    """A player that keeps its tables from move to move."""

    def __init__(self, player: Player) -> None: ...

    def choose(self, black: int, white: int, black_moves: bool, seed: int) -> int: ...

def player(for_black: Evaluator | None, for_white: Evaluator | None, view: str, depth: int = 1, nodes: int = 0, prob_cuts: Sequence[Sequence[ProbCut]] = [], solve_from: int = 0, ordering: MoveOrdering | None = None, book: OpeningBook | None = None, book_best: int = 1) -> Player: ...

class MatchRules:
    def __init__(self, black: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], white: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], black_moves: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], epsilon: Sequence[float], seed: int, alternate_colours: bool = True, first_of_ties: bool = False, most_passes: int = 2147483647) -> None: ...

def play_games(first: Player, second: Player, rules: MatchRules, first_game: int, count: int, threads: int = 1, record: bool = False) -> tuple[Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C')] | None]: ...

def play_pairings(players: Sequence[Player], pairings: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], rules: MatchRules) -> Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C')]:
    """
    Pairings are rows of first player, second player, first game, games; returns wins, draws and losses of the first.
    """

def disc_differences(rules: MatchRules, first_game: int, moves: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int8], dict(shape=(None, None), order='C')]: ...

def afterstates(black: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], white: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], black_moves: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]]:
    """
    All boards one move after each of the given ones: first, squares, black, white.
    """

def next_movers(black: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], white: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], black_moves: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C')]:
    """
    Who moves next, passes included: 1 for Black, 0 for White, -1 if the game is over.
    """

class GamesInStep:
    """Many games in step, for players outside the core."""

    def __init__(self, rules: MatchRules, first_game: int, count: int, record: bool = False) -> None: ...

    @property
    def over(self) -> bool: ...

    @property
    def games_over(self) -> int: ...

    def gather(self, turn: int) -> int:
        """Gathers the games that wait for player 0 or 1; returns how many."""

    def waiting_boards(self) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]]: ...

    def afterstates(self) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]]: ...

    def answer_values(self, values_for_mover: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def answer_squares(self, squares: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def answer_by(self, player: Player) -> None: ...

    def disc_differences(self) -> Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C')]: ...

    def moves(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C')]: ...

class BatchedGames:
    """Thousands of games in step, replaced when over."""

    def __init__(self, rules: MatchRules, size: int, opponent: Player | None = None) -> None: ...

    def step(self, squares: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, over: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], disc_differences: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu')], planes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], masks: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], black_turn: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def observe(self, planes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], masks: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')], black_turn: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

    def positions(self) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]]:
        """The discs of the movers and of their opponents."""

    def draw_moves(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]:
        """A random legal move for each game."""

class Learnable(Evaluator):
    """An evaluator whose weights change as it plays."""

    @property
    def weight_count(self) -> int: ...

    def weights(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]: ...

    def set_weights(self, weights: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def coherence(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]: ...

    def set_coherence(self, coherence: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def learning_piece_counter(weight_of_square: Sequence[int], weights: int, coherent: bool) -> Learnable: ...

def learning_network(tables: Sequence[Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)]], stages: int, coherent: bool, symmetric: bool = False) -> Learnable: ...

def learning_mlp(nodes: Sequence[int], first_layer: Sequence[int], first_biases: Sequence[int], first_layer_weights: int, add_disc_difference: bool, coherent: bool) -> Learnable: ...

class Successor(enum.Enum):
    own = 0

    every_board = 1

class Output(enum.Enum):
    tanh = 0

    logistic = 1

    discs = 2

class View(enum.Enum):
    inversion = 0

    negation = 1

class TdSettings:
    def __init__(self) -> None: ...

    @property
    def view(self) -> View: ...

    @view.setter
    def view(self, arg: View, /) -> None: ...

    @property
    def successor(self) -> Successor: ...

    @successor.setter
    def successor(self, arg: Successor, /) -> None: ...

    @property
    def output(self) -> Output: ...

    @output.setter
    def output(self, arg: Output, /) -> None: ...

    @property
    def expected_target(self) -> bool: ...

    @expected_target.setter
    def expected_target(self, arg: bool, /) -> None: ...

    @property
    def target_epsilon(self) -> float: ...

    @target_epsilon.setter
    def target_epsilon(self, arg: float, /) -> None: ...

    @property
    def disc_unit(self) -> float: ...

    @disc_unit.setter
    def disc_unit(self, arg: float, /) -> None: ...

    @property
    def solved(self) -> int: ...

    @solved.setter
    def solved(self, arg: int, /) -> None: ...

    @property
    def depth(self) -> int: ...

    @depth.setter
    def depth(self, arg: int, /) -> None: ...

    @property
    def batch(self) -> int: ...

    @batch.setter
    def batch(self, arg: int, /) -> None: ...

    @property
    def final_board(self) -> bool: ...

    @final_board.setter
    def final_board(self, arg: bool, /) -> None: ...

    @property
    def random_moves_teach(self) -> bool: ...

    @random_moves_teach.setter
    def random_moves_teach(self, arg: bool, /) -> None: ...

    @property
    def trace(self) -> float: ...

    @trace.setter
    def trace(self, arg: float, /) -> None: ...

    @property
    def alpha(self) -> float: ...

    @alpha.setter
    def alpha(self, arg: float, /) -> None: ...

    @property
    def final_alpha(self) -> float: ...

    @final_alpha.setter
    def final_alpha(self, arg: float, /) -> None: ...

    @property
    def games(self) -> int: ...

    @games.setter
    def games(self, arg: int, /) -> None: ...

    @property
    def epsilon(self) -> float: ...

    @epsilon.setter
    def epsilon(self, arg: float, /) -> None: ...

    @property
    def opponent_epsilon(self) -> float: ...

    @opponent_epsilon.setter
    def opponent_epsilon(self, arg: float, /) -> None: ...

    @property
    def random_plies(self) -> int: ...

    @random_plies.setter
    def random_plies(self, arg: int, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    def set_starts(self, black: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], white: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], black_moves: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def td_learn(evaluator: Learnable, opponents: Sequence[Player | None], settings: TdSettings, first_game: int, count: int, threads: int = 1) -> tuple[int, float, float]:
    """
    Plays and learns; returns the updates, the sum of squared errors, the learner's points.
    """

def td_play(evaluator: Learnable, opponents: Sequence[Player | None], settings: TdSettings, first_game: int, count: int, threads: int = 1) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    Plays with the present weights; returns the number of lessons and the points of each game, then each lesson's black and white discs, sign and target.
    """

def td_learn_from(evaluator: Learnable, settings: TdSettings, first_game: int, counts: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], points: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], black: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], white: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], signs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], targets: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> tuple[int, float, float]:
    """
    Learns what td_play returned for consecutive games; returns what td_learn does.
    """

class StopFlag:
    def __init__(self, seconds: float | None = None) -> None:
        """seconds: from now on, after which it is set by itself."""

    def set(self) -> None: ...

    @property
    def is_set(self) -> bool: ...

class MoveOrdering:
    """What orders the solver's moves."""

    def __init__(self, tables: Sequence[Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)]], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], stages: int, discs_per_unit: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], evaluator: Evaluator, weight: float) -> None: ...

class EndgameSolver:
    """Solves positions exactly."""

    def __init__(self, table_bits: int, ordering: MoveOrdering | None, threads: int) -> None: ...

    def solve(self, mover: int, opponent: int, alpha: int = -64, beta: int = 64, stop: StopFlag | None = None) -> tuple[int, list[int], int, bool]:
        """
        The score for the mover, best play, nodes, and whether it was not stopped.
        """

WON_GAME: float = 1000000.0

def value_of_result(disc_difference_for_mover: int) -> float:
    """What a finished game is worth to a search."""

class ProbCut:
    def __init__(self, depth: int, shallow: int, slope: float, intercept: float, sigma: float) -> None: ...

class Searcher:
    """Iterative deepening over a player's evaluators."""

    def __init__(self, player: Player, table_bits: int, threads: int, prob_cuts: Sequence[Sequence[ProbCut]]) -> None: ...

    def search(self, black: int, white: int, black_moves: bool, depth: int, nodes: int, stop: StopFlag | None, all_moves: bool) -> tuple[list[tuple[int, float, list[int]]], int, int]:
        """Moves with value and line, best first; the depth reached; the nodes."""

WRITTEN_PASS: int = 64

def replay_records(records: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], black: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], white: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], black_moves: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]]:
    """
    Replays records (squares, 64 for a written pass, 255 after the end) from their starts: legal entries, set of entries with an unwritten pass before them, over, black discs, white discs.
    """

class LabelSettings:
    def __init__(self) -> None: ...

    @property
    def random_plies(self) -> int: ...

    @random_plies.setter
    def random_plies(self, arg: int, /) -> None: ...

    @property
    def epsilon(self) -> float: ...

    @epsilon.setter
    def epsilon(self, arg: float, /) -> None: ...

    @property
    def play_depth(self) -> int: ...

    @play_depth.setter
    def play_depth(self, arg: int, /) -> None: ...

    @property
    def depth(self) -> int: ...

    @depth.setter
    def depth(self, arg: int, /) -> None: ...

    @property
    def solved(self) -> int: ...

    @solved.setter
    def solved(self, arg: int, /) -> None: ...

    @property
    def fewest_empties(self) -> int: ...

    @fewest_empties.setter
    def fewest_empties(self, arg: int, /) -> None: ...

    @property
    def most_empties(self) -> int: ...

    @most_empties.setter
    def most_empties(self, arg: int, /) -> None: ...

    @property
    def side_moves(self) -> float: ...

    @side_moves.setter
    def side_moves(self, arg: float, /) -> None: ...

    @property
    def seed(self) -> int: ...

    @seed.setter
    def seed(self, arg: int, /) -> None: ...

    @property
    def opponents(self) -> int:
        """Players, or None for the evaluator itself; read: how many."""

    @opponents.setter
    def opponents(self, arg: Sequence[Player | None], /) -> None: ...

def label_games(evaluator: Evaluator, settings: LabelSettings, first_game: int, count: int, threads: int = 1) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]]:
    """
    Plays games and labels their boards; returns each board's discs, those of the side that moved last first, and what it is worth to that side, in discs.
    """

def label_positions(evaluator: Evaluator, depth: int, solved: int, mover: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], opponent: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int = 1) -> Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')]:
    """
    What positions are worth to their movers, in discs, by search or solver.
    """

def learn_preferences(evaluator: Learnable, mover: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], opponent: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], squares: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: float, threads: int = 1) -> tuple[int, float, float]:
    """
    Raises the probability of the moves made; returns the number of decisions, the sum of log losses, and how many moves were predicted, all from before each step.
    """

def descend(evaluator: Learnable, black: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], white: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], discs: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha: float) -> float:
    """
    One pass of stochastic gradient descent; returns the mean squared error.
    """

def learning_deep_network(tables: Sequence[Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)]], vector: int, hidden: int, stages: int, own_rates: bool, symmetric: bool = False) -> Learnable: ...

def fit_stage(tables: Sequence[Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)]], counts: Sequence[str], black: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], white: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], discs: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], prior: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], ridge: float, iterations: int, symmetric: bool = True, threads: int = 1) -> tuple[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C')], float, float]:
    """
    Weights of one stage by penalised least squares; returns them and the mean squared error after and before.
    """
