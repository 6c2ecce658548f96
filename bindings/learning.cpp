// Temporal-difference learning.
#include "../core/td_learning.hpp"
#include "arrays.hpp"

namespace outflank::bindings {
namespace {

std::shared_ptr<Learnable> learning_piece_counter_of(const std::vector<int>& weight_of_square,
                                                     std::size_t weights, bool coherent) {
    require(weight_of_square.size() == 64, "a piece counter has 64 squares");
    for (const int place : weight_of_square) {
        require(place >= 0 && static_cast<std::size_t>(place) < weights, "a weight is not there");
    }
    return learning_piece_counter(std::span<const int, 64>(weight_of_square.data(), 64), weights,
                                  coherent);
}

std::shared_ptr<Learnable> learning_network_of(const Placements& placements, int stages,
                                               bool coherent, bool symmetric) {
    require(stages >= 1 && stages <= 61, "a network has 1 to 61 stages");
    return learning_network(tables_of(placements), stages, coherent, symmetric);
}

std::shared_ptr<Learnable> learning_mlp_of(const std::vector<int>& nodes,
                                           const std::vector<int>& first_layer,
                                           const std::vector<int>& first_biases,
                                           std::size_t first_layer_weights,
                                           bool add_disc_difference, bool coherent) {
    require(nodes.size() >= 3 && nodes.front() == 64 && nodes.back() == 1,
            "an MLP has 64 inputs, hidden layers and one output");
    const auto first_nodes = static_cast<std::size_t>(nodes[1]);
    require(first_layer.size() == 64 * first_nodes && first_biases.size() == first_nodes,
            "the first layer does not fit its nodes");
    for (const auto& places : {first_layer, first_biases}) {
        for (const int place : places) {
            require(place < static_cast<int>(first_layer_weights), "a weight is not there");
        }
    }
    return learning_mlp(
        {nodes, first_layer, first_biases, first_layer_weights, add_disc_difference}, coherent);
}

std::tuple<std::uint64_t, double, double> learn(
    Learnable& evaluator, const std::vector<std::optional<std::shared_ptr<Player>>>& opponents,
    const TdSettings& settings, std::uint64_t first_game, std::size_t count, int threads) {
    check_threads(threads);
    require(settings.batch >= 1 && settings.batch <= 65536, "a batch has 1 to 65,536 games");
    require(first_game % settings.batch == 0, "learning goes on between two batches");
    require(settings.solved >= 0 && settings.solved <= 20,
            "targets are exact from at most 20 empty squares");
    require(settings.disc_unit > 0, "the unit of discs must be above 0");
    require(!settings.starts.empty(), "there must be at least one start position");
    std::vector<std::shared_ptr<Player>> players;
    for (const auto& opponent : opponents) {
        players.push_back(opponent.value_or(nullptr));
    }
    const TdProgress progress = without_gil(
        [&] { return td_learn(evaluator, players, settings, {first_game, count}, threads); });
    return {progress.updates, progress.squared_error, progress.points};
}

}  // namespace

void bind_learning(nb::module_& m) {
    nb::class_<Learnable, Evaluator>(m, "Learnable",
                                     "An evaluator whose weights change as it plays.")
        .def_prop_ro("weight_count", &Learnable::weight_count)
        .def("weights", [](const Learnable& learnable) { return to_numpy(learnable.weights()); })
        .def(
            "set_weights",
            [](Learnable& learnable, const Vector<float>& weights) {
                require(weights.shape(0) == learnable.weight_count(),
                        "the number of weights differs");
                learnable.set_weights(span_of(weights));
            },
            "weights"_a)
        .def("coherence",
             [](const Learnable& learnable) { return to_numpy(learnable.coherence()); })
        .def(
            "set_coherence",
            [](Learnable& learnable, const Vector<float>& coherence) {
                require(coherence.shape(0) == learnable.coherence().size(),
                        "the number of coherence sums differs");
                learnable.set_coherence(span_of(coherence));
            },
            "coherence"_a);
    m.def("learning_piece_counter", &learning_piece_counter_of, "weight_of_square"_a, "weights"_a,
          "coherent"_a);
    m.def("learning_network", &learning_network_of, "tables"_a, "stages"_a, "coherent"_a,
          "symmetric"_a = false);
    m.def("learning_mlp", &learning_mlp_of, "nodes"_a, "first_layer"_a, "first_biases"_a,
          "first_layer_weights"_a, "add_disc_difference"_a, "coherent"_a);

    nb::enum_<Successor>(m, "Successor")
        .value("own", Successor::own)
        .value("every_board", Successor::every_board);
    nb::enum_<Output>(m, "Output")
        .value("tanh", Output::tanh)
        .value("logistic", Output::logistic)
        .value("discs", Output::discs);
    nb::enum_<View>(m, "View")
        .value("inversion", View::inversion)
        .value("negation", View::negation);
    nb::class_<TdSettings>(m, "TdSettings")
        .def(nb::init<>())
        .def_rw("view", &TdSettings::view)
        .def_rw("successor", &TdSettings::successor)
        .def_rw("output", &TdSettings::output)
        .def_rw("expected_target", &TdSettings::expected_target)
        .def_rw("target_epsilon", &TdSettings::target_epsilon)
        .def_rw("disc_unit", &TdSettings::disc_unit)
        .def_rw("solved", &TdSettings::solved)
        .def_rw("batch", &TdSettings::batch)
        .def_rw("final_board", &TdSettings::final_board)
        .def_rw("trace", &TdSettings::lambda)
        .def_rw("alpha", &TdSettings::alpha)
        .def_rw("final_alpha", &TdSettings::final_alpha)
        .def_rw("games", &TdSettings::games)
        .def_rw("epsilon", &TdSettings::epsilon)
        .def_rw("opponent_epsilon", &TdSettings::opponent_epsilon)
        .def_rw("random_plies", &TdSettings::random_plies)
        .def_rw("seed", &TdSettings::seed)
        .def(
            "set_starts",
            [](TdSettings& settings, const Vector<Bits>& black, const Vector<Bits>& white,
               const Vector<bool>& black_moves) {
                settings.starts = boards_of(black, white, black_moves);
            },
            "black"_a, "white"_a, "black_moves"_a);
    m.def(
        "td_learn", &learn, "evaluator"_a, "opponents"_a, "settings"_a, "first_game"_a, "count"_a,
        "threads"_a = 1,
        "Plays and learns; returns the updates, the sum of squared errors, the learner's points.");
}

}  // namespace outflank::bindings
