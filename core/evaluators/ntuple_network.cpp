#include "ntuple_network.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

namespace outflank {
namespace detail {

// Sixteen indices added at once, by a GCC and Clang extension that compiles to whatever the machine
// has.
struct IndexVector {
    using Lanes [[gnu::vector_size(Slots::LANES * sizeof(Index))]] = Index;
    Lanes lanes;

    // Unsigned lanes wrap, so that a negative factor subtracts.
    static IndexVector load(const Index* from) {
        IndexVector vector;
        std::memcpy(&vector.lanes, from, sizeof(Lanes));
        return vector;
    }
    void store(Index* to) const { std::memcpy(to, &lanes, sizeof(Lanes)); }
    IndexVector operator+(const IndexVector& other) const { return {lanes + other.lanes}; }
    IndexVector operator-(const IndexVector& other) const { return {lanes - other.lanes}; }
    IndexVector times(int factor) const { return {lanes * static_cast<Index>(factor)}; }
};

// Four chains of additions hide their latency; in any order the sum is exact (see Grid).
template <class Weight>
inline double look_up(const Weight* tables, const Index* indices, int width) {
    double a = 0;
    double b = 0;
    double c = 0;
    double d = 0;
    for (int k = 0; k < width; k += 4) {
        a += static_cast<double>(tables[indices[k]]);
        b += static_cast<double>(tables[indices[k + 1]]);
        c += static_cast<double>(tables[indices[k + 2]]);
        d += static_cast<double>(tables[indices[k + 3]]);
    }
    return (a + b) + (c + d);
}

}  // namespace detail

using detail::IndexVector;
using detail::look_up;

Slots::Slots(std::size_t slots_in_use, std::size_t unused) {
    if (slots_in_use > MOST) {
        throw std::invalid_argument("a network has at most " + std::to_string(MOST) +
                                    " placements, not " + std::to_string(slots_in_use));
    }
    if (unused > std::numeric_limits<Index>::max()) {
        throw std::invalid_argument("a network has at most 4,294,967,295 entries a stage");
    }
    count = static_cast<int>(slots_in_use);
    width = (count + LANES - 1) / LANES * LANES;
    const auto allotted = static_cast<std::size_t>(width);
    steps.assign(65 * allotted, 0);
    empty.assign(allotted, static_cast<Index>(unused));
    mirror.assign(allotted, static_cast<Index>(2 * unused));  // mirrors wrap: see place_table
}

// mirror - index is right modulo 2^32 even where `mirror` itself does not fit.
void Slots::place_table(std::size_t k, std::size_t offset, std::size_t length) {
    const Index all_black = POWERS_OF_3[length] - 1;
    empty[k] = static_cast<Index>(offset + all_black / 2);  // every digit 1
    mirror[k] = static_cast<Index>(2 * offset + all_black);
}

std::size_t Slots::bytes(std::size_t slots_in_use) {
    const std::size_t allotted = (slots_in_use + LANES - 1) / LANES * LANES;
    return (65 + 2) * allotted * sizeof(Index);
}

void TableReader::look(Seen& seen, Bits black, Bits white) const {
    const int width = slots_.width;
    for (int from = 0; from < width; from += Slots::LANES) {
        const Index* steps = slots_.steps.data() + from;
        auto indices = IndexVector::load(seen.indices.data() + from);
        for_each_change(seen, black, white, [&](int square, int digits) {
            indices = indices + IndexVector::load(steps + square * width).times(digits);
        });
        indices.store(seen.indices.data() + from);
    }
    seen.remember(black, white);
}

template <class Weight>
double TableReader::value(const Weight* tables, Seen& seen, Bits black, Bits white) const {
    look(seen, black, white);
    return look_up(tables + first_of_stage(std::popcount(black | white)), seen.indices.data(),
                   slots_.width);
}

// WIDTH: the number of slots allotted if it is known at compile time; 0 for any number. A fixed
// width lets the compiler unroll the loops.
template <int WIDTH, class Weight>
void TableReader::values_after_in(const Weight* tables, Seen& seen, const Board& board,
                                  const MoveList& moves, SeenAs seen_as,
                                  std::span<double> values) const {
    const int width = WIDTH > 0 ? WIDTH : slots_.width;
    const Index* indices = seen.indices.data();
    const Index* mirror = slots_.mirror.data();
    const Index* steps = slots_.steps.data();
    alignas(64) std::array<Index, std::max(WIDTH, 1)> on_stack;
    Index* after = WIDTH > 0 ? on_stack.data() : seen.after.data();
    const auto count = static_cast<std::size_t>(moves.count);
    for (std::size_t i = 0; i < count; ++i) {
        for (int from = 0; from < width; from += Slots::LANES) {
            const auto mirrored = IndexVector::load(mirror + from);
            auto now = IndexVector::load(indices + from);
            if (board.mover == Colour::white) {  // the mover's discs count as black
                now = mirrored - now;
            }
            IndexVector turned{};
            for_each_flipped(moves.flipped[i], [&](int square) {
                turned = turned + IndexVector::load(steps + square * width + from);
            });
            const auto placed = IndexVector::load(steps + moves.squares[i] * width + from);
            now = now + placed + turned + turned;  // from empty, 1, and the opponent's 0 to 2
            if (seen_as == SeenAs::mover_is_white) {
                now = mirrored - now;
            }
            now.store(after + from);
        }
        write_to_memory(after);
        values[i] = look_up(tables, after, width);
    }
}

template <class Weight>
void TableReader::values_after(const Weight* tables, Seen& seen, const Board& board,
                               const MoveList& moves, SeenAs seen_as,
                               std::span<double> values) const {
    look(seen, board.black, board.white);
    const Weight* stage = tables + first_of_stage(std::popcount(board.black | board.white) + 1);
    switch (slots_.width) {
        case 16: return values_after_in<16>(stage, seen, board, moves, seen_as, values);
        case 32: return values_after_in<32>(stage, seen, board, moves, seen_as, values);
        case 48: return values_after_in<48>(stage, seen, board, moves, seen_as, values);
        default: return values_after_in<0>(stage, seen, board, moves, seen_as, values);
    }
}

template double TableReader::value(const double*, Seen&, Bits, Bits) const;
template double TableReader::value(const float*, Seen&, Bits, Bits) const;
template void TableReader::values_after(const double*, Seen&, const Board&, const MoveList&, SeenAs,
                                        std::span<double>) const;
template void TableReader::values_after(const float*, Seen&, const Board&, const MoveList&, SeenAs,
                                        std::span<double>) const;

}  // namespace outflank
