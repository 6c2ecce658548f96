// Players from the contents of their files. The host has read the safetensors header; here sizes
// are checked before memory is taken.
#include <algorithm>
#include <cmath>
#include <utility>

#include "evaluators/counted_network.hpp"
#include "evaluators/deep_network.hpp"
#include "evaluators/iago.hpp"
#include "evaluators/league_text.hpp"
#include "evaluators/mlp.hpp"
#include "instance.hpp"

namespace outflank::wasm {
namespace {

using Shape = std::span<const std::int32_t>;
using Weights = std::span<const double>;

enum Kind : std::int32_t {
    PIECE_COUNTER,
    IAGO,
    NTUPLE_NETWORK,
    MLP,
    COUNTED_NETWORK,
    DEEP_NETWORK
};

// Takes numbers off the front of a shape.
class ShapeReader {
  public:
    explicit ShapeReader(Shape shape) : rest_(shape) {}
    int take(int least, int most, const char* otherwise) {
        require(!rest_.empty() && rest_[0] >= least && rest_[0] <= most, otherwise);
        const int number = rest_[0];
        rest_ = rest_.subspan(1);
        return number;
    }
    bool is_at_end() const { return rest_.empty(); }

  private:
    Shape rest_;
};

struct Tuples {
    int stages = 1;
    std::vector<TupleTable> tables;

    std::uint64_t entries() const {
        std::uint64_t of_one_stage = 0;
        for (const TupleTable& table : tables) {
            of_one_stage += table.weight_count();
        }
        return of_one_stage * static_cast<std::uint64_t>(stages);
    }
};

constexpr CompileLimits LIMITS{std::size_t{64} << 20, std::size_t{1} << 28, std::size_t{256} << 20};

// In 64 bits: sizes have 32 here.
void check_weights(std::uint64_t needed, Weights weights) {
    require(needed == weights.size(), "the number of weights does not fit the tables");
}

LoadedEvaluator network_of(Tuples tuples, Weights weights) {
    check_weights(tuples.entries(), weights);
    auto compiled = compiled_network(tuples.tables, weights, tuples.stages, LIMITS);
    return {std::move(compiled),
            WrittenNetwork{
                std::move(tuples.tables), {weights.begin(), weights.end()}, tuples.stages, {}}};
}

// stages, tables; per table its length, its placements and their squares.
Tuples read_tuples(ShapeReader& shape) {
    const auto most = static_cast<int>(MOST_PLACEMENTS);
    Tuples tuples{shape.take(1, 61, "a network has 1 to 61 stages"), {}};
    const int count = shape.take(1, most, "a network has 1 to 16,384 tables here");
    int placed = 0;
    for (int i = 0; i < count; ++i) {
        TupleTable table;
        table.length = shape.take(1, LONGEST_TUPLE, "a tuple has 1 to 15 squares");
        const int placements = shape.take(1, most, "a table has 1 to 16,384 placements here");
        placed += placements;
        require(placed <= most, "a network has at most 16,384 placements here");
        for (int k = 0; k < placements; ++k) {
            auto& squares = table.placements.emplace_back();
            for (int n = 0; n < table.length; ++n) {
                squares.push_back(static_cast<std::uint8_t>(
                    shape.take(0, 63, "a square of a tuple is outside 0..63")));
            }
        }
        tuples.tables.push_back(std::move(table));
    }
    return tuples;
}

LoadedEvaluator read_network(ShapeReader& shape, Weights weights) {
    return network_of(read_tuples(shape), weights);
}

// Counts and what each is; then as a network. Weights: per stage the tuples' tables, then those of
// the counts.
LoadedEvaluator read_counted(ShapeReader& shape, Weights weights) {
    std::vector<BoardCount> counts;
    for (int i = shape.take(1, 2, "a network has 1 or 2 counts"); i > 0; --i) {
        counts.push_back(static_cast<BoardCount>(shape.take(0, 1, "a count is unknown")));
    }
    Tuples tuples = read_tuples(shape);
    const std::size_t counted = counts.size() * COUNT_ENTRIES;
    check_weights(tuples.entries() + static_cast<std::uint64_t>(tuples.stages) * counted, weights);
    std::vector<double> of_tuples;
    std::vector<double> of_counts;
    const std::size_t stage_size = weights.size() / static_cast<std::size_t>(tuples.stages);
    for (; !weights.empty(); weights = weights.subspan(stage_size)) {
        const auto split = weights.begin() + static_cast<std::ptrdiff_t>(stage_size - counted);
        of_tuples.insert(of_tuples.end(), weights.begin(), split);
        of_counts.insert(of_counts.end(), split, split + static_cast<std::ptrdiff_t>(counted));
    }
    const int stages = tuples.stages;
    auto network = compiled_network(tuples.tables, of_tuples, stages, LIMITS);
    return {
        std::make_shared<CountedNetwork>(std::move(network), std::move(counts), of_counts, stages),
        WrittenNetwork{std::move(tuples.tables), std::move(of_tuples), stages, {}}};
}

// Takes layers off the front of the weights: each layer's weights [inputs][nodes], then its biases.
// The last layer must have one node.
std::vector<DenseLayer> read_layers(std::span<const int> nodes, int inputs, Weights weights) {
    std::vector<DenseLayer> layers;
    for (const int count : nodes) {
        const auto links = static_cast<std::size_t>(inputs) * static_cast<std::size_t>(count);
        const auto biases = static_cast<std::size_t>(count);
        require(weights.size() >= links + biases, "the number of weights does not fit the layers");
        DenseLayer layer{inputs, count, {}, {}};
        layer.weights.assign(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(links));
        weights = weights.subspan(links);
        layer.biases.assign(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(biases));
        weights = weights.subspan(biases);
        layers.push_back(std::move(layer));
        inputs = count;
    }
    require(weights.empty(), "the number of weights does not fit the layers");
    require(inputs == 1, "the last layer must have one node");
    return layers;
}

std::vector<int> read_nodes(ShapeReader& shape) {
    std::vector<int> nodes(
        static_cast<std::size_t>(shape.take(1, 16, "a network has 1 to 16 layers")));
    for (int& count : nodes) {
        count = shape.take(1, 4096, "a layer has 1 to 4096 nodes");
    }
    return nodes;
}

// Whether the disc difference is added, layers, nodes of each.
LoadedEvaluator read_mlp(ShapeReader& shape, Weights weights) {
    const bool adds_discs = shape.take(0, 1, "a flag is 0 or 1") == 1;
    return {std::make_shared<Mlp>(read_layers(read_nodes(shape), 64, weights), adds_discs),
            std::nullopt};
}

// Numbers of an entry, hidden nodes; then as a network, whose stages are those of the layers.
LoadedEvaluator read_deep(ShapeReader& shape, Weights weights) {
    DeepShape deep;
    deep.vector = shape.take(1, LONGEST_ENTRY, "an entry has 1 to 32 numbers");
    deep.hidden = shape.take(1, MOST_HIDDEN, "there are 1 to 64 hidden nodes");
    Tuples tuples = read_tuples(shape);
    deep.stages = std::exchange(tuples.stages, 1);
    check_weights(tuples.entries() * static_cast<std::uint64_t>(deep.vector) +
                      static_cast<std::uint64_t>(deep.stages) * deep.weights_of_one_stage(),
                  weights);
    auto network = std::make_shared<DeepNetwork>(tuples.tables, deep, weights);
    return {std::move(network),
            WrittenNetwork{
                std::move(tuples.tables), {weights.begin(), weights.end()}, deep.stages, deep}};
}

LoadedEvaluator read_iago(Weights weights) {
    require(weights.size() == 72, "Iago has 64 square weights and 8 coefficients");
    const auto row = [&](std::size_t i) {
        return MoveCoefficient{weights[64 + 2 * i], weights[65 + 2 * i]};
    };
    return {std::make_shared<Iago>(weights.first<64>(),
                                   IagoCoefficients{row(0), row(1), row(2), row(3)}),
            std::nullopt};
}

LoadedEvaluator read_piece_counter(Weights weights) {
    require(weights.size() == 64, "a piece counter has 64 weights");
    WrittenNetwork squares;  // a network of 64 tables of one square, so that it can be explained
    for (std::uint8_t square = 0; square < 64; ++square) {
        squares.tables.push_back({1, {{square}}});
        squares.weights.insert(squares.weights.end(), {-weights[square], 0, weights[square]});
    }
    return {std::make_shared<PieceCounter>(weights.first<64>()), std::move(squares)};
}

int keep(LoadedEvaluator loaded) {
    instance().evaluators.push_back(std::move(loaded));
    return static_cast<int>(instance().evaluators.size()) - 1;
}

// The tables of a text, in the order in which read_network takes them.
void describe(std::span<const TupleTable> tables, std::vector<double>& results) {
    results.push_back(static_cast<double>(tables.size()));
    for (const TupleTable& table : tables) {
        results.push_back(table.length);
        results.push_back(static_cast<double>(table.placements.size()));
        for (const auto& placement : table.placements) {
            results.insert(results.end(), placement.begin(), placement.end());
        }
    }
}

}  // namespace

// An evaluator; returns its number.
OUTFLANK_EXPORT(load_evaluator)
int load_evaluator(int kind, const std::int32_t* shape, std::size_t shape_size,
                   const double* weights, std::size_t weight_count) {
    require(weight_count <= MOST_WEIGHTS, "a player has at most 16,777,216 weights here");
    const Weights all{weights, weight_count};
    require(std::ranges::all_of(all, [](double w) { return std::isfinite(w); }),
            "weights must be finite numbers");
    ShapeReader reader({shape, shape_size});
    require(kind >= PIECE_COUNTER && kind <= DEEP_NETWORK, "this kind of evaluator is unknown");
    LoadedEvaluator loaded = kind == PIECE_COUNTER     ? read_piece_counter(all)
                             : kind == IAGO            ? read_iago(all)
                             : kind == MLP             ? read_mlp(reader, all)
                             : kind == COUNTED_NETWORK ? read_counted(reader, all)
                             : kind == DEEP_NETWORK    ? read_deep(reader, all)
                                                       : read_network(reader, all);
    require(reader.is_at_end(), "the shape has numbers left over");
    return keep(std::move(loaded));
}

// The League's text; returns the evaluator's number, and its tables as results (none: a piece
// counter).
OUTFLANK_EXPORT(load_league_text)
int load_league_text(const char* text, std::size_t length) {
    LeagueText parsed = parse_league_text({text, length});
    instance().results.clear();
    describe(parsed.tables, instance().results);
    if (parsed.tables.empty()) {
        return keep(read_piece_counter(parsed.weights));
    }
    require(parsed.placements <= MOST_PLACEMENTS, "a network has at most 16,384 placements here");
    require(parsed.weights.size() <= MOST_WEIGHTS, "a network has at most 16,777,216 weights here");
    return keep(network_of({1, std::move(parsed.tables)}, parsed.weights));
}

// The player: one evaluator for both colours or one for each.
OUTFLANK_EXPORT(set_player)
void set_player(std::size_t for_black, std::size_t for_white, int view) {
    Instance& here = instance();
    require(for_black < here.evaluators.size() && for_white < here.evaluators.size(),
            "there is no such evaluator");
    require(view >= 0 && view <= 2, "a view is 0, 1 or 2");
    here.searcher.reset();
    here.judgement = {here.evaluators[for_black].evaluator, here.evaluators[for_white].evaluator,
                      static_cast<View>(view)};
}

// Rows of six: stage, depth, shallow depth, slope, intercept, sigma.
OUTFLANK_EXPORT(set_prob_cuts)
void set_prob_cuts(int stages, const double* rows, std::size_t count) {
    require(stages >= 0 && stages <= 61 && count <= 4096, "a search has at most 4,096 cuts");
    Instance& here = instance();
    here.searcher.reset();
    here.prob_cuts.assign(static_cast<std::size_t>(stages), {});
    for (std::size_t i = 0; i < count; ++i) {
        const double* const row = rows + 6 * i;
        require(row[0] >= 0 && row[0] < stages, "a cut is for a stage that there is not");
        require(row[2] >= 0 && row[2] < row[1] && row[1] <= 60 && row[3] > 0,
                "a cut needs 0 <= shallow < depth and a positive slope");
        here.prob_cuts[static_cast<std::size_t>(row[0])].push_back(
            {static_cast<int>(row[1]), static_cast<int>(row[2]), static_cast<Value>(row[3]),
             static_cast<Value>(row[4]), static_cast<Value>(row[5])});
    }
}

// The solver orders moves by this network; discs_per_unit has a number per stage.
OUTFLANK_EXPORT(set_ordering)
void set_ordering(std::size_t evaluator, const double* discs_per_unit, std::size_t count,
                  double weight) {
    Instance& here = instance();
    require(evaluator < here.evaluators.size() && here.evaluators[evaluator].network.has_value() &&
                !here.evaluators[evaluator].network->deep.has_value(),
            "the solver orders moves by an n-tuple network");
    const auto& [tables, weights, stages, deep] = *here.evaluators[evaluator].network;
    require(count == static_cast<std::size_t>(stages),
            "there is one number of discs per unit for each stage");
    here.ordering = {std::make_shared<OrderingNetwork>(tables, weights, stages,
                                                       std::span(discs_per_unit, count)),
                     here.evaluators[evaluator].evaluator, weight};
    here.solver.reset();
}

// Frees what is only needed for explanations and for set_ordering.
OUTFLANK_EXPORT(forget_written)
void forget_written() {
    for (LoadedEvaluator& loaded : instance().evaluators) {
        loaded.network.reset();
    }
}

}  // namespace outflank::wasm
