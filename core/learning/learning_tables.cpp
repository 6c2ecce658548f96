// An n-tuple network that learns: the plain form, one slot per placement; placements of a table
// share its weights.
#include <algorithm>

#include "evaluators/changed_slots.hpp"
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
Chains added(Chains chains, __m128 entries) {
    return _mm256_add_pd(chains, _mm256_cvtps_pd(entries));
}
Chains added(Chains chains, const float* entries) { return added(chains, _mm_loadu_ps(entries)); }
Chains added(Chains chains, const float* tables, const Index* at) {
    return added(chains, _mm_setr_ps(tables[at[0]], tables[at[1]], tables[at[2]], tables[at[3]]));
}
#else
using Chains = std::array<double, 4>;
Chains added(Chains chains, const float* entries) {
    for (std::size_t i = 0; i < 4; ++i) {
        chains[i] += static_cast<double>(entries[i]);
    }
    return chains;
}
Chains added(Chains chains, const float* tables, const Index* at) {
    const std::array<float, 4> entries{tables[at[0]], tables[at[1]], tables[at[2]], tables[at[3]]};
    return added(chains, entries.data());
}
#endif
double sum_of(Chains chains) { return (chains[0] + chains[1]) + (chains[2] + chains[3]); }

// The sums of several rows of entries, at once because each addition waits for the one before.
template <std::size_t ROWS>
void sum_rows(const float* entries, std::size_t row, std::size_t width, double* sums) {
    Chains chains[ROWS] = {};  // NOLINT: GCC warns of a std::array of vectors
    for (std::size_t k = 0; k < width; k += 4) {
        for (std::size_t i = 0; i < ROWS; ++i) {
            chains[i] = added(chains[i], entries + i * row + k);
        }
    }
    for (std::size_t i = 0; i < ROWS; ++i) {
        sums[i] = sum_of(chains[i]);
    }
}

class LearningTables final : public Learnable {
  public:
    LearningTables(std::span<const TupleTable> tables, int stages, bool coherent, bool symmetric)
        : reader_(plain_slots(tables), stages, weights_of_one_stage(tables) + 1),
          changed_(reader_.slots()),
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
        Chains chains{};
        for (std::size_t k = 0; k < seen.indices.size(); k += 4) {
            chains = added(chains, tables, seen.indices.data() + k);
        }
        return sum_of(chains);
    }
    void values_after(Accumulator& accumulator, const Board& board, const MoveList& moves,
                      SeenAs seen_as, std::span<double> values) const override {
        auto& seen = static_cast<TableReader::Seen&>(accumulator);
        reader_.look(seen, board.black, board.white);
        if (is_mirrored(board, seen_as)) {
            mirror(seen);
        }
        switch (reader_.slots().width) {
            case 48: return values_after_in<48>(seen, board, moves, seen_as, values);
            case 128: return values_after_in<128>(seen, board, moves, seen_as, values);
            case 240: return values_after_in<240>(seen, board, moves, seen_as, values);
            default: return values_after_in<0>(seen, board, moves, seen_as, values);
        }
    }
    void see_after(const Accumulator& before, const Board& board, const Choice& move,
                   SeenAs seen_as, Accumulator& after) const override;
    void nudge(Accumulator& seen, float asked, float alpha) override;
    int parts() const override { return stages_; }
    int part_of(int discs) const override { return stage_of(discs, stages_); }

    std::size_t bytes() const override {
        return learning_.bytes() + reader_.bytes() + changed_.bytes() + distinct_.bytes() +
               images_.size() * sizeof(Index);
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
    void mirror(TableReader::Seen& seen) const {
        for (std::size_t from = 0; from < seen.indices.size(); from += Slots::LANES) {
            auto indices = Vector::load(reader_.slots().mirror.data() + from);
            indices -= Vector::load(seen.indices.data() + from);
            indices.store(seen.mirrored.data() + from);
        }
    }
    static const Index* as_seen(const TableReader::Seen& seen, const Board& board, SeenAs seen_as) {
        return is_mirrored(board, seen_as) ? seen.mirrored.data() : seen.indices.data();
    }
    // The indices after a move. WIDTH: the number of slots if it is known, else 0.
    template <std::size_t WIDTH>
    void indices_after(const Index* before, int square, Bits flipped, SeenAs seen_as,
                       Index* after) const {
        const std::size_t width = WIDTH > 0 ? WIDTH : reader_.slots().empty.size();
        const MoveSteps<Index> move(reader_.slots().steps.data(), width, square, flipped);
        for (std::size_t from = 0; from < width; from += Slots::LANES) {
            auto indices = Vector::load(before + from);
            seen_as == SeenAs::mover_is_white ? indices -= move.at(from) : indices += move.at(from);
            indices.store(after + from);
        }
    }
    template <std::size_t WIDTH>
    void values_after_in(TableReader::Seen& seen, const Board& board, const MoveList& moves,
                         SeenAs seen_as, std::span<double> values) const;

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
    ChangedSlots changed_;
    DistinctEntries distinct_;
    LearningWeights learning_;
    std::vector<Index> images_;  // rings of entries that share a weight; empty if none do
    int stages_;
};

// The entries of the board before the move are read once, as the boards after it would find them; a
// move's own are read where they differ. All moves' entries are written before the first is summed:
// a vector that was just written in pieces cannot be read at once.
template <std::size_t WIDTH>
void LearningTables::values_after_in(TableReader::Seen& seen, const Board& board,
                                     const MoveList& moves, SeenAs seen_as,
                                     std::span<double> values) const {
    constexpr std::size_t AT_ONCE = 16;  // moves
    constexpr std::size_t WORDS = (WIDTH + 63) / 64;
    const std::size_t width = WIDTH > 0 ? WIDTH : seen.indices.size();
    const std::size_t row = ChangedSlots::room(width);
    const Index* before = as_seen(seen, board, seen_as);
    const float* tables = learning_.weights.data() +
                          reader_.first_of_stage(std::popcount(board.black | board.white) + 1);
    seen.entries.resize((1 + AT_ONCE) * row);
    seen.after.resize(row);  // with a zero where there is no slot
    float* const unchanged = seen.entries.data();
    Index* const after = seen.after.data();
    for (std::size_t k = 0; k < width; ++k) {
        unchanged[k] = tables[before[k]];
    }
    for (std::size_t first = 0; first < values.size(); first += AT_ONCE) {
        const std::size_t last = std::min(first + AT_ONCE, values.size());
        float* entries = unchanged;
        for (std::size_t i = first; i < last; ++i) {
            entries += row;
            indices_after<WIDTH>(before, moves.squares[i], moves.flipped[i], seen_as, after);
            write_to_memory(after);
            for (std::size_t k = 0; k < width; k += Slots::LANES) {
                std::memcpy(entries + k, unchanged + k, Slots::LANES * sizeof(float));
            }
            changed_.for_each<WORDS>(moves.squares[i], moves.flipped[i],
                                     [&](std::size_t k) { entries[k] = tables[after[k]]; });
        }
        constexpr std::size_t ROWS = 4;
        std::array<double, AT_ONCE> sums;
        for (std::size_t i = first; i < last; i += ROWS) {
            sum_rows<ROWS>(unchanged + (i - first + 1) * row, row, width,
                           sums.data() + (i - first));
        }
        std::copy_n(sums.begin(), last - first,
                    values.begin() + static_cast<std::ptrdiff_t>(first));
    }
}

// The rates of its weights are needed when the board learns: until then they have time to come from
// memory.
void LearningTables::see_after(const Accumulator& before, const Board& board, const Choice& move,
                               SeenAs seen_as, Accumulator& after) const {
    if (before.black != board.black || before.white != board.white) {
        return;
    }
    const auto& seen = static_cast<const TableReader::Seen&>(before);
    auto& next = static_cast<TableReader::Seen&>(after);
    const Index* indices = as_seen(seen, board, seen_as);
    if (next.indices.size() == 48) {
        indices_after<48>(indices, move.square, move.flipped, seen_as, next.indices.data());
    } else {
        indices_after<0>(indices, move.square, move.flipped, seen_as, next.indices.data());
    }
    const Position played = board.position().play(move.square, move.flipped);
    if (seen_as == SeenAs::mover_is_white) {
        next.remember(played.mover, played.opponent);
    } else {
        next.remember(played.opponent, played.mover);
    }
    if (!learning_.coherence.empty()) {
        const float* rates =
            learning_.coherence.data() + 2 * reader_.first_of_stage(played.discs());
        for (std::size_t k = 0; k < static_cast<std::size_t>(reader_.slots().count); ++k) {
            prefetch(rates + 2 * std::size_t{next.indices[k]});
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
