// N-tuple network: each placement of a tuple reads its squares as a base-3 number (white 0, empty
// 1, black 2) and looks it up in a table; the value is the sum (Lucas 2007 eq. 1; Jaskowski 2014
// II-D).
//
// The plain form has a slot for every placement, as written. The folded form joins all placements
// within one larger set of squares into a single table over that set, so that a network of short
// tuples costs a few dozen look-ups (ntuple_compile.cpp).
#pragma once

#include "evaluators/evaluator.hpp"
#include "support/aligned.hpp"
#include "support/threads.hpp"

namespace outflank {

inline constexpr int LONGEST_TUPLE = 15;  // 3^15 = 14,348,907 weights

constexpr std::array<std::uint32_t, LONGEST_TUPLE + 1> POWERS_OF_3 = [] {
    std::array<std::uint32_t, LONGEST_TUPLE + 1> powers{1};
    for (std::size_t i = 1; i < powers.size(); ++i) {
        powers[i] = 3 * powers[i - 1];
    }
    return powers;
}();

// One table of a network as its author wrote it: the squares of each placement, first square most
// significant. All placements share 3^length weights.
struct TupleTable {
    int length = 0;
    std::vector<std::vector<std::uint8_t>> placements;
    std::uint32_t weight_count() const { return POWERS_OF_3[static_cast<std::size_t>(length)]; }
};

// The stage of a game is the share of the 60 moves played; each stage has its own tables.
constexpr int stage_of(int discs, int stages) {
    return (discs - 4 < 0 ? 0 : discs - 4) * stages / 61;
}

// An index into all tables of a stage: where the slot's table begins plus the base-3 number it
// reads.
using Index = std::uint32_t;

// What each slot reads: steps[square][slot] is the worth of one digit (a power of three, or 0).
// Slots are allotted in whole vectors; unused ones always read the zero at the end of the tables.
struct Slots {
    struct Table {
        Index first = 0;  // entry
        Index entries = 1;
    };
    int count = 0;                // slots in use
    int width = 0;                // slots allotted: a multiple of LANES
    std::vector<Table> tables;    // [width]
    AlignedVector<Index> steps;   // [65][width]; row 64 is zero
    AlignedVector<Index> empty;   // [width], the index of an empty board
    AlignedVector<Index> mirror;  // [width]; with the colours exchanged, index i becomes mirror - i

    static constexpr std::size_t LANES = 16;
    static constexpr std::size_t MOST = std::size_t{1} << 22;  // slots: a gigabyte of steps
    // `unused`: the index of the zero, behind all entries.
    Slots(std::size_t slots_in_use, std::size_t unused);
    // Slot k reads a table of 3^length entries that begins at `offset`.
    void place_table(std::size_t k, std::size_t offset, std::size_t length);
    // Memory for this many slots.
    static std::size_t bytes(std::size_t slots_in_use);
};

// Evaluates boards: keeps every slot's index up to date and sums the entries there. The tables
// belong to the caller: doubles for playing (TableSum), floats for learning (LearningTables).
class TableReader {
  public:
    struct Seen final : Evaluator::Accumulator {
        explicit Seen(const Slots& slots)
            : indices(slots.empty), mirrored(slots.empty), after(slots.empty) {}
        AlignedVector<Index> indices;
        AlignedVector<Index> mirrored;  // room for them with the colours exchanged
        AlignedVector<Index> after;     // room for those after a move, or after each
    };

    // `stage_size`: the entries of one stage's tables, including the zero.
    TableReader(Slots slots, int stages, std::size_t stage_size)
        : slots_(std::move(slots)), stages_(stages), stage_size_(stage_size) {}

    const Slots& slots() const { return slots_; }
    std::size_t bytes() const { return Slots::bytes(static_cast<std::size_t>(slots_.count)); }
    std::size_t stage_size() const { return stage_size_; }
    int stages() const { return stages_; }
    std::size_t first_of_stage(int discs) const {
        return static_cast<std::size_t>(stage_of(discs, stages_)) * stage_size_;
    }
    void look(Seen& seen, Bits black, Bits white) const;
    template <class Weight>
    double value(const Weight* tables, Seen& seen, Bits black, Bits white) const;
    template <class Weight>
    void values_after(const Weight* tables, Seen& seen, const Board& board, const MoveList& moves,
                      SeenAs seen_as, std::span<double> values) const;

  private:
    Slots slots_;
    int stages_;
    std::size_t stage_size_;
};

class RankTables;

class TableSum final : public Evaluator {
  public:
    // tables: for each stage the tables that the slots point into, then a zero. No value is larger
    // than largest_sum.
    TableSum(Slots slots, AlignedVector<double> tables, int stages, double largest_sum);
    ~TableSum() override;
    std::unique_ptr<Accumulator> accumulator() const override {
        return std::make_unique<TableReader::Seen>(reader_.slots());
    }
    double value(Accumulator& seen, Bits black, Bits white) const override {
        return reader_.value(tables_.data(), static_cast<TableReader::Seen&>(seen), black, white);
    }
    void values_after(Accumulator& seen, const Board& board, const MoveList& moves, SeenAs seen_as,
                      std::span<double> values) const override {
        reader_.values_after(tables_.data(), static_cast<TableReader::Seen&>(seen), board, moves,
                             seen_as, values);
    }
    bool values_batches() const override;
    std::unique_ptr<BatchAccumulator> batch_accumulator() const override;
    std::size_t bytes() const override;

  private:
    AlignedVector<double> tables_;
    TableReader reader_;
    double largest_sum_;
    mutable Mutex ranks_mutex_;
    mutable std::unique_ptr<RankTables> ranks_;  // made for the first batch of games
};

// Slots for every placement as written, and how many weights one stage has.
Slots plain_slots(std::span<const TupleTable> tables);
std::size_t weights_of_one_stage(std::span<const TupleTable> tables);

// Bounds of a compiled network. The folded form has a table for every set of squares, where
// placements of the plain form share one, so it can be thousands of times larger: beyond the first
// two bounds the plain form is used. Beyond the last a network is refused.
struct CompileLimits {
    std::size_t folded_bytes = std::size_t{256} << 20;
    std::size_t folding_steps = std::size_t{1} << 30;  // additions that make it: about a second
    std::size_t bytes = std::size_t{2} << 30;
};

// The network in either form, and in the faster one. `weights` holds the tables one after another,
// stage by stage.
std::unique_ptr<Evaluator> plain_network(std::span<const TupleTable> tables,
                                         std::span<const double> weights, int stages,
                                         const CompileLimits& limits = {});
std::unique_ptr<Evaluator> folded_network(std::span<const TupleTable> tables,
                                          std::span<const double> weights, int stages,
                                          const CompileLimits& limits = {});
std::unique_ptr<Evaluator> compiled_network(std::span<const TupleTable> tables,
                                            std::span<const double> weights, int stages,
                                            const CompileLimits& limits = {});

// The sets of squares that the folded form reads: each placement lies within one.
std::vector<Bits> covering_sets(std::span<const TupleTable> tables);

}  // namespace outflank
