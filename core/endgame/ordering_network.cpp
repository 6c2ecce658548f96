#include "endgame/ordering_network.hpp"

#include <algorithm>
#include <limits>

#include "evaluators/index_vectors.hpp"

namespace outflank {
namespace {

using Vector = IndexVector<Index>;

}  // namespace

OrderingNetwork::OrderingNetwork(std::span<const TupleTable> tables,
                                 std::span<const double> weights, int stages,
                                 std::span<const double> discs_per_unit)
    : slots_(plain_slots(tables)),
      changed_(slots_),
      stages_(stages),
      stage_size_(weights_of_one_stage(tables) + 1),
      tables_(stage_size_ * static_cast<std::size_t>(stages)) {
    constexpr double MOST = std::numeric_limits<Entry>::max();
    for (std::size_t stage = 0; stage < static_cast<std::size_t>(stages); ++stage) {
        std::ranges::transform(
            weights.subspan(stage * (stage_size_ - 1), stage_size_ - 1),
            tables_.begin() + static_cast<std::ptrdiff_t>(stage * stage_size_), [&](double weight) {
                return static_cast<Entry>(
                    std::lround(std::clamp(weight * discs_per_unit[stage] * DISC, -MOST, MOST)));
            });
    }
}

void OrderingNetwork::look(const Position& position, Index* indices) const {
    const auto width = static_cast<std::size_t>(slots_.width);
    std::ranges::copy(slots_.empty, indices);
    for (int square = 0; square < 64; ++square) {
        const bool own = (position.mover & bit(square)) != 0;
        const bool theirs = (position.opponent & bit(square)) != 0;
        const Index* steps = slots_.steps.data() + static_cast<std::size_t>(square) * width;
        for (std::size_t k = 0; k < width && (own || theirs); ++k) {
            indices[k] += own ? steps[k] : 0 - steps[k];
        }
    }
}

void OrderingNetwork::pass(const Index* before, Index* after) const {
    for (std::size_t k = 0; k < static_cast<std::size_t>(slots_.width); ++k) {
        after[k] = slots_.mirror[k] - before[k];
    }
}

void OrderingNetwork::play(const Index* before, int square, Bits flipped, Index* after) const {
    const MoveSteps<Index> move(slots_.steps.data(), width(), square, flipped);
    for (std::size_t k = 0; k < width(); k += Slots::LANES) {
        auto indices = Vector::load(slots_.mirror.data() + k);
        indices -= Vector::load(before + k);
        indices -= move.at(k);
        indices.store(after + k);
    }
}

int OrderingNetwork::value(const Index* indices, int discs) const {
    const Entry* tables = stage(discs);
    int sum = 0;
    for (std::size_t k = 0; k < width(); ++k) {
        sum += tables[indices[k]];
    }
    return sum;
}

OrderingNetwork::AfterMoves::AfterMoves(const OrderingNetwork& network, const Index* before,
                                        int discs)
    : network_(network), before_(before), tables_(network.stage(discs + 1)) {
    const std::size_t words = network.changed_.words();
    if (words > MOST_WORDS) {
        return;
    }
    const std::size_t zero = network.stage_size_ - 1;
    for (std::size_t word = 0; word < words; ++word) {
        const std::size_t count = std::min<std::size_t>(64, network.width() - 64 * word);
        std::int32_t* const entries = now_.data() + word * TOGETHER;
        for (std::size_t k = 0; k < count; ++k) {
            entries[k] = tables_[before[64 * word + k]];
            sum_ += entries[k];
        }
        entries[64] = 0;
        after_[word * TOGETHER + 64] = static_cast<Index>(zero);
    }
}

int OrderingNetwork::AfterMoves::value(int square, Bits flipped) {
    switch (network_.changed_.words()) {
        case 1: return value_in<1>(square, flipped);
        case 2: return value_in<2>(square, flipped);
        case 3: return value_in<3>(square, flipped);
        case 4: return value_in<4>(square, flipped);
        default: return value_of_all(square, flipped);
    }
}

template <std::size_t WORDS>
int OrderingNetwork::AfterMoves::value_in(int square, Bits flipped) {
    const std::size_t width = network_.width();
    const MoveSteps<Index> move(network_.slots_.steps.data(), width, square, flipped);
    for (std::size_t k = 0; k < width; k += Slots::LANES) {
        auto indices = Vector::load(before_ + k);
        indices += move.at(k);
        indices.store(after_.data() + k / 64 * TOGETHER + k % 64);
    }
    write_to_memory(after_.data());
    int gain = 0;
    network_.changed_.for_each_word<WORDS>(square, flipped, [&](std::size_t word, Bits changed) {
        const Index* after = after_.data() + word * TOGETHER;
        const std::int32_t* entries = now_.data() + word * TOGETHER;
        ChangedSlots::four_at_a_time(
            changed, [&](std::size_t k) { gain += tables_[after[k]] - entries[k]; });
    });
    return sum_ + gain;
}

int OrderingNetwork::AfterMoves::value_of_all(int square, Bits flipped) const {
    const Slots& slots = network_.slots_;
    const auto width = network_.width();
    int sum = 0;
    for (std::size_t k = 0; k < width; ++k) {
        Index index = before_[k] + slots.steps[static_cast<std::size_t>(square) * width + k];
        for (Bits rest = flipped; rest != 0; rest = without_lowest(rest)) {
            index += 2 * slots.steps[static_cast<std::size_t>(lowest_square(rest)) * width + k];
        }
        sum += tables_[index];
    }
    return sum;
}

}  // namespace outflank
