// N-tuple networks that rank the moves of a batch of games.
//
// A choice needs the order of the moves, not their values. So the tables are kept a second time, in
// whole numbers of 32 bits: half the memory, of which more stays in the L1 and L2 caches, and sums
// that are the same on every machine. Moves whose ranks are too close get their values (see
// RankScale in move_batch.hpp).
#pragma once

#include "evaluators/ntuple_network.hpp"

namespace outflank {

class RankTables {
  public:
    static constexpr std::size_t MOST_SLOTS = 1024;  // beyond, games one by one use caches better
    static constexpr std::size_t MOST_ENTRIES = std::size_t{1} << 24;  // of all stages: 64 MB

    // Keeps a reference to the reader. `tables`: what its slots point into; no sum of them is
    // larger than `largest_sum`.
    RankTables(const TableReader& reader, std::span<const double> tables, double largest_sum);

    std::unique_ptr<BatchAccumulator> batch_accumulator() const;
    std::size_t bytes() const;

  private:
    // The indices of slots whose tables are all short enough, each counted from its own table's
    // first entry: 16 bits, so that one AVX2 vector holds 16 of them. Table k then begins at entry
    // k * stride, which is part of the look-up's instruction.
    struct ShortIndices {
        AlignedVector<std::uint16_t> steps;
        AlignedVector<std::uint16_t> empty;
        AlignedVector<std::uint16_t> mirror;
    };
    template <class Number, int WIDTH, std::size_t STRIDE>
    class Games;

    bool tables_fit(std::size_t slots, std::size_t entries) const;
    void place_apart(std::span<const double> tables, std::size_t width, std::size_t stride);
    void fill(const double* from, std::int32_t* to, std::size_t count) const;

    const TableReader& reader_;
    RankScale scale_;
    std::size_t stride_ = 0;  // 0: ranks_ is laid out as tables_ is
    std::size_t width_;       // slots allotted
    std::size_t stage_size_;  // entries of ranks_
    ShortIndices short_;
    AlignedVector<std::int32_t> ranks_;
};

}  // namespace outflank
