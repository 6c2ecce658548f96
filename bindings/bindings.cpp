// The only nanobind user: checks arguments, releases the GIL, hands arrays over.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "../core/evaluators/mlp.hpp"
#include "../core/evaluators/ntuple_network.hpp"
#include "../core/evaluators/piece_counter.hpp"
#include "../core/games_in_step.hpp"
#include "../core/td_learning.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace outflank;

namespace {

template <class T>
using Vector = nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using NewVector = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;
template <class T>
using NewMatrix = nb::ndarray<nb::numpy, T, nb::ndim<2>, nb::c_contig>;

void require(bool condition, const char* message) {
    if (!condition) {
        throw nb::value_error(message);
    }
}

template <class T>
std::span<const T> span_of(const Vector<T>& array) {
    return {array.data(), array.shape(0)};
}

// Hands a vector's memory to numpy.
template <class T>
nb::capsule owner_of(std::vector<T>* moved) {
    return nb::capsule(moved, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
}

template <class T>
NewVector<T> to_numpy(std::vector<T> values) {
    auto* moved = new std::vector<T>(std::move(values));
    return NewVector<T>(moved->data(), {moved->size()}, owner_of(moved));
}

template <class T>
NewMatrix<T> to_numpy(std::vector<T> values, std::size_t columns) {
    auto* moved = new std::vector<T>(std::move(values));
    return NewMatrix<T>(moved->data(), {moved->size() / columns, columns}, owner_of(moved));
}

void check_boards(const Vector<Bits>& black, const Vector<Bits>& white) {
    require(black.shape(0) == white.shape(0), "black and white must have the same length");
    for (std::size_t i = 0; i < black.shape(0); ++i) {
        require((black.data()[i] & white.data()[i]) == 0,
                "a square holds a black and a white disc");
    }
}

// Boards with their movers, as three arrays.
std::vector<Board> boards_of(const Vector<Bits>& black, const Vector<Bits>& white,
                             const Vector<bool>& black_moves) {
    check_boards(black, white);
    require(black_moves.shape(0) == black.shape(0), "there must be one mover for each board");
    std::vector<Board> boards;
    for (std::size_t i = 0; i < black.shape(0); ++i) {
        boards.push_back({black.data()[i], white.data()[i],
                          black_moves.data()[i] ? Colour::black : Colour::white});
    }
    return boards;
}

NewVector<double> values(const Evaluator& evaluator, const Vector<Bits>& black,
                         const Vector<Bits>& white) {
    check_boards(black, white);
    std::vector<double> result(black.shape(0));
    {
        nb::gil_scoped_release release;
        auto seen = evaluator.accumulator();
        for (std::size_t i = 0; i < result.size(); ++i) {
            result[i] = evaluator.value(*seen, black.data()[i], white.data()[i]);
        }
    }
    return to_numpy(std::move(result));
}

std::shared_ptr<Evaluator> piece_counter(const Vector<double>& weights) {
    require(weights.shape(0) == 64, "a piece counter has 64 weights");
    return std::make_shared<PieceCounter>(std::span<const double, 64>(weights.data(), 64));
}

std::vector<TupleTable> tables_of(const std::vector<std::vector<std::vector<int>>>& placements) {
    std::vector<TupleTable> tables;
    for (const auto& table : placements) {
        require(!table.empty(), "a table needs at least one placement");
        const std::size_t length = table.front().size();
        require(length >= 1 && length <= LONGEST_TUPLE, "a tuple has 1 to 15 squares");
        tables.push_back({static_cast<int>(length), {}});
        for (const auto& placement : table) {
            require(placement.size() == length, "the placements of a table differ in length");
            std::vector<std::uint8_t> squares;
            for (const int square : placement) {
                require(square >= 0 && square < 64, "a square is outside 0..63");
                squares.push_back(static_cast<std::uint8_t>(square));
            }
            tables.back().placements.push_back(std::move(squares));
        }
    }
    return tables;
}

std::shared_ptr<Evaluator> ntuple_network(
    const std::vector<std::vector<std::vector<int>>>& placements, const Vector<double>& weights,
    int stages, const std::string& form) {
    require(stages >= 1 && stages <= 61, "a network has 1 to 61 stages");
    const auto tables = tables_of(placements);
    const auto build = form == "plain"    ? plain_network
                       : form == "folded" ? folded_network
                                          : compiled_network;
    nb::gil_scoped_release release;
    return build(tables, span_of(weights), stages);
}

std::shared_ptr<Evaluator> mlp(const std::vector<std::pair<Matrix<double>, Vector<double>>>& layers,
                               bool add_disc_difference) {
    require(!layers.empty(), "a network needs at least one layer");
    std::vector<DenseLayer> dense;
    std::size_t inputs = 64;
    for (const auto& [weights, biases] : layers) {
        require(weights.shape(0) == inputs, "a layer's inputs do not fit the layer before it");
        require(weights.shape(1) == biases.shape(0), "a layer needs one bias for each node");
        inputs = weights.shape(1);
        DenseLayer layer{static_cast<int>(weights.shape(0)), static_cast<int>(inputs), {}, {}};
        layer.weights.assign(weights.data(), weights.data() + weights.size());
        layer.biases.assign(biases.data(), biases.data() + biases.size());
        dense.push_back(std::move(layer));
    }
    require(inputs == 1, "the last layer must have one node");
    return std::make_shared<Mlp>(std::move(dense), add_disc_difference);
}

std::shared_ptr<Player> player(std::optional<std::shared_ptr<Evaluator>> for_black,
                               std::optional<std::shared_ptr<Evaluator>> for_white,
                               const std::string& view) {
    require(for_black.has_value() == for_white.has_value(),
            "a player needs both evaluators or none");
    require(view == "inversion" || view == "negation" || view == "doubled",
            "a view is inversion, negation or doubled");
    const View parsed = view == "inversion"  ? View::inversion
                        : view == "negation" ? View::negation
                                             : View::doubled;
    return std::make_shared<Player>(
        Player{for_black.value_or(nullptr), for_white.value_or(nullptr), parsed});
}

// The legal moves of one board with the player's value of each.
std::pair<std::vector<int>, std::vector<double>> judge(const Player& judge, Bits black, Bits white,
                                                       bool black_moves) {
    require((black & white) == 0, "a square holds a black and a white disc");
    const Board board{black, white, black_moves ? Colour::black : Colour::white};
    const MoveList list(board.position(), board.position().moves());
    std::vector<double> judged(static_cast<std::size_t>(list.count), 0.0);
    if (judge.for_black) {
        SeatedPlayer(judge).judge(board, list, judged);
    }
    return {{list.squares.begin(), list.squares.begin() + list.count}, judged};
}

MatchRules match_rules(const Vector<Bits>& black, const Vector<Bits>& white,
                       const Vector<bool>& black_moves, std::array<double, 2> epsilon,
                       std::uint64_t seed, bool alternate_colours) {
    require(black.shape(0) >= 1, "there must be at least one start position");
    for (const double share : epsilon) {
        require(share >= 0 && share <= 1, "epsilon must be within 0..1");
    }
    return {boards_of(black, white, black_moves), epsilon, seed, alternate_colours};
}

using Differences = NewVector<std::int8_t>;
using Moves = std::optional<NewMatrix<std::uint8_t>>;

std::pair<Differences, Moves> play(const Player& first, const Player& second,
                                   const MatchRules& rules, std::uint64_t first_game,
                                   std::size_t count, int threads, bool record) {
    require(threads >= 1 && threads <= 1024, "threads must be within 1..1024");
    std::vector<std::int8_t> differences(count);
    std::vector<std::uint8_t> moves(record ? count * LONGEST_GAME : 0);
    {
        nb::gil_scoped_release release;
        play_games(first, second, rules, {first_game, count}, threads, {differences, moves});
    }
    Moves recorded;
    if (record) {
        recorded = to_numpy(std::move(moves), LONGEST_GAME);
    }
    return {to_numpy(std::move(differences)), std::move(recorded)};
}

// Black's disc difference before the first move and after each move of recorded games; after the
// last move it stays as it is. Raises where a move is not legal.
NewMatrix<std::int8_t> disc_differences(const MatchRules& rules, std::uint64_t first_game,
                                        const Matrix<std::uint8_t>& moves) {
    require(moves.shape(1) == LONGEST_GAME, "a record holds 60 moves");
    constexpr std::size_t COLUMNS = LONGEST_GAME + 1;
    std::vector<std::int8_t> result(moves.shape(0) * COLUMNS);
    for (std::size_t i = 0; i < moves.shape(0); ++i) {
        OpenGame game = rules.open(first_game + i);
        bool over = false;
        for (std::size_t ply = 0; ply < COLUMNS; ++ply) {
            result[i * COLUMNS + ply] = static_cast<std::int8_t>(game.disc_difference_for_black());
            const int square = ply < LONGEST_GAME ? moves.data()[i * LONGEST_GAME + ply] : NO_MOVE;
            over = over || square == NO_MOVE;
            if (!over) {
                require(square < 64 && (game.settle() & bit(square)) != 0,
                        "a record holds a move that is not legal");
                game.play(game.choice(square));
            }
        }
    }
    return to_numpy(std::move(result), COLUMNS);
}

// Boards as rows of 64 numbers: black +1, white -1, empty 0.
NewMatrix<float> squares(const Vector<Bits>& black, const Vector<Bits>& white) {
    check_boards(black, white);
    std::vector<float> result(black.shape(0) * 64);
    for (std::size_t i = 0; i < black.shape(0); ++i) {
        for (std::size_t square = 0; square < 64; ++square) {
            const auto is = [&](const Vector<Bits>& discs) {
                return static_cast<float>(discs.data()[i] >> square & 1);
            };
            result[i * 64 + square] = is(black) - is(white);
        }
    }
    return to_numpy(std::move(result), 64);
}

using BoardArrays = std::tuple<NewVector<Bits>, NewVector<Bits>, NewVector<std::uint8_t>>;

BoardArrays waiting_boards(const GamesInStep& games) {
    std::vector<Bits> black;
    std::vector<Bits> white;
    std::vector<std::uint8_t> black_moves;
    for (const Board& board : games.waiting_boards()) {
        black.push_back(board.black);
        white.push_back(board.white);
        black_moves.push_back(board.mover == Colour::black ? 1 : 0);
    }
    return {to_numpy(std::move(black)), to_numpy(std::move(white)),
            to_numpy(std::move(black_moves))};
}

std::tuple<NewVector<Bits>, NewVector<Bits>, NewVector<std::uint32_t>> afterstates(
    const GamesInStep& games) {
    auto all = games.afterstates();
    return {to_numpy(std::move(all.black)), to_numpy(std::move(all.white)),
            to_numpy(std::move(all.first))};
}

template <class T>
std::vector<T> copied(std::span<const T> values) {
    return {values.begin(), values.end()};
}

std::shared_ptr<Learnable> learning_piece_counter_of(const std::vector<int>& weight_of_square,
                                                     std::size_t weights, bool coherent) {
    require(weight_of_square.size() == 64, "a piece counter has 64 squares");
    for (const int place : weight_of_square) {
        require(place >= 0 && static_cast<std::size_t>(place) < weights, "a weight is not there");
    }
    return learning_piece_counter(std::span<const int, 64>(weight_of_square.data(), 64), weights,
                                  coherent);
}

std::shared_ptr<Learnable> learning_network_of(
    const std::vector<std::vector<std::vector<int>>>& placements, int stages, bool coherent) {
    require(stages >= 1 && stages <= 61, "a network has 1 to 61 stages");
    return learning_network(tables_of(placements), stages, coherent);
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
    const TdSettings& settings, std::uint64_t first_game, std::size_t count) {
    require(!settings.starts.empty(), "there must be at least one start position");
    std::vector<std::shared_ptr<Player>> players;
    for (const auto& opponent : opponents) {
        players.push_back(opponent.value_or(nullptr));
    }
    TdProgress progress;
    {
        nb::gil_scoped_release release;
        progress = td_learn(evaluator, players, settings, {first_game, count});
    }
    return {progress.updates, progress.squared_error, progress.points};
}

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
    m.def("learning_network", &learning_network_of, "tables"_a, "stages"_a, "coherent"_a);
    m.def("learning_mlp", &learning_mlp_of, "nodes"_a, "first_layer"_a, "first_biases"_a,
          "first_layer_weights"_a, "add_disc_difference"_a, "coherent"_a);

    nb::enum_<Successor>(m, "Successor")
        .value("own", Successor::own)
        .value("every_board", Successor::every_board);
    nb::enum_<Output>(m, "Output").value("tanh", Output::tanh).value("logistic", Output::logistic);
    nb::enum_<View>(m, "View")
        .value("inversion", View::inversion)
        .value("negation", View::negation);
    nb::class_<TdSettings>(m, "TdSettings")
        .def(nb::init<>())
        .def_rw("view", &TdSettings::view)
        .def_rw("successor", &TdSettings::successor)
        .def_rw("output", &TdSettings::output)
        .def_rw("expected_target", &TdSettings::expected_target)
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
        "Plays and learns; returns the updates, the sum of squared errors, the learner's points.");
}

void bind_games_in_step(nb::module_& m) {
    nb::class_<GamesInStep>(m, "GamesInStep",
                            "Many games in step, for players that live outside the core.")
        .def(
            "__init__",
            [](GamesInStep* self, const MatchRules& rules, std::uint64_t first_game,
               std::size_t count,
               bool record) { new (self) GamesInStep(rules, {first_game, count}, record); },
            "rules"_a, "first_game"_a, "count"_a, "record"_a = false)
        .def_prop_ro("over", &GamesInStep::over)
        .def_prop_ro("games_over", &GamesInStep::games_over)
        .def(
            "gather",
            [](GamesInStep& games, std::size_t turn) {
                require(turn < 2, "a turn is 0 or 1");
                games.gather(turn);
                return games.waiting();
            },
            "turn"_a, "Gathers the games that wait for player 0 or 1; returns how many.")
        .def("waiting_boards", &waiting_boards)
        .def("afterstates", &afterstates)
        .def(
            "answer_values",
            [](GamesInStep& games, const Vector<double>& judged) {
                for (const double value : span_of(judged)) {
                    require(!std::isnan(value), "an evaluator returned NaN");
                }
                games.answer_values(span_of(judged));
            },
            "values_for_mover"_a)
        .def(
            "answer_squares",
            [](GamesInStep& games, const Vector<std::uint8_t>& chosen) {
                games.answer_squares(span_of(chosen));
            },
            "squares"_a)
        .def(
            "answer_by",
            [](GamesInStep& games, const Player& asked) {
                nb::gil_scoped_release release;
                games.answer_by(asked);
            },
            "player"_a)
        .def("disc_differences",
             [](const GamesInStep& games) { return to_numpy(copied(games.disc_differences())); })
        .def("moves", [](const GamesInStep& games) {
            return to_numpy(copied(games.moves()), static_cast<std::size_t>(LONGEST_GAME));
        });
}

}  // namespace

NB_MODULE(_core, m) {
    // Players kept in globals (a notebook, a test) outlive the module at exit; that is no leak of
    // ours.
    nb::set_leak_warnings(false);
    m.doc() = "The C++ core of outflank. Squares are bits 0..63, a1 = 0, row by row.";
    m.attr("NO_MOVE") = static_cast<int>(NO_MOVE);
    m.attr("LONGEST_GAME") = LONGEST_GAME;
    m.attr("LONGEST_TUPLE") = LONGEST_TUPLE;
    m.attr("TIE") = TIE;
    m.def(
        "tuned_for",
        [] {
#if defined(__AVX512VL__)
            return "AVX-512";
#elif defined(__AVX2__)
            return "AVX2";
#else
            return "any machine";
#endif
        },
        "What kind of machine this build is for.");

    const auto check_square = [](int square) {
        require(square >= 0 && square < 64, "a square is 0..63");
    };
    m.def(
        "legal_moves", [](Bits mover, Bits opponent) { return legal_moves(mover, opponent); },
        "mover"_a, "opponent"_a);
    m.def(
        "flips",
        [=](int square, Bits mover, Bits opponent) {
            check_square(square);
            return flips(square, mover, opponent);
        },
        "square"_a, "mover"_a, "opponent"_a);
    m.def(
        "symmetric",
        [](Bits set, int symmetry) {
            require(symmetry >= 0 && symmetry < 8, "a symmetry is 0..7");
            return symmetric(set, symmetry);
        },
        "set"_a, "symmetry"_a);
    m.def(
        "perft",
        [](Bits mover, Bits opponent, int depth) {
            require(depth >= 0, "depth must not be negative");
            nb::gil_scoped_release release;
            return perft({mover, opponent}, depth);
        },
        "mover"_a, "opponent"_a, "depth"_a);
    m.def("squares", &squares, "black"_a, "white"_a,
          "Boards as rows of 64 numbers: black +1, white -1, empty 0.");
    m.def(
        "stream_numbers",
        [](std::uint64_t seed, std::uint64_t stream, std::size_t count) {
            Generator generator(seed, stream);
            std::vector<std::uint64_t> numbers(count);
            for (auto& number : numbers) {
                number = generator.next();
            }
            return to_numpy(std::move(numbers));
        },
        "seed"_a, "stream"_a, "count"_a, "The first numbers of stream(seed, stream).");

    nb::class_<Evaluator>(m, "Evaluator").def("values", &values, "black"_a, "white"_a);
    m.def("piece_counter", &piece_counter, "weights"_a);
    m.def("ntuple_network", &ntuple_network, "tables"_a, "weights"_a, "stages"_a = 1,
          "form"_a = "compiled", "form: plain, folded, or compiled (the faster of the two).");
    m.def(
        "covering_sets",
        [](const std::vector<std::vector<std::vector<int>>>& placements) {
            return to_numpy(covering_sets(tables_of(placements)));
        },
        "tables"_a, "The sets of squares that the folded form of a network looks up.");
    m.def("mlp", &mlp, "layers"_a, "add_disc_difference"_a = false);

    nb::class_<Player>(m, "Player").def("judge", &judge, "black"_a, "white"_a, "black_moves"_a);
    m.def("player", &player, "for_black"_a.none(), "for_white"_a.none(), "view"_a);

    nb::class_<MatchRules>(m, "MatchRules")
        .def(
            "__init__",
            [](MatchRules* self, const Vector<Bits>& black, const Vector<Bits>& white,
               const Vector<bool>& black_moves, std::array<double, 2> epsilon, std::uint64_t seed,
               bool alternate_colours) {
                new (self) MatchRules(
                    match_rules(black, white, black_moves, epsilon, seed, alternate_colours));
            },
            "black"_a, "white"_a, "black_moves"_a, "epsilon"_a, "seed"_a,
            "alternate_colours"_a = true);
    m.def("play_games", &play, "first"_a, "second"_a, "rules"_a, "first_game"_a, "count"_a,
          "threads"_a = 1, "record"_a = false);
    m.def("disc_differences", &disc_differences, "rules"_a, "first_game"_a, "moves"_a);
    bind_games_in_step(m);
    bind_learning(m);
}
