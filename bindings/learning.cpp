// Temporal-difference learning.
#include "arrays.hpp"
#include "learning/td_learning.hpp"

namespace outflank::bindings {

std::vector<std::shared_ptr<Player>> players_of(const Opponents& opponents) {
    std::vector<std::shared_ptr<Player>> players;
    for (const auto& opponent : opponents) {
        players.push_back(opponent.value_or(nullptr));
    }
    return players;
}

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

void check(const TdSettings& settings, int threads) {
    check_threads(threads);
    require(settings.batch >= 1 && settings.batch <= 65536, "a batch has 1 to 65,536 games");
    require(settings.solved >= 0 && settings.solved <= 20,
            "targets are exact from at most 20 empty squares");
    require(settings.depth >= 1 && settings.depth <= 8, "depth must be within 1..8");
    require(settings.disc_unit > 0, "the unit of discs must be above 0");
    require(!settings.starts.empty(), "there must be at least one start position");
}

std::tuple<std::uint64_t, double, double> learn(Learnable& evaluator, const Opponents& opponents,
                                                const TdSettings& settings,
                                                std::uint64_t first_game, std::size_t count,
                                                int threads) {
    check(settings, threads);
    require(first_game % settings.batch == 0, "learning goes on between two batches");
    const auto players = players_of(opponents);
    const TdProgress progress = without_gil(
        [&] { return td_learn(evaluator, players, settings, {first_game, count}, threads); });
    return {progress.updates, progress.squared_error, progress.points};
}

// The lessons of some games, as arrays: how many each game teaches and its points; then for each
// lesson the board's discs, the sign and the target.
using Lessons = std::tuple<NewVector<std::uint8_t>, NewVector<double>, NewVector<Bits>,
                           NewVector<Bits>, NewVector<double>, NewVector<double>>;

Lessons play(const Learnable& evaluator, const Opponents& opponents, const TdSettings& settings,
             std::uint64_t first_game, std::size_t count, int threads) {
    check(settings, threads);
    require(count <= 65536, "a batch has 1 to 65,536 games");
    const auto players = players_of(opponents);
    const auto played = without_gil(
        [&] { return td_play(evaluator, players, settings, {first_game, count}, threads); });
    std::vector<std::uint8_t> counts;
    std::vector<double> points, signs, targets;
    std::vector<Bits> black, white;
    for (const PlayedGame& game : played) {
        counts.push_back(static_cast<std::uint8_t>(game.lessons.size()));
        points.push_back(game.points);
        for (const Lesson& lesson : game.lessons) {
            black.push_back(lesson.black);
            white.push_back(lesson.white);
            signs.push_back(lesson.sign);
            targets.push_back(lesson.target);
        }
    }
    return {to_numpy(std::move(counts)), to_numpy(std::move(points)), to_numpy(std::move(black)),
            to_numpy(std::move(white)),  to_numpy(std::move(signs)),  to_numpy(std::move(targets))};
}

std::tuple<std::uint64_t, double, double> learn_from(
    Learnable& evaluator, const TdSettings& settings, std::uint64_t first_game,
    const Vector<std::uint8_t>& counts, const Vector<double>& points, const Vector<Bits>& black,
    const Vector<Bits>& white, const Vector<double>& signs, const Vector<double>& targets,
    int threads) {
    check(settings, threads);
    require(points.shape(0) == counts.shape(0), "there must be points for each game");
    const std::size_t lessons = black.shape(0);
    require(white.shape(0) == lessons && signs.shape(0) == lessons && targets.shape(0) == lessons,
            "the arrays of lessons differ in length");
    std::vector<PlayedGame> played(counts.shape(0));
    std::size_t at = 0;
    for (std::size_t i = 0; i < played.size(); ++i) {
        require(at + counts(i) <= lessons, "games have more lessons than there are");
        played[i].points = points(i);
        for (const std::size_t end = at + counts(i); at < end; ++at) {
            checked_position(black(at), white(at));
            played[i].lessons.push_back({black(at), white(at), signs(at), targets(at)});
        }
    }
    const TdProgress progress = without_gil(
        [&] { return td_learn_from(evaluator, settings, first_game, played, threads); });
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
        .def_rw("depth", &TdSettings::depth)
        .def_rw("batch", &TdSettings::batch)
        .def_rw("final_board", &TdSettings::final_board)
        .def_rw("random_moves_teach", &TdSettings::random_moves_teach)
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
    m.def("td_play", &play, "evaluator"_a, "opponents"_a, "settings"_a, "first_game"_a, "count"_a,
          "threads"_a = 1,
          "Plays with the present weights; returns the number of lessons and the points of each "
          "game, then each lesson's black and white discs, sign and target.");
    m.def("td_learn_from", &learn_from, "evaluator"_a, "settings"_a, "first_game"_a, "counts"_a,
          "points"_a, "black"_a, "white"_a, "signs"_a, "targets"_a, "threads"_a = 1,
          "Learns what td_play returned for consecutive games; returns what td_learn does.");
}

}  // namespace outflank::bindings
