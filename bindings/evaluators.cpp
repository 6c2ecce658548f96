// Evaluators: constructors from weights, and the values of many boards.
#include <algorithm>

#include "../core/evaluators/iago.hpp"
#include "../core/evaluators/mlp.hpp"
#include "../core/evaluators/piece_counter.hpp"
#include "../core/league_text.hpp"
#include "arrays.hpp"

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
    m.def(
        "covering_sets",
        [](const Placements& placements) { return to_numpy(covering_sets(tables_of(placements))); },
        "tables"_a, "The sets of squares that the folded form of a network looks up.");
    m.def("parse_league_text", &parse, "text"_a,
          "The tables (squares, a row per placement; none for a piece counter) and the weights.");
    m.def("mlp", &mlp, "layers"_a, "add_disc_difference"_a = false);
}

}  // namespace outflank::bindings
