// The exact solver and the search.
#include "search/search.hpp"

#include <chrono>

#include "arrays.hpp"
#include "endgame/solver.hpp"
#include "playing/players.hpp"

namespace outflank::bindings {
namespace {

// A flag that is set by another thread, or after some seconds. Each searching thread reads the
// clock itself: on a busy machine, a thread that only waits may be woken much later.
void make_flag(StopFlag* self, std::optional<double> seconds) {
    if (!seconds) {
        new (self) StopFlag();
        return;
    }
    require(*seconds > 0 && *seconds < 1e6, "seconds must be above 0");
    using Clock = std::chrono::steady_clock;
    const std::chrono::duration<double> length(*seconds);
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(length);
    new (self) StopFlag([end] { return Clock::now() >= end; });
}

void check_resources(int table_bits, int threads) {
    require(table_bits >= 4 && table_bits <= 32, "table_bits must be within 4..32");
    check_threads(threads);
}

// `evaluator` is the network as it plays; see MoveOrdering.
void make_ordering(MoveOrdering* self, const Placements& placements, const Vector<double>& weights,
                   int stages, const Vector<double>& discs_per_unit,
                   std::shared_ptr<Evaluator> evaluator, double weight) {
    require(stages >= 1 && stages <= 61, "a network has 1 to 61 stages");
    require(discs_per_unit.shape(0) == static_cast<std::size_t>(stages),
            "there is one number of discs per unit for each stage");
    const auto tables = tables_of(placements);
    require(weights.shape(0) == weights_of_one_stage(tables) * static_cast<std::size_t>(stages),
            "the number of weights does not fit the tables");
    auto network = without_gil([&] {
        return std::make_shared<OrderingNetwork>(tables, span_of(weights), stages,
                                                 span_of(discs_per_unit));
    });
    new (self) MoveOrdering{std::move(network), std::move(evaluator), weight};
}

void bind_solver(nb::module_& m) {
    nb::class_<MoveOrdering>(m, "MoveOrdering", "What orders the solver's moves.")
        .def("__init__", &make_ordering, "tables"_a, "weights"_a, "stages"_a, "discs_per_unit"_a,
             "evaluator"_a, "weight"_a);
    nb::class_<EndgameSolver>(m, "EndgameSolver", "Solves positions exactly.")
        .def(
            "__init__",
            [](EndgameSolver* self, int table_bits, const MoveOrdering* ordering, int threads) {
                check_resources(table_bits, threads);
                new (self) EndgameSolver(table_bits,
                                         ordering == nullptr ? MoveOrdering{} : *ordering, threads);
            },
            "table_bits"_a, "ordering"_a.none(), "threads"_a)
        .def(
            "solve",
            [](EndgameSolver& solver, Bits mover, Bits opponent, int alpha, int beta,
               const StopFlag* stop) {
                const Position position = checked_position(mover, opponent);
                require(-64 <= alpha && alpha < beta && beta <= 64,
                        "a window is -64 <= alpha < beta <= 64");
                const Solved solved =
                    without_gil([&] { return solver.solve(position, {alpha, beta}, stop); });
                return std::tuple{solved.score, solved.line, solved.nodes, solved.finished};
            },
            "mover"_a, "opponent"_a, "alpha"_a = -64, "beta"_a = 64, "stop"_a.none() = nb::none(),
            "The score for the mover, best play, nodes, and whether it was not stopped.");
}

using FoundMove = std::tuple<int, double, std::vector<int>>;

std::tuple<std::vector<FoundMove>, int, std::uint64_t> search(Searcher& searcher, Bits black,
                                                              Bits white, bool black_moves,
                                                              int depth, std::uint64_t nodes,
                                                              const StopFlag* stop,
                                                              bool all_moves) {
    const Board board = checked_board(black, white, black_moves);
    require(depth >= 1 && depth <= 60, "depth must be within 1..60");
    require(nodes >= 1, "nodes must be at least 1");
    require(board.position().moves() != 0, "the mover has no legal move");
    const SearchReport report =
        without_gil([&] { return searcher.search(board, {depth, nodes, stop, all_moves}); });
    std::vector<FoundMove> moves;
    for (const SearchedMove& move : report.moves) {
        moves.emplace_back(move.square, static_cast<double>(move.value_for_mover), move.line);
    }
    return {moves, report.depth, report.nodes};
}

}  // namespace

void bind_search(nb::module_& m) {
    nb::class_<StopFlag>(m, "StopFlag")
        .def("__init__", &make_flag, "seconds"_a.none() = nb::none(),
             "seconds: from now on, after which it is set by itself.")
        .def("set", &StopFlag::set)
        .def_prop_ro("is_set", &StopFlag::is_set);
    bind_solver(m);
    m.attr("WON_GAME") = static_cast<double>(WON_GAME);
    m.def(
        "value_of_result",
        [](int disc_difference_for_mover) {
            return static_cast<double>(value_of_result(disc_difference_for_mover));
        },
        "disc_difference_for_mover"_a, "What a finished game is worth to a search.");
    nb::class_<ProbCut>(m, "ProbCut")
        .def(
            "__init__",
            [](ProbCut* self, int depth, int shallow, Value slope, Value intercept, Value sigma) {
                require(0 <= shallow && shallow < depth && depth <= 60,
                        "a cut needs 0 <= shallow < depth <= 60");
                new (self) ProbCut{depth, shallow, slope, intercept, sigma};
            },
            "depth"_a, "shallow"_a, "slope"_a, "intercept"_a, "sigma"_a);
    nb::class_<Searcher>(m, "Searcher", "Iterative deepening over a player's evaluators.")
        .def(
            "__init__",
            [](Searcher* self, const Player& player, int table_bits, int threads,
               std::vector<std::vector<ProbCut>> prob_cuts) {
                require(!player.judgement.is_random(), "a player without evaluator cannot search");
                check_resources(table_bits, threads);
                new (self) Searcher(player.judgement, {table_bits, threads, std::move(prob_cuts)});
            },
            "player"_a, "table_bits"_a, "threads"_a, "prob_cuts"_a)
        .def("search", &search, "black"_a, "white"_a, "black_moves"_a, "depth"_a, "nodes"_a,
             "stop"_a.none(), "all_moves"_a,
             "Moves with value and line, best first; the depth reached; the nodes.");
}

}  // namespace outflank::bindings
