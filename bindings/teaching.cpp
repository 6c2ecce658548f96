// A teacher's labels, and the fit of weights to them.
#include "arrays.hpp"
#include "learning/deep_learning.hpp"
#include "learning/labels.hpp"
#include "learning/least_squares.hpp"
#include "learning/preferences.hpp"

namespace outflank::bindings {
namespace {

using Examples = std::tuple<NewVector<Bits>, NewVector<Bits>, NewVector<float>>;

void check_search(int depth, int solved) {
    require(depth >= 1 && depth <= 12, "depth must be within 1..12");
    require(solved >= 0 && solved <= 24, "labels are exact from at most 24 empty squares");
}

Examples label(const std::shared_ptr<Evaluator>& evaluator, const LabelSettings& settings,
               std::uint64_t first_game, std::size_t count, int threads) {
    check_threads(threads);
    check_search(settings.depth, settings.solved);
    require(settings.play_depth >= 1 && settings.play_depth <= 8, "play_depth must be within 1..8");
    require(count <= 65536, "at most 65,536 games are labelled at once");
    require(!settings.starts.empty(), "there must be at least one start position");
    const auto examples =
        without_gil([&] { return label_games(evaluator, settings, {first_game, count}, threads); });
    return {column_of(examples, &Example::black), column_of(examples, &Example::white),
            column_of(examples, &Example::discs)};
}

NewVector<float> label_these(const std::shared_ptr<Evaluator>& evaluator, int depth, int solved,
                             const Vector<Bits>& mover, const Vector<Bits>& opponent, int threads) {
    check_threads(threads);
    check_search(depth, solved);
    check_boards(mover, opponent);
    std::vector<Position> positions;
    for (std::size_t i = 0; i < mover.shape(0); ++i) {
        positions.push_back({mover(i), opponent(i)});
    }
    return to_numpy(
        without_gil([&] { return label_positions(evaluator, depth, solved, positions, threads); }));
}

std::tuple<NewVector<float>, double, double> fit(
    const Placements& placements, const std::vector<std::string>& count_names,
    const Vector<Bits>& black, const Vector<Bits>& white, const Vector<float>& discs,
    const Vector<float>& prior, double ridge, int iterations, bool symmetric, int threads) {
    check_threads(threads);
    require(ridge > 0, "ridge must be above zero");
    check_boards(black, white);
    require(discs.shape(0) == black.shape(0), "there must be one label for each board");
    const auto tables = tables_of(placements);
    const auto counts = counts_of(count_names);
    require(prior.shape(0) == weights_of_one_stage(tables) + counts.size() * COUNT_ENTRIES,
            "the prior must have the weights of one stage");
    Fit found = without_gil([&] {
        std::vector<Example> examples;
        for (std::size_t i = 0; i < discs.shape(0); ++i) {
            examples.push_back({black(i), white(i), discs(i)});
        }
        return fit_stage(tables, counts, examples, span_of(prior), {ridge, iterations, symmetric},
                         threads);
    });
    return {to_numpy(std::move(found.weights)), found.mean_squared_error,
            found.prior_squared_error};
}

// One pass over the examples in their order, by stochastic gradient descent on the squared error.
// Returns the mean squared error, each example's from before its step.
double descend(Learnable& evaluator, const Vector<Bits>& black, const Vector<Bits>& white,
               const Vector<float>& discs, double alpha) {
    check_boards(black, white);
    require(discs.shape(0) == black.shape(0), "there must be one label for each board");
    return without_gil([&] {
        const auto seen = evaluator.accumulator();
        double squares = 0;
        for (std::size_t i = 0; i < discs.shape(0); ++i) {
            const double error =
                static_cast<double>(discs(i)) - evaluator.value(*seen, black(i), white(i));
            evaluator.nudge(*seen, static_cast<float>(error), static_cast<float>(alpha));
            squares += error * error;
        }
        return squares / static_cast<double>(std::max<std::size_t>(discs.shape(0), 1));
    });
}

std::tuple<std::uint64_t, double, double> prefer(Learnable& evaluator, const Vector<Bits>& mover,
                                                 const Vector<Bits>& opponent,
                                                 const Vector<std::uint8_t>& squares, double alpha,
                                                 int threads) {
    check_threads(threads);
    check_boards(mover, opponent);
    require(squares.shape(0) == mover.shape(0), "there must be one move for each position");
    std::vector<MadeMove> moves;
    for (std::size_t i = 0; i < squares.shape(0); ++i) {
        const Position position{mover(i), opponent(i)};
        require(squares(i) < 64 && (position.moves() >> squares(i) & 1) != 0, "a move is illegal");
        moves.push_back({position, squares(i)});
    }
    const auto found =
        without_gil([&] { return learn_preferences(evaluator, moves, alpha, threads); });
    return {found.decisions, found.log_loss, found.predicted};
}

std::shared_ptr<Learnable> learning_deep_network_of(const Placements& placements, int vector,
                                                    int hidden, int stages, bool own_rates,
                                                    bool symmetric) {
    return learning_deep_network(tables_of(placements), deep_shape(vector, hidden, stages),
                                 own_rates, symmetric);
}

}  // namespace

void bind_teaching(nb::module_& m) {
    nb::class_<LabelSettings>(m, "LabelSettings")
        .def(nb::init<>())
        .def_rw("random_plies", &LabelSettings::random_plies)
        .def_rw("epsilon", &LabelSettings::epsilon)
        .def_rw("play_depth", &LabelSettings::play_depth)
        .def_rw("depth", &LabelSettings::depth)
        .def_rw("solved", &LabelSettings::solved)
        .def_rw("fewest_empties", &LabelSettings::fewest_empties)
        .def_rw("most_empties", &LabelSettings::most_empties)
        .def_rw("side_moves", &LabelSettings::side_moves)
        .def_rw("seed", &LabelSettings::seed)
        .def_prop_rw(
            "opponents", [](const LabelSettings& settings) { return settings.opponents.size(); },
            [](LabelSettings& settings, const Opponents& opponents) {
                settings.opponents = players_of(opponents);
            },
            "Players, or None for the evaluator itself; read: how many.");
    m.def("label_games", &label, "evaluator"_a, "settings"_a, "first_game"_a, "count"_a,
          "threads"_a = 1,
          "Plays games and labels their boards; returns each board's discs, those of the side that "
          "moved last first, and what it is worth to that side, in discs.");
    m.def("label_positions", &label_these, "evaluator"_a, "depth"_a, "solved"_a, "mover"_a,
          "opponent"_a, "threads"_a = 1,
          "What positions are worth to their movers, in discs, by search or solver.");
    m.def("learn_preferences", &prefer, "evaluator"_a, "mover"_a, "opponent"_a, "squares"_a,
          "alpha"_a, "threads"_a = 1,
          "Raises the probability of the moves made; returns the number of decisions, the sum of "
          "log losses, and how many moves were predicted, all from before each step.");
    m.def("descend", &descend, "evaluator"_a, "black"_a, "white"_a, "discs"_a, "alpha"_a,
          "One pass of stochastic gradient descent; returns the mean squared error.");
    m.def("learning_deep_network", &learning_deep_network_of, "tables"_a, "vector"_a, "hidden"_a,
          "stages"_a, "own_rates"_a, "symmetric"_a = false);
    m.def(
        "fit_stage", &fit, "tables"_a, "counts"_a, "black"_a, "white"_a, "discs"_a, "prior"_a,
        "ridge"_a, "iterations"_a, "symmetric"_a = true, "threads"_a = 1,
        "Weights of one stage by penalised least squares; returns them and the mean squared error "
        "after and before.");
}

}  // namespace outflank::bindings
