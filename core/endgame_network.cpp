#include "endgame_network.hpp"

#include <algorithm>
#include <limits>

namespace outflank {
namespace {

// Eight indices at once, or four, by a GCC and Clang extension that compiles to what the machine
// has.
#if defined(__AVX2__)
constexpr std::size_t LANES = 8;
#else
constexpr std::size_t LANES = 4;
#endif
using Lanes [[gnu::vector_size(LANES * sizeof(Index))]] = Index;

Lanes load(const Index* from) {
    Lanes lanes;
    std::memcpy(&lanes, from, sizeof(Lanes));
    return lanes;
}
void store(Lanes lanes, Index* to) { std::memcpy(to, &lanes, sizeof(Lanes)); }

// Calls with_steps(k, sum) for each vector of slots: sum is how much the indices grow if the mover
// places a disc on an empty square (one digit) and flips discs (two digits each).
template <class WithSteps>
void for_each_change(const Slots& slots, int square, Bits flipped, WithSteps with_steps) {
    const auto width = static_cast<std::size_t>(slots.width);
    const Index* steps = slots.steps.data();
    const Index* placed = steps + static_cast<std::size_t>(square) * width;
    std::array<const Index*, 64> turned;
    std::size_t count = 0;
    for (Bits rest = flipped; rest != 0; rest = without_lowest(rest)) {
        turned[count++] = steps + static_cast<std::size_t>(lowest_square(rest)) * width;
    }
    for (std::size_t k = 0; k < width; k += LANES) {
        Lanes sum = load(turned[0] + k);
        for (std::size_t i = 1; i < count; ++i) {
            sum += load(turned[i] + k);
        }
        with_steps(k, sum + sum + load(placed + k));
    }
}

}  // namespace

OrderingNetwork::OrderingNetwork(std::span<const TupleTable> tables,
                                 std::span<const double> weights, int stages,
                                 std::span<const double> discs_per_unit)
    : slots_(plain_slots(tables)),
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
    for_each_change(slots_, square, flipped, [&](std::size_t k, Lanes change) {
        store(load(slots_.mirror.data() + k) - (load(before + k) + change), after + k);
    });
}

int OrderingNetwork::value(const Index* indices, int discs) const {
    const Entry* tables = stage(discs);
    int sum = 0;
    for (std::size_t k = 0; k < width(); ++k) {
        sum += tables[indices[k]];
    }
    return sum;
}

int OrderingNetwork::value_after(const Index* before, int square, Bits flipped, int discs) const {
    const Entry* tables = stage(discs + 1);
    int sum = 0;
    alignas(64) std::array<Index, LANES> after;
    for_each_change(slots_, square, flipped, [&](std::size_t k, Lanes change) {
        store(load(before + k) + change, after.data());
        write_to_memory(after.data());
        int even = 0;
        int odd = 0;
        for (std::size_t i = 0; i < LANES; i += 2) {
            even += tables[after[i]];
            odd += tables[after[i + 1]];
        }
        sum += even + odd;
    });
    return sum;
}

}  // namespace outflank
