// An n-tuple network that learns: the plain form, one slot per placement; placements of a table
// share its weights.
#include <algorithm>
#include <cstring>

#include "evaluators/index_vectors.hpp"
#include "learning/distinct_entries.hpp"
#include "learning/learnable.hpp"
#include "learning/mirror_images.hpp"

namespace outflank {
namespace {

using Vector = IndexVector<Index>;

// Sums of floats are rounded, so their order is part of the result: four chains of doubles, slot k
// in chain k % 4.
#if defined(__AVX__)
using Chains = __m256d;
// Two indices to a load: loads are what it waits for.
Chains added(Chains chains, const float* tables, const Index* at) {
    std::array<std::uint64_t, 2> pairs;
    std::memcpy(pairs.data(), at, sizeof pairs);
    const __m128 entries =
        _mm_setr_ps(tables[static_cast<Index>(pairs[0])], tables[pairs[0] >> 32],
                    tables[static_cast<Index>(pairs[1])], tables[pairs[1] >> 32]);
    return _mm256_add_pd(chains, _mm256_cvtps_pd(entries));
}
#else
using Chains = std::array<double, 4>;
Chains added(Chains chains, const float* tables, const Index* at) {
    for (std::size_t i = 0; i < 4; ++i) {
        chains[i] += static_cast<double>(tables[at[i]]);
    }
    return chains;
}
#endif
double sum_at(const float* tables, const Index* indices, std::size_t width) {
    Chains chains{};
    for (std::size_t k = 0; k < width; k += 4) {
        chains = added(chains, tables, indices + k);
    }
    return (chains[0] + chains[1]) + (chains[2] + chains[3]);
}

class LearningTables final : public Learnable {
  public:
    LearningTables(std::span<const TupleTable> tables, int stages, bool coherent, bool symmetric)
        : reader_(plain_slots(tables), stages, weights_of_one_stage(tables) + 1),
          narrow_steps_(in_16_bits(reader_.slots())),
          distinct_(reader_.slots()),
          learning_(reader_.stage_size() * static_cast<std::size_t>(stages), coherent),
          images_(symmetric ? mirror_images(tables) : std::vector<Index>{}),
          stages_(stages) {}

    std::unique_ptr<Accumulator> accumulator() const override {
        return std::make_unique<TableReader::Seen>(reader_.slots());
    }
    double value(Accumulator& accumulator, Bits black, Bits white) const override {
        auto& seen = static_cast<TableReader::Seen&>(accumulator);
        if (black != seen.black || white != seen.white) {
            reader_.look(seen, black, white);
        }
        const float* tables =
            learning_.weights.data() + reader_.first_of_stage(std::popcount(black | white));
        return sum_at(tables, seen.indices.data(), seen.indices.size());
    }
    void values_after(Accumulator& accumulator, const Board& board, const MoveList& moves,
                      SeenAs seen_as, std::span<double> values) const override {
        auto& seen = static_cast<TableReader::Seen&>(accumulator);
        if (narrow_steps_.empty()) {
            const Index* steps = reader_.slots().steps.data();
            return values_after_in<0>(steps, seen, board, moves, seen_as, values);
        }
        const std::uint16_t* steps = narrow_steps_.data();
        switch (reader_.slots().width) {
            case 48: return values_after_in<48>(steps, seen, board, moves, seen_as, values);
            case 128: return values_after_in<128>(steps, seen, board, moves, seen_as, values);
            case 240: return values_after_in<240>(steps, seen, board, moves, seen_as, values);
            default: return values_after_in<0>(steps, seen, board, moves, seen_as, values);
        }
    }
    void follow(Accumulator& before, const Board& board, const MoveList& moves, std::size_t chosen,
                SeenAs seen_as, Accumulator& after) const override;
    void nudge(Accumulator& seen, float asked, float alpha) override;
    int parts() const override { return stages_; }
    int part_of(int discs) const override { return stage_of(discs, stages_); }

    std::size_t bytes() const override {
        return learning_.bytes() + reader_.bytes() + distinct_.bytes() +
               narrow_steps_.size() * sizeof(std::uint16_t) + images_.size() * sizeof(Index);
    }
    std::size_t weight_count() const override {
        return learning_.weights.size() - learning_.weights.size() / reader_.stage_size();
    }
    std::vector<float> weights() const override { return without_zeros(learning_.weights, 1); }
    void set_weights(std::span<const float> weights) override {
        with_zeros(weights, learning_.weights, 1);
        for (std::size_t first = 0; first < learning_.weights.size() && !images_.empty();
             first += reader_.stage_size()) {
            share_weights(first);
        }
    }
    std::vector<float> coherence() const override { return without_zeros(learning_.coherence, 2); }
    void set_coherence(std::span<const float> coherence) override {
        with_zeros(coherence, learning_.coherence, 2);
    }

  private:
    static bool is_mirrored(const Board& board, SeenAs seen_as) {
        return (board.mover == Colour::white) != (seen_as == SeenAs::mover_is_white);
    }
    // The indices with the colours exchanged.
    void mirror(const Index* indices, Index* mirrored) const {
        const AlignedVector<Index>& mirror = reader_.slots().mirror;
        for (std::size_t from = 0; from < mirror.size(); from += Slots::LANES) {
            auto exchanged = Vector::load(mirror.data() + from);
            exchanged -= Vector::load(indices + from);
            exchanged.store(mirrored + from);
        }
    }
    static const Index* as_seen(const TableReader::Seen& seen, const Board& board, SeenAs seen_as) {
        return is_mirrored(board, seen_as) ? seen.mirrored.data() : seen.indices.data();
    }
    // The steps in 16 bits, half the loads, if all that a move changes of an index fits in them: in
    // tables of ten squares at most (3^10 = 59,049).
    static AlignedVector<std::uint16_t> in_16_bits(const Slots& slots) {
        const auto fits = [](const Slots::Table& table) { return table.entries <= 0x10000; };
        return std::ranges::all_of(slots.tables, fits)
                   ? AlignedVector<std::uint16_t>(slots.steps.begin(), slots.steps.end())
                   : AlignedVector<std::uint16_t>{};
    }
    // The indices after a move. WIDTH: the number of slots if it is known, else 0.
    template <std::size_t WIDTH, class Step>
    void indices_after(const Step* steps, const Index* before, int square, Bits flipped,
                       SeenAs seen_as, Index* after) const {
        constexpr bool NARROW = sizeof(Step) < sizeof(Index);
        constexpr std::size_t AT_ONCE = NARROW ? 5 : 4;
        const std::size_t width = WIDTH > 0 ? WIDTH : reader_.slots().empty.size();
        const MoveSteps<Step, AT_ONCE> move(steps, width, square, flipped);
        for (std::size_t from = 0; from < width; from += Slots::LANES) {
            auto indices = Vector::load(before + from);
            Vector change;
            if constexpr (NARROW) {
                change = Vector::widened(move.at(from));
            } else {
                change = move.at(from);
            }
            seen_as == SeenAs::mover_is_white ? indices -= change : indices += change;
            indices.store(after + from);
        }
    }
    // Sees a board: mostly the one that was seen last, after one move.
    template <std::size_t WIDTH, class Step>
    void look(const Step* steps, TableReader::Seen& seen, Bits black, Bits white) const {
        const Bits seen_discs = seen.black | seen.white;
        const Bits placed = (black | white) & ~seen_discs;
        const bool by_black = (placed & black) != 0;
        const Bits flipped = by_black ? seen.white & black : seen.black & white;
        const Bits otherwise = by_black ? seen.black & white : seen.white & black;
        const Bits removed = seen_discs & ~(black | white);
        if (std::popcount(placed) == 1 && (otherwise | removed) == 0) {
            indices_after<WIDTH>(steps, seen.indices.data(), lowest_square(placed), flipped,
                                 by_black ? SeenAs::mover_is_black : SeenAs::mover_is_white,
                                 seen.indices.data());
            seen.remember(black, white);
        } else {
            reader_.look(seen, black, white);
        }
    }
    template <std::size_t WIDTH, class Step>
    void values_after_in(const Step* steps, TableReader::Seen& seen, const Board& board,
                         const MoveList& moves, SeenAs seen_as, std::span<double> values) const;

    // Of the entries that share a weight, the first counts.
    void share_weights(std::size_t first) {
        for (Index entry = 0; entry < images_.size(); ++entry) {
            for (Index image = images_[entry]; image > entry; image = images_[image]) {
                learning_.weights[first + image] = learning_.weights[first + entry];
            }
        }
    }

    // Each stage's tables end with a zero for unused slots; the flat vector has none.
    std::vector<float> without_zeros(const AlignedVector<float>& padded, std::size_t each) const {
        std::vector<float> flat;
        const std::size_t size = each * reader_.stage_size();
        for (std::size_t first = 0; first < padded.size(); first += size) {
            const auto begin = padded.begin() + static_cast<std::ptrdiff_t>(first);
            flat.insert(flat.end(), begin, begin + static_cast<std::ptrdiff_t>(size - each));
        }
        return flat;
    }
    void with_zeros(std::span<const float> flat, AlignedVector<float>& padded,
                    std::size_t each) const {
        const std::size_t size = each * reader_.stage_size();
        std::size_t from = 0;
        for (std::size_t first = 0; first < padded.size(); first += size) {
            std::ranges::copy(flat.subspan(from, size - each),
                              padded.begin() + static_cast<std::ptrdiff_t>(first));
            from += size - each;
        }
    }

    TableReader reader_;
    AlignedVector<std::uint16_t> narrow_steps_;  // of reader_'s slots; empty if they do not fit
    DistinctEntries distinct_;
    LearningWeights learning_;
    std::vector<Index> images_;  // rings of entries that share a weight; empty if none do
    int stages_;
};

// First the indices after all moves, then the entries there: they are where the time goes, and with
// nothing else in between more of them are on their way from memory at once. To look up only the
// slots that a move changes takes longer: which they are is unpredictable.
template <std::size_t WIDTH, class Step>
void LearningTables::values_after_in(const Step* steps, TableReader::Seen& seen, const Board& board,
                                     const MoveList& moves, SeenAs seen_as,
                                     std::span<double> values) const {
    const std::size_t width = WIDTH > 0 ? WIDTH : seen.indices.size();
    look<WIDTH>(steps, seen, board.black, board.white);
    if (is_mirrored(board, seen_as)) {
        mirror(seen.indices.data(), seen.mirrored.data());
    }
    const Index* before = as_seen(seen, board, seen_as);
    const float* tables = learning_.weights.data() +
                          reader_.first_of_stage(std::popcount(board.black | board.white) + 1);
    seen.after.resize(std::max(seen.after.size(), values.size() * width));
    Index* const after = seen.after.data();
    for (std::size_t i = 0; i < values.size(); ++i) {
        indices_after<WIDTH>(steps, before, moves.squares[i], moves.flipped[i], seen_as,
                             after + i * width);
    }
    write_to_memory(after);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = sum_at(tables, after + i * width, width);
    }
}

void LearningTables::follow(Accumulator& before, const Board& board, const MoveList& moves,
                            std::size_t chosen, SeenAs seen_as, Accumulator& after) const {
    if (before.black != board.black || before.white != board.white) {
        return;
    }
    auto& seen = static_cast<TableReader::Seen&>(before);
    auto& next = static_cast<TableReader::Seen&>(after);
    const std::size_t width = seen.indices.size();
    const Index* indices = seen.after.data() + chosen * width;
    std::copy_n(indices, width, next.indices.data());
    const Position played = board.position().play(moves.squares[chosen], moves.flipped[chosen]);
    if (seen_as == SeenAs::mover_is_white) {
        next.remember(played.mover, played.opponent);
    } else {
        next.remember(played.opponent, played.mover);
    }
    const Board now = Board::of(played, other(board.mover));
    seen.remember(now.black, now.white);
    if (is_mirrored(board, seen_as)) {
        mirror(indices, seen.indices.data());
    } else {
        std::copy_n(indices, width, seen.indices.data());
    }
    // The rates of its weights are needed when the board learns: until then they have time to come
    // from memory.
    if (!learning_.coherence.empty()) {
        const float* rates =
            learning_.coherence.data() + 2 * reader_.first_of_stage(played.discs());
        for (std::size_t k = 0; k < width; ++k) {
            prefetch(rates + 2 * std::size_t{indices[k]});
        }
    }
}

// Lucas 2007 eq. 4: every entry that the board looks up changes by the same amount.
void LearningTables::nudge(Accumulator& accumulator, float asked, float alpha) {
    const auto& seen = static_cast<const TableReader::Seen&>(accumulator);
    const std::size_t first = reader_.first_of_stage(std::popcount(seen.black | seen.white));
    const Index* indices = seen.indices.data();
    if (images_.empty()) {
        const auto slots = distinct_.in_blocks();
        for (std::size_t k = 0; k < slots.size(); k += DistinctEntries::BLOCK) {
            learning_.change_four({first + indices[slots[k]], first + indices[slots[k + 1]],
                                   first + indices[slots[k + 2]], first + indices[slots[k + 3]]},
                                  asked, alpha);
        }
        for (const std::uint32_t slot : distinct_.left()) {
            learning_.change(first + indices[slot], asked, alpha);
        }
        return;
    }
    for (const Index entry : std::span(indices, static_cast<std::size_t>(reader_.slots().count))) {
        learning_.change(first + entry, asked, alpha);
        for (Index image = images_[entry]; image != entry; image = images_[image]) {
            learning_.copy(first + entry, first + image);
        }
    }
}

}  // namespace

std::unique_ptr<Learnable> learning_network(std::span<const TupleTable> tables, int stages,
                                            bool coherent, bool symmetric) {
    return std::make_unique<LearningTables>(tables, stages, coherent, symmetric);
}

}  // namespace outflank
