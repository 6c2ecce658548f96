// Evaluators: constructors from weights, and the values of many boards.
#include <algorithm>

#include "arrays.hpp"
#include "evaluators/counted_network.hpp"
#include "evaluators/deep_network.hpp"
#include "evaluators/iago.hpp"
#include "evaluators/league_text.hpp"
#include "evaluators/mlp.hpp"
#include "evaluators/piece_counter.hpp"

namespace outflank::bindings {

std::vector<TupleTable> tables_of(const Placements& placements) {
    std::vector<TupleTable> tables;
    for (const auto& table : placements) {
        const std::size_t length = table.shape(1);
        require(table.shape(0) >= 1, "a table needs at least one placement");
        require(length >= 1 && length <= LONGEST_TUPLE, "a tuple has 1 to 15 squares");
        tables.push_back({static_cast<int>(length), {}});
        for (std::size_t row = 0; row < table.shape(0); ++row) {
            const std::uint8_t* first = table.data() + row * length;
            require(std::all_of(first, first + length, [](auto square) { return square < 64; }),
                    "a square is outside 0..63");
            tables.back().placements.emplace_back(first, first + length);
        }
    }
    return tables;
}

DeepShape deep_shape(int vector, int hidden, int stages) {
    require(vector >= 1 && vector <= LONGEST_ENTRY, "an entry has 1 to 32 numbers");
    require(hidden >= 1 && hidden <= MOST_HIDDEN, "there are 1 to 64 hidden nodes");
    require(stages >= 1 && stages <= 61, "a network has 1 to 61 stages");
    return {vector, hidden, stages};
}

std::vector<BoardCount> counts_of(const std::vector<std::string>& names) {
    std::vector<BoardCount> counts;
    for (const std::string& name : names) {
        require(name == "mobility" || name == "frontier", "a count is mobility or frontier");
        counts.push_back(name == "mobility" ? BoardCount::mobility : BoardCount::frontier);
    }
    return counts;
}

namespace {

NewVector<double> values(const Evaluator& evaluator, const Vector<Bits>& black,
                         const Vector<Bits>& white) {
    check_boards(black, white);
    std::vector<double> result(black.shape(0));
    without_gil([&] {
        auto seen = evaluator.accumulator();
        for (std::size_t i = 0; i < result.size(); ++i) {
            result[i] = evaluator.value(*seen, black.data()[i], white.data()[i]);
        }
    });
    return to_numpy(std::move(result));
}

std::shared_ptr<Evaluator> piece_counter(const Vector<double>& weights) {
    require(weights.shape(0) == 64, "a piece counter has 64 weights");
    return std::make_shared<PieceCounter>(std::span<const double, 64>(weights.data(), 64));
}

std::shared_ptr<Evaluator> iago(const Vector<double>& square_weights,
                                const Matrix<double>& coefficients) {
    require(square_weights.shape(0) == 64, "there is one weight for each of the 64 squares");
    require(coefficients.shape(0) == 4 && coefficients.shape(1) == 2,
            "there are four coefficients, each a base and a slope");
    const auto row = [&](std::size_t i) {
        return MoveCoefficient{coefficients.data()[2 * i], coefficients.data()[2 * i + 1]};
    };
    return std::make_shared<Iago>(std::span<const double, 64>(square_weights.data(), 64),
                                  IagoCoefficients{row(0), row(1), row(2), row(3)});
}

std::shared_ptr<Evaluator> ntuple_network(const Placements& placements,
                                          const Vector<double>& weights, int stages,
                                          const std::string& form) {
    require(stages >= 1 && stages <= 61, "a network has 1 to 61 stages");
    const auto tables = tables_of(placements);
    const auto build = form == "plain"    ? plain_network
                       : form == "folded" ? folded_network
                                          : compiled_network;
    return without_gil([&] { return build(tables, span_of(weights), stages, CompileLimits{}); });
}

std::shared_ptr<Evaluator> counted_network(const Placements& placements,
                                           const Vector<double>& weights,
                                           const std::vector<std::string>& names,
                                           const Vector<double>& count_weights, int stages) {
    require(stages >= 1 && stages <= 61, "a network has 1 to 61 stages");
    const auto tables = tables_of(placements);
    auto counts = counts_of(names);
    require(
        count_weights.shape(0) == static_cast<std::size_t>(stages) * counts.size() * COUNT_ENTRIES,
        "the number of counts' weights differs");
    return without_gil([&] {
        auto network = compiled_network(tables, span_of(weights), stages, CompileLimits{});
        return std::make_shared<CountedNetwork>(std::move(network), std::move(counts),
                                                span_of(count_weights), stages);
    });
}

// The League's text: one matrix of squares per table (a row per placement), none for a piece
// counter; and all weights.
std::pair<std::vector<NewMatrix<std::uint8_t>>, NewVector<double>> parse(const nb::bytes& text) {
    LeagueText parsed = without_gil([&] { return parse_league_text({text.c_str(), text.size()}); });
    std::vector<NewMatrix<std::uint8_t>> tables;
    for (const TupleTable& table : parsed.tables) {
        std::vector<std::uint8_t> squares;
        squares.reserve(table.placements.size() * static_cast<std::size_t>(table.length));
        for (const auto& placement : table.placements) {
            squares.insert(squares.end(), placement.begin(), placement.end());
        }
        tables.push_back(to_numpy(std::move(squares), static_cast<std::size_t>(table.length)));
    }
    return {std::move(tables), to_numpy(std::move(parsed.weights))};
}

// Layers one after another, the last with one node.
std::vector<DenseLayer> dense_of(
    const std::vector<std::pair<Matrix<double>, Vector<double>>>& layers, std::size_t inputs) {
    require(!layers.empty(), "a network needs at least one layer");
    std::vector<DenseLayer> dense;
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
    return dense;
}

std::shared_ptr<Evaluator> mlp(const std::vector<std::pair<Matrix<double>, Vector<double>>>& layers,
                               bool add_disc_difference) {
    return std::make_shared<Mlp>(dense_of(layers, 64), add_disc_difference);
}

std::shared_ptr<Evaluator> deep_network(const Placements& placements, int vector, int hidden,
                                        int stages, const Vector<double>& weights) {
    const DeepShape shape = deep_shape(vector, hidden, stages);
    const auto tables = tables_of(placements);
    require(weights.shape(0) == weights_of_one_stage(tables) * static_cast<std::size_t>(vector) +
                                    static_cast<std::size_t>(stages) * shape.weights_of_one_stage(),
            "the number of weights differs");
    return without_gil(
        [&] { return std::make_shared<DeepNetwork>(tables, shape, span_of(weights)); });
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

}  // namespace

void bind_evaluators(nb::module_& m) {
    m.def("squares", &squares, "black"_a, "white"_a,
          "Boards as rows of 64 numbers: black +1, white -1, empty 0.");
    nb::class_<Evaluator>(m, "Evaluator")
        .def("values", &values, "black"_a, "white"_a)
        .def_prop_ro("bytes", &Evaluator::bytes, "Memory in use.");
    m.def("piece_counter", &piece_counter, "weights"_a);
    m.def("iago", &iago, "square_weights"_a, "coefficients"_a,
          "coefficients: base and slope of positional, early, late and potential mobility.");
    m.def("ntuple_network", &ntuple_network, "tables"_a, "weights"_a, "stages"_a = 1,
          "form"_a = "compiled", "form: plain, folded, or compiled (the faster of the two).");
    m.def("counted_network", &counted_network, "tables"_a, "weights"_a, "counts"_a,
          "count_weights"_a, "stages"_a = 1);
    m.def("deep_network", &deep_network, "tables"_a, "vector"_a, "hidden"_a, "stages"_a,
          "weights"_a);
    m.def(
        "covering_sets",
        [](const Placements& placements) { return to_numpy(covering_sets(tables_of(placements))); },
        "tables"_a, "The sets of squares that the folded form of a network looks up.");
    m.def("parse_league_text", &parse, "text"_a,
          "The tables (squares, a row per placement; none for a piece counter) and the weights.");
    m.def("mlp", &mlp, "layers"_a, "add_disc_difference"_a = false);
}

}  // namespace outflank::bindings
