#include "ntuple_network.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

namespace outflank {
namespace detail {

// Sixteen indices, in as many vectors of the machine's own width as that takes, by a GCC and Clang
// extension. (GCC 12 passes wider vectors through memory.)
class IndexVector {
  public:
    static IndexVector load(const Index* from) {
        IndexVector vector;
        for (std::size_t i = 0; i < PIECES; ++i) {
            std::memcpy(&vector.pieces_[i], from + i * LANES, sizeof(Piece));
        }
        return vector;
    }
    void store(Index* to) const {
        for (std::size_t i = 0; i < PIECES; ++i) {
            std::memcpy(to + i * LANES, &pieces_[i], sizeof(Piece));
        }
    }
    IndexVector& operator+=(const IndexVector& other) {
        for (std::size_t i = 0; i < PIECES; ++i) {
            pieces_[i] += other.pieces_[i];
        }
        return *this;
    }
    IndexVector& operator-=(const IndexVector& other) {
        for (std::size_t i = 0; i < PIECES; ++i) {
            pieces_[i] -= other.pieces_[i];
        }
        return *this;
    }
    // Unsigned lanes wrap, so that a negative factor subtracts.
    IndexVector& operator*=(int factor) {
        for (std::size_t i = 0; i < PIECES; ++i) {
            pieces_[i] *= static_cast<Index>(factor);
        }
        return *this;
    }

  private:
#if defined(__AVX512F__)
    static constexpr std::size_t LANES = 16;
#elif defined(__AVX2__)
    static constexpr std::size_t LANES = 8;
#else
    static constexpr std::size_t LANES = 4;
#endif
    static constexpr std::size_t PIECES = Slots::LANES / LANES;
    using Piece [[gnu::vector_size(LANES * sizeof(Index))]] = Index;
    Piece pieces_[PIECES];  // NOLINT: GCC 12 keeps a std::array of vectors in memory
};

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

// How a move changes the indices, with the mover's discs as digit 2: by one step where it places a
// disc, by two steps for each disc that it flips. The first four are added without a branch: a
// mispredicted loop end costs more than a few additions of row 64, which is zero.
class MoveSteps {
  public:
    MoveSteps(const Index* steps, std::size_t width, int square, Bits flipped)
        : steps_(steps), width_(width), placed_(row(square)) {
        for (const Index*& flipped_row : flipped_) {
            flipped_row = row(lowest_square(flipped));
            flipped = without_lowest(flipped);
        }
        more_flipped_ = flipped;
    }
    IndexVector at(std::size_t slot) const {
        auto change = IndexVector::load(flipped_[0] + slot);
        change += IndexVector::load(flipped_[1] + slot);
        change += IndexVector::load(flipped_[2] + slot);
        change += IndexVector::load(flipped_[3] + slot);
        for (Bits rest = more_flipped_; rest != 0; rest = without_lowest(rest)) [[unlikely]] {
            change += IndexVector::load(row(lowest_square(rest)) + slot);
        }
        change += change;
        change += IndexVector::load(placed_ + slot);
        return change;
    }

  private:
    const Index* row(int square) const {
        return steps_ + static_cast<std::size_t>(square) * width_;
    }

    const Index* steps_;
    std::size_t width_;
    const Index* placed_;
    std::array<const Index*, 4> flipped_;
    Bits more_flipped_;
};

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

using detail::IndexVector;
using detail::look_up;
using detail::MoveSteps;
using detail::with_width;

Slots::Slots(std::size_t slots_in_use, std::size_t unused) {
    if (slots_in_use > MOST) {
        throw std::invalid_argument("a network has at most " + std::to_string(MOST) +
                                    " placements, not " + std::to_string(slots_in_use));
    }
    if (unused > std::numeric_limits<Index>::max()) {
        throw std::invalid_argument("a network has at most 4,294,967,295 entries a stage");
    }
    count = static_cast<int>(slots_in_use);
    width = static_cast<int>((slots_in_use + LANES - 1) / LANES * LANES);
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
        auto indices = IndexVector::load(seen.indices.data() + from);
        for (std::size_t i = 0; i < count; ++i) {
            auto change = IndexVector::load(changes[i].row + from);
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

template <int WIDTH, class Weight>
void TableReader::values_after_in(const Weight* tables, Seen& seen, const Board& board,
                                  const MoveList& moves, SeenAs seen_as,
                                  std::span<double> values) const {
    const auto width = static_cast<std::size_t>(WIDTH > 0 ? WIDTH : slots_.width);
    const bool as_white = seen_as == SeenAs::mover_is_white;
    const bool mirrored = (board.mover == Colour::white) != as_white;
    for (std::size_t from = 0; mirrored && from < width; from += Slots::LANES) {
        auto indices = IndexVector::load(slots_.mirror.data() + from);
        indices -= IndexVector::load(seen.indices.data() + from);
        indices.store(seen.mirrored.data() + from);
    }
    const Index* before = mirrored ? seen.mirrored.data() : seen.indices.data();
    alignas(64) std::array<Index, std::max(WIDTH, 1)> on_stack;
    Index* after = WIDTH > 0 ? on_stack.data() : seen.after.data();
    for (std::size_t i = 0; i < values.size(); ++i) {
        const MoveSteps move(slots_.steps.data(), width, moves.squares[i], moves.flipped[i]);
        for (std::size_t from = 0; from < width; from += Slots::LANES) {
            auto indices = IndexVector::load(before + from);
            as_white ? indices -= move.at(from) : indices += move.at(from);
            indices.store(after + from);
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
    with_width(slots_.width, [&]<int WIDTH> {
        values_after_in<WIDTH>(stage, seen, board, moves, seen_as, values);
    });
}

TableReader::SeenInBatch::SeenInBatch(const TableReader& reader)
    : reader_(reader),
      opened_(reader.slots_),
      indices_(2 * GAMES_IN_BATCH * static_cast<std::size_t>(reader.slots_.width)) {}

void TableReader::SeenInBatch::open(std::size_t game, const Board& board) {
    const auto width = static_cast<std::size_t>(reader_.slots_.width);
    for (const Colour colour : {Colour::black, Colour::white}) {
        const bool as_it_is = colour == Colour::black;
        reader_.look(opened_, as_it_is ? board.black : board.white,
                     as_it_is ? board.white : board.black);
        std::ranges::copy(opened_.indices, indices_.data() + place(game, colour, width));
    }
    discs_[game] = std::popcount(board.black | board.white);
    set_stage(game);
}

// The indices of many moves are computed before the first look-up: both together would exceed what
// a processor overlaps.
template <int WIDTH, class Weight>
void TableReader::SeenInBatch::values_after_in(const Weight* tables,
                                               std::span<const BatchMove> moves,
                                               bool white_as_white,
                                               std::span<double> values) const {
    const auto width = static_cast<std::size_t>(WIDTH > 0 ? WIDTH : reader_.slots_.width);
    const Index* steps = reader_.slots_.steps.data();
    alignas(64) std::array<Index, 4 * WIDEST> block;  // stays within the L1 cache
    const std::size_t rows = block.size() / width;
    for (std::size_t first = 0; first < moves.size(); first += rows) {
        const std::size_t end = std::min(first + rows, moves.size());
        Index* after = block.data();
        for (std::size_t i = first; i < end; ++i, after += width) {
            const bool as_white = white_as_white && moves[i].mover == Colour::white;
            const Colour seen_by = as_white ? Colour::black : moves[i].mover;
            const Index* before = indices_.data() + place(moves[i].game, seen_by, width);
            const MoveSteps move(steps, width, moves[i].square, moves[i].flipped);
            for (std::size_t from = 0; from < width; from += Slots::LANES) {
                auto indices = IndexVector::load(before + from);
                as_white ? indices -= move.at(from) : indices += move.at(from);
                indices.store(after + from);
            }
        }
        write_to_memory(block.data());
        after = block.data();
        for (std::size_t i = first; i < end; ++i, after += width) {
            const bool as_white = white_as_white && moves[i].mover == Colour::white;
            const double value = look_up(tables + first_after_[moves[i].game], after, width);
            values[i] = as_white ? -value : value;
        }
    }
}

template <class Weight>
void TableReader::SeenInBatch::values_after(const Weight* tables, std::span<const BatchMove> moves,
                                            bool white_as_white, std::span<double> values) const {
    with_width(reader_.slots_.width,
               [&]<int WIDTH> { values_after_in<WIDTH>(tables, moves, white_as_white, values); });
}

void TableReader::SeenInBatch::follow(std::span<const BatchMove> moves) {
    const auto width = static_cast<std::size_t>(reader_.slots_.width);
    for (const BatchMove& made : moves) {
        const MoveSteps move(reader_.slots_.steps.data(), width, made.square, made.flipped);
        Index* for_mover = indices_.data() + place(made.game, made.mover, width);
        Index* for_opponent = indices_.data() + place(made.game, other(made.mover), width);
        for (std::size_t from = 0; from < width; from += Slots::LANES) {
            const auto change = move.at(from);
            auto indices = IndexVector::load(for_mover + from);
            indices += change;
            indices.store(for_mover + from);
            indices = IndexVector::load(for_opponent + from);
            indices -= change;
            indices.store(for_opponent + from);
        }
        ++discs_[made.game];
        set_stage(made.game);
    }
}

template double TableReader::value(const double*, Seen&, Bits, Bits) const;
template double TableReader::value(const float*, Seen&, Bits, Bits) const;
template void TableReader::values_after(const double*, Seen&, const Board&, const MoveList&, SeenAs,
                                        std::span<double>) const;
template void TableReader::values_after(const float*, Seen&, const Board&, const MoveList&, SeenAs,
                                        std::span<double>) const;
template void TableReader::SeenInBatch::values_after(const double*, std::span<const BatchMove>,
                                                     bool, std::span<double>) const;

}  // namespace outflank
