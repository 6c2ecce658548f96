#include "evaluators/deep_network.hpp"

#include <cmath>

#include "evaluators/slots_after.hpp"

namespace outflank {
namespace {

constexpr std::size_t IN_VECTOR = 8;  // numbers of an entry that are added at once
constexpr std::size_t MOST_SLOTS = std::size_t{1} << 16;  // so that sums fit 32 bits
constexpr std::size_t MOST_BYTES = std::size_t{2} << 30;
constexpr double LARGEST_WEIGHT = 0x1p15;  // products of three fit a float
using Sum = std::int32_t;

std::size_t in_whole_vectors(int count) {
    return (static_cast<std::size_t>(count) + IN_VECTOR - 1) / IN_VECTOR * IN_VECTOR;
}

// Adds the entries, WIDTH numbers each.
template <std::size_t WIDTH>
void add_entries(const std::int16_t* entries, const Index* indices, std::size_t slots, Sum* sums) {
    using Entry [[gnu::vector_size(IN_VECTOR * sizeof(std::int16_t))]] = std::int16_t;
    using Sums [[gnu::vector_size(IN_VECTOR * sizeof(Sum))]] = Sum;
    for (std::size_t k = 0; k < WIDTH; k += IN_VECTOR) {
        Sums sum{};
        for (std::size_t slot = 0; slot < slots; ++slot) {
            Entry entry;
            std::memcpy(&entry, entries + indices[slot] * WIDTH + k, sizeof entry);
            sum += __builtin_convertvector(entry, Sums);
        }
        std::memcpy(sums + k, &sum, sizeof sum);
    }
}

}  // namespace

DeepNetwork::DeepNetwork(std::span<const TupleTable> tables, const DeepShape& shape,
                         std::span<const double> weights)
    : shape_(shape),
      reader_(plain_slots(tables), 1, weights_of_one_stage(tables) + 1),
      width_(in_whole_vectors(shape.vector)) {
    const auto length = static_cast<std::size_t>(shape.vector);
    const std::size_t entries = reader_.stage_size() - 1;
    if (static_cast<std::size_t>(reader_.slots().count) > MOST_SLOTS) {
        fail("a deep network has at most 65,536 placements");
    }
    if ((entries + 1) * width_ * sizeof(Entry) > MOST_BYTES) {
        fail("the network is too large to play: its tables take over 2 GB");
    }
    if (std::ranges::any_of(weights, [](double w) { return !(std::abs(w) <= LARGEST_WEIGHT); })) {
        fail("the weights of a deep network are at most 32,768");
    }
    const auto of_tables = weights.first(entries * length);
    double largest = 0;
    for (const double weight : of_tables) {
        largest = std::max(largest, std::abs(weight));
    }
    int exponent = 0;
    std::frexp(largest, &exponent);
    const double step = std::ldexp(1.0, exponent - 15);
    step_ = static_cast<float>(step);
    entries_.assign((entries + 1) * width_, 0);  // the last one is for unused slots
    for (std::size_t i = 0; i < of_tables.size(); ++i) {
        const double rounded = std::min(std::nearbyint(of_tables[i] / step), 32767.0);
        entries_[i / length * width_ + i % length] = static_cast<Entry>(rounded);
    }
    auto of_layers = weights.subspan(of_tables.size());
    for (int stage = 0; stage < shape.stages; ++stage) {
        layers_.emplace_back(shape, of_layers.first(shape.weights_of_one_stage()));
        of_layers = of_layers.subspan(shape.weights_of_one_stage());
    }
}

std::unique_ptr<Evaluator::Accumulator> DeepNetwork::accumulator() const {
    return std::make_unique<TableReader::Seen>(reader_.slots());
}

double DeepNetwork::value_at(const Index* indices, Bits black, Bits white) const {
    alignas(32) std::array<Sum, LONGEST_ENTRY> sums;
    const auto slots = static_cast<std::size_t>(reader_.slots().count);
    switch (width_) {
        case 8: add_entries<8>(entries_.data(), indices, slots, sums.data()); break;
        case 16: add_entries<16>(entries_.data(), indices, slots, sums.data()); break;
        case 24: add_entries<24>(entries_.data(), indices, slots, sums.data()); break;
        default: add_entries<32>(entries_.data(), indices, slots, sums.data()); break;
    }
    const DeepLayers& layers =
        layers_[static_cast<std::size_t>(stage_of(std::popcount(black | white), shape_.stages))];
    const auto biases = layers.biases();
    alignas(64) DeepLayers::Inputs inputs{};
    for (std::size_t k = 0; k < biases.size(); ++k) {
        inputs[k] = static_cast<float>(sums[k]) * step_ + biases[k];
    }
    board_inputs(black, white, inputs.data() + biases.size());
    return static_cast<double>(layers.output(inputs));
}

double DeepNetwork::value(Accumulator& accumulator, Bits black, Bits white) const {
    auto& seen = static_cast<TableReader::Seen&>(accumulator);
    reader_.look(seen, black, white);
    return value_at(seen.indices.data(), black, white);
}

void DeepNetwork::values_after(Accumulator& accumulator, const Board& board, const MoveList& moves,
                               SeenAs seen_as, std::span<double> values) const {
    auto& seen = static_cast<TableReader::Seen&>(accumulator);
    const Position position = board.position();
    reader_.look(seen, board.black, board.white);
    for_each_after<0>(reader_.slots(), seen, board, moves, seen_as, values.size(),
                      [&](std::size_t i, const Index* indices) {
                          const Position after = position.play(moves.squares[i], moves.flipped[i]);
                          values[i] = seen_as == SeenAs::mover_is_black
                                          ? value_at(indices, after.opponent, after.mover)
                                          : value_at(indices, after.mover, after.opponent);
                      });
}

std::size_t DeepNetwork::bytes() const {
    std::size_t bytes = reader_.bytes() + entries_.size() * sizeof(Entry);
    for (const DeepLayers& layers : layers_) {
        bytes += layers.bytes();
    }
    return bytes;
}

}  // namespace outflank
