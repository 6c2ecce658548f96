#include "ntuple_network.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

namespace outflank {
namespace detail {

// As many indices as the machine adds at once, by a GCC and Clang extension. (GCC 12 passes wider
// vectors through memory.)
struct IndexVector {
#if defined(__AVX512F__)
    static constexpr int LANES = 16;
#elif defined(__AVX2__)
    static constexpr int LANES = 8;
#else
    static constexpr int LANES = 4;
#endif
    using Lanes [[gnu::vector_size(LANES * sizeof(Index))]] = Index;
    Lanes lanes;

    static IndexVector load(const Index* from) {
        IndexVector vector;
        std::memcpy(&vector.lanes, from, sizeof(Lanes));
        return vector;
    }
    void store(Index* to) const { std::memcpy(to, &lanes, sizeof(Lanes)); }
    // Unsigned lanes wrap, so that a negative factor subtracts.
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

// The rows of steps of the flipped squares. The first four are added without a branch: a
// mispredicted loop end costs more than a few additions of row 64, which is zero.
class FlippedRows {
  public:
    FlippedRows(const Index* steps, int width, Bits flipped) : steps_(steps), width_(width) {
        for (const Index*& row : first_) {
            row = steps + lowest_square(flipped) * width;
            flipped = without_lowest(flipped);
        }
        rest_ = flipped;
    }
    IndexVector sum(int from) const {
        auto sum = (IndexVector::load(first_[0] + from) + IndexVector::load(first_[1] + from)) +
                   (IndexVector::load(first_[2] + from) + IndexVector::load(first_[3] + from));
        for (Bits rest = rest_; rest != 0; rest = without_lowest(rest)) [[unlikely]] {
            sum = sum + IndexVector::load(steps_ + lowest_square(rest) * width_ + from);
        }
        return sum;
    }

  private:
    const Index* steps_;
    int width_;
    std::array<const Index*, 4> first_;
    Bits rest_;
};

}  // namespace detail

using detail::FlippedRows;
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
    for (int from = 0; from < width; from += IndexVector::LANES) {
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
    const bool mirrored = (board.mover == Colour::white) != (seen_as == SeenAs::mover_is_white);
    const auto count = static_cast<std::size_t>(moves.count);
    for (std::size_t i = 0; i < count; ++i) {
        const FlippedRows rows(steps, width, moves.flipped[i]);
        const Index* placed = steps + moves.squares[i] * width;
        for (int from = 0; from < width; from += IndexVector::LANES) {
            auto now = IndexVector::load(indices + from);
            now = mirrored ? IndexVector::load(mirror + from) - now : now;
            const auto turned = rows.sum(from);
            // The mover's digit 2 comes from empty, 1, and from the opponent's 0.
            const auto change = IndexVector::load(placed + from) + turned + turned;
            now = seen_as == SeenAs::mover_is_black ? now + change : now - change;
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

TableReader::SeenInBatch::SeenInBatch(const TableReader& reader)
    : reader_(reader),
      width_(static_cast<std::size_t>(reader.slots_.width)),
      indices_(2 * GAMES_IN_BATCH * width_) {}

void TableReader::SeenInBatch::open(std::size_t game, const Board& board) {
    Seen seen(reader_.slots_);
    for (const Colour colour : {Colour::black, Colour::white}) {
        const bool as_it_is = colour == Colour::black;
        reader_.look(seen, as_it_is ? board.black : board.white,
                     as_it_is ? board.white : board.black);
        std::ranges::copy(seen.indices, indices_.data() + place(game, colour));
    }
    discs_[game] = std::popcount(board.black | board.white);
    set_stage(game);
}

template <int WIDTH, bool WHITE_AS_WHITE, class Weight>
void TableReader::SeenInBatch::values_after_in(const Weight* tables,
                                               std::span<const BatchMove> moves,
                                               std::span<double> values) const {
    const int width = WIDTH > 0 ? WIDTH : reader_.slots_.width;
    const Index* steps = reader_.slots_.steps.data();
    alignas(64) std::array<Index, (WIDTH > 0 ? WIDTH : WIDEST)> after;
    for (std::size_t i = 0; i < moves.size(); ++i) {
        const BatchMove& move = moves[i];
        const bool as_white = WHITE_AS_WHITE && move.mover == Colour::white;
        const Index* now =
            indices_.data() + place(move.game, as_white ? Colour::black : move.mover);
        const FlippedRows rows(steps, width, move.flipped);
        const Index* placed = steps + move.square * width;
        for (int from = 0; from < width; from += IndexVector::LANES) {
            const auto turned = rows.sum(from);
            const auto change = IndexVector::load(placed + from) + turned + turned;
            const auto before = IndexVector::load(now + from);
            (as_white ? before - change : before + change).store(after.data() + from);
        }
        write_to_memory(after.data());
        const double value = look_up(tables + first_after_[move.game], after.data(), width);
        values[i] = as_white ? -value : value;
    }
}

template <class Weight>
void TableReader::SeenInBatch::values_after(const Weight* tables, std::span<const BatchMove> moves,
                                            bool white_as_white, std::span<double> values) const {
    const auto in_width = [&]<int WIDTH>() {
        return white_as_white ? values_after_in<WIDTH, true>(tables, moves, values)
                              : values_after_in<WIDTH, false>(tables, moves, values);
    };
    switch (reader_.slots_.width) {
        case 16: return in_width.template operator()<16>();
        case 32: return in_width.template operator()<32>();
        case 48: return in_width.template operator()<48>();
        default: return in_width.template operator()<0>();
    }
}

void TableReader::SeenInBatch::follow(std::span<const BatchMove> moves) {
    const int width = reader_.slots_.width;
    const Index* steps = reader_.slots_.steps.data();
    for (const BatchMove& move : moves) {
        const FlippedRows rows(steps, width, move.flipped);
        const Index* placed = steps + move.square * width;
        Index* for_mover = indices_.data() + place(move.game, move.mover);
        Index* for_opponent = indices_.data() + place(move.game, other(move.mover));
        for (int from = 0; from < width; from += IndexVector::LANES) {
            const auto turned = rows.sum(from);
            const auto change = IndexVector::load(placed + from) + turned + turned;
            (IndexVector::load(for_mover + from) + change).store(for_mover + from);
            (IndexVector::load(for_opponent + from) - change).store(for_opponent + from);
        }
        ++discs_[move.game];
        set_stage(move.game);
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
