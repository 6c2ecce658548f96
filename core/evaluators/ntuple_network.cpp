#include "evaluators/ntuple_network.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "evaluators/ntuple_ranks.hpp"
#include "evaluators/slots_after.hpp"

namespace outflank {
namespace detail {

// Four chains of additions hide their latency; in any order the sum is exact (see Grid).
inline double look_up(const double* tables, const Index* indices, std::size_t width) {
    double a = 0;
    double b = 0;
    double c = 0;
    double d = 0;
    for (std::size_t k = 0; k < width; k += 4) {
        a += tables[indices[k]];
        b += tables[indices[k + 1]];
        c += tables[indices[k + 2]];
        d += tables[indices[k + 3]];
    }
    return (a + b) + (c + d);
}

// The same of learning weights, the four chains in one vector. These sums are rounded, so that the
// order of additions is part of the result.
inline double look_up(const float* tables, const Index* indices, std::size_t width) {
    using Weights [[gnu::vector_size(4 * sizeof(float))]] = float;
    using Sums [[gnu::vector_size(4 * sizeof(double))]] = double;
    Sums sums{};
    for (std::size_t k = 0; k < width; k += 4) {
        const Index* at = indices + k;
        const Weights weights{tables[at[0]], tables[at[1]], tables[at[2]], tables[at[3]]};
        sums += __builtin_convertvector(weights, Sums);
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Calls with<WIDTH>() where the number of slots is a common one, else with<0>(): a width known at
// compile time lets the compiler unroll loops.
template <class With>
auto with_width(int width, With with) {
    switch (width) {
        case 16: return with.template operator()<16>();
        case 32: return with.template operator()<32>();
        case 48: return with.template operator()<48>();
        default: return with.template operator()<0>();
    }
}

}  // namespace detail

using detail::look_up;
using detail::with_width;
using Vector = IndexVector<Index>;

Slots::Slots(std::size_t slots_in_use, std::size_t unused) {
    if (slots_in_use > MOST) {
        fail("a network has at most " + std::to_string(MOST) + " placements, not " +
             std::to_string(slots_in_use));
    }
    if (unused > std::numeric_limits<Index>::max()) {
        fail("a network has at most 4,294,967,295 entries a stage");
    }
    count = static_cast<int>(slots_in_use);
    width = static_cast<int>((slots_in_use + LANES - 1) / LANES * LANES);
    const auto allotted = static_cast<std::size_t>(width);
    tables.assign(allotted, {static_cast<Index>(unused), 1});
    steps.assign(65 * allotted, 0);
    empty.assign(allotted, static_cast<Index>(unused));
    mirror.assign(allotted, static_cast<Index>(2 * unused));  // mirrors wrap: see place_table
}

// mirror - index is right modulo 2^32 even where `mirror` itself does not fit.
void Slots::place_table(std::size_t k, std::size_t offset, std::size_t length) {
    const Index all_black = POWERS_OF_3[length] - 1;
    tables[k] = {static_cast<Index>(offset), POWERS_OF_3[length]};
    empty[k] = static_cast<Index>(offset + all_black / 2);  // every digit 1
    mirror[k] = static_cast<Index>(2 * offset + all_black);
}

std::size_t Slots::bytes(std::size_t slots_in_use) {
    const std::size_t allotted = (slots_in_use + LANES - 1) / LANES * LANES;
    return allotted * (sizeof(Table) + (65 + 2) * sizeof(Index));
}

void TableReader::look(Seen& seen, Bits black, Bits white) const {
    struct Change {
        const Index* row;
        int digits;
    };
    const auto width = static_cast<std::size_t>(slots_.width);
    std::array<Change, 64> changes;  // filled up to count
    std::size_t count = 0;
    for_each_change(seen, black, white, [&](int square, int digits) {
        changes[count++] = {slots_.steps.data() + static_cast<std::size_t>(square) * width, digits};
    });
    for (std::size_t from = 0; from < width; from += Slots::LANES) {
        auto indices = Vector::load(seen.indices.data() + from);
        for (std::size_t i = 0; i < count; ++i) {
            auto change = Vector::load(changes[i].row + from);
            change *= changes[i].digits;
            indices += change;
        }
        indices.store(seen.indices.data() + from);
    }
    seen.remember(black, white);
}

template <class Weight>
double TableReader::value(const Weight* tables, Seen& seen, Bits black, Bits white) const {
    look(seen, black, white);
    return look_up(tables + first_of_stage(std::popcount(black | white)), seen.indices.data(),
                   static_cast<std::size_t>(slots_.width));
}

template <class Weight>
void TableReader::values_after(const Weight* tables, Seen& seen, const Board& board,
                               const MoveList& moves, SeenAs seen_as,
                               std::span<double> values) const {
    look(seen, board.black, board.white);
    const Weight* stage = tables + first_of_stage(std::popcount(board.black | board.white) + 1);
    const auto width = static_cast<std::size_t>(slots_.width);
    with_width(slots_.width, [&]<int WIDTH> {
        for_each_after<WIDTH>(slots_, seen, board, moves, seen_as, values.size(),
                              [&](std::size_t i, const Index* after) {
                                  values[i] = look_up(stage, after, WIDTH > 0 ? WIDTH : width);
                              });
    });
}

template double TableReader::value(const double*, Seen&, Bits, Bits) const;
template double TableReader::value(const float*, Seen&, Bits, Bits) const;
template void TableReader::values_after(const double*, Seen&, const Board&, const MoveList&, SeenAs,
                                        std::span<double>) const;

TableSum::TableSum(Slots slots, AlignedVector<double> tables, int stages, double largest_sum)
    : tables_(std::move(tables)),
      reader_(std::move(slots), stages, tables_.size() / static_cast<std::size_t>(stages)),
      largest_sum_(largest_sum) {}

TableSum::~TableSum() = default;

bool TableSum::values_batches() const {
    return reader_.slots().empty.size() <= RankTables::MOST_SLOTS &&
           tables_.size() <= RankTables::MOST_ENTRIES;
}

std::unique_ptr<BatchAccumulator> TableSum::batch_accumulator() const {
    {
        const Lock lock(ranks_mutex_);
        if (!ranks_) {
            ranks_ = std::make_unique<RankTables>(reader_, tables_, largest_sum_);
        }
    }
    return ranks_->batch_accumulator();
}

std::size_t TableSum::bytes() const {
    const Lock lock(ranks_mutex_);
    return tables_.size() * sizeof(double) + reader_.bytes() + (ranks_ ? ranks_->bytes() : 0);
}

}  // namespace outflank
