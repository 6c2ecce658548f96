#include "ntuple_network.hpp"

#include <cstring>

namespace outflank {
namespace {

// As many indices as fit one or two vector registers, added at once (a GCC and Clang extension that
// becomes whatever the machine has).
template <class Index, int Lanes>
struct IndexVector {
    typedef Index Type __attribute__((vector_size(Lanes * sizeof(Index))));
    Type lanes;

    static IndexVector load(const Index* from) {
        IndexVector vector;
        std::memcpy(&vector.lanes, from, sizeof(Type));
        return vector;
    }
    void store(Index* to) const { std::memcpy(to, &lanes, sizeof(Type)); }
};

// Four chains of additions hide their latency; in any order the sum is exact (see Grid).
template <class Index>
inline double look_up(const double* tables, const std::uint32_t* offsets, const Index* indices,
                      int width) {
    double a = 0;
    double b = 0;
    double c = 0;
    double d = 0;
    for (int k = 0; k < width; k += 4) {
        a += tables[offsets[k] + indices[k]];
        b += tables[offsets[k + 1] + indices[k + 1]];
        c += tables[offsets[k + 2] + indices[k + 2]];
        d += tables[offsets[k + 3] + indices[k + 3]];
    }
    return (a + b) + (c + d);
}

}  // namespace

template <class Index>
struct TableSum<Index>::Seen final : Accumulator {
    explicit Seen(const Slots<Index>& slots)
        : indices(static_cast<std::size_t>(slots.width)), after(indices.size()) {
        for (std::size_t i = 0; i < indices.size(); ++i) {
            indices[i] = static_cast<Index>(slots.all_black[i] / 2);  // every digit 1: empty
        }
    }
    AlignedVector<Index> indices;
    AlignedVector<Index> after;  // room for the indices after a move
};

template <class Index>
TableSum<Index>::TableSum(Slots<Index> slots, std::vector<double> tables, int stages)
    : slots_(std::move(slots)), tables_(std::move(tables)), stages_(stages),
      stage_size_(tables_.size() / static_cast<std::size_t>(stages)) {}

template <class Index>
std::unique_ptr<Evaluator::Accumulator> TableSum<Index>::accumulator() const {
    return std::make_unique<Seen>(slots_);
}

template <class Index>
const double* TableSum<Index>::tables_of_stage(int discs) const {
    return tables_.data() + static_cast<std::size_t>(stage_of(discs, stages_)) * stage_size_;
}

template <class Index>
void TableSum<Index>::look(Seen& seen, Bits black, Bits white) const {
    using Vector = IndexVector<Index, 16>;
    const int width = slots_.width;
    for (int from = 0; from < width; from += 16) {
        const Index* steps = slots_.steps.data() + from;
        auto indices = Vector::load(seen.indices.data() + from);
        for_each_change(seen, black, white, [&](int square, int digits) {
            // Unsigned indices wrap, so that adding -1 as an unsigned number subtracts.
            indices.lanes += static_cast<Index>(digits) * Vector::load(steps + square * width).lanes;
        });
        indices.store(seen.indices.data() + from);
    }
    seen.remember(black, white);
}

template <class Index>
double TableSum<Index>::value(Accumulator& accumulator, Bits black, Bits white) const {
    auto& seen = static_cast<Seen&>(accumulator);
    look(seen, black, white);
    return look_up(tables_of_stage(std::popcount(black | white)), slots_.offsets.data(),
                   seen.indices.data(), slots_.width);
}

// ONE_VECTOR: all slots fit one vector, and the compiler knows their number.
template <class Index>
template <int Lanes, bool ONE_VECTOR>
void TableSum<Index>::values_after_in(Seen& seen, const Board& board, const MoveList& moves,
                                      SeenAs seen_as, std::span<double> values) const {
    using Vector = IndexVector<Index, Lanes>;
    const int width = ONE_VECTOR ? Lanes : slots_.width;
    const double* tables = tables_of_stage(std::popcount(board.black | board.white) + 1);
    const std::uint32_t* offsets = slots_.offsets.data();
    const Index* indices = seen.indices.data();
    const Index* all_black = slots_.all_black.data();
    const Index* steps = slots_.steps.data();
    alignas(64) std::array<Index, Lanes> one_vector;  // NOLINT: filled before it is read
    Index* after = ONE_VECTOR ? one_vector.data() : seen.after.data();
    const auto count = static_cast<std::size_t>(moves.count);
    for (std::size_t i = 0; i < count; ++i) {
        for (int from = 0; from < width; from += Lanes) {
            const auto top = Vector::load(all_black + from);
            auto now = Vector::load(indices + from);
            if (board.mover == Colour::white) {  // the mover's discs as black: digit d is 2 - d
                now.lanes = top.lanes - now.lanes;
            }
            auto turned = Vector{};
            for_each_flipped(moves.flipped[i], [&](int square) {
                turned.lanes += Vector::load(steps + square * width + from).lanes;
            });
            now.lanes += Vector::load(steps + moves.squares[i] * width + from).lanes +
                         turned.lanes + turned.lanes;
            if (seen_as == SeenAs::mover_is_white) {
                now.lanes = top.lanes - now.lanes;
            }
            now.store(after + from);
        }
        settle_in_memory(after);
        values[i] = look_up(tables, offsets, after, width);
    }
}

template <class Index>
void TableSum<Index>::values_after(Accumulator& accumulator, const Board& board,
                                   const MoveList& moves, SeenAs seen_as,
                                   std::span<double> values) const {
    auto& seen = static_cast<Seen&>(accumulator);
    look(seen, board.black, board.white);
    if (slots_.width == 16) {
        values_after_in<16, true>(seen, board, moves, seen_as, values);
    } else if (slots_.width == 32) {
        values_after_in<32, true>(seen, board, moves, seen_as, values);
    } else {
        values_after_in<16, false>(seen, board, moves, seen_as, values);
    }
}

template class TableSum<std::uint16_t>;
template class TableSum<std::uint32_t>;

}  // namespace outflank
