// The solver's evaluator: an n-tuple network in 16-bit integers, for move ordering and forward
// pruning. Its values decide what is searched first, never a score.
#pragma once

#include <cstring>

#include "evaluators/changed_slots.hpp"
#include "evaluators/ntuple_network.hpp"

namespace outflank {

// Values are in 1/64 disc. Every slot's index is updated from the position before, one move at a
// time; a position is always seen by its mover, whose discs count as black.
class OrderingNetwork {
  public:
    static constexpr int DISC = 64;

    // discs_per_unit: by stage, what a unit of the network's value is worth in discs.
    OrderingNetwork(std::span<const TupleTable> tables, std::span<const double> weights, int stages,
                    std::span<const double> discs_per_unit);

    std::size_t width() const { return static_cast<std::size_t>(slots_.width); }

    // The indices of a position; those of the next position for its own mover.
    void look(const Position& position, Index* indices) const;
    void pass(const Index* before, Index* after) const;
    void play(const Index* before, int square, Bits flipped, Index* after) const;

    // What the position is worth to its mover; the network was learned on boards after a move, seen
    // by the side that made it.
    int value(const Index* indices, int discs) const;

    class AfterMoves;

  private:
    using Entry = std::int16_t;
    Slots slots_;
    ChangedSlots changed_;
    int stages_;
    std::size_t stage_size_;
    AlignedVector<Entry> tables_;

    const Entry* stage(int discs) const {
        return tables_.data() + static_cast<std::size_t>(stage_of(discs, stages_)) * stage_size_;
    }
};

// What the moves of a position are worth to the side that makes them. Sums of integers are exact,
// so only the slots that a move changes are looked up again.
class OrderingNetwork::AfterMoves {
  public:
    // `before`: the indices of the position; `discs`: those on its board.
    AfterMoves(const OrderingNetwork& network, const Index* before, int discs);
    int value(int square, Bits flipped);

  private:
    template <std::size_t WORDS>
    int value_in(int square, Bits flipped);
    int value_of_all(int square, Bits flipped) const;

    // 64 slots lie together, with room behind them for a slot that reads the zero.
    static constexpr std::size_t TOGETHER = 64 + Slots::LANES;
    static constexpr std::size_t MOST_WORDS = 4;  // beyond, all slots are looked up

    const OrderingNetwork& network_;
    const Index* before_;
    const Entry* tables_;
    int sum_ = 0;
    alignas(64) std::array<Index, TOGETHER * MOST_WORDS> after_;       // filled up to the words
    alignas(64) std::array<std::int32_t, TOGETHER * MOST_WORDS> now_;  // entries before the move
};

}  // namespace outflank
