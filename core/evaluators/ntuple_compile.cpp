// Compiles a network as written into the slots it is played with.
//
// Every placement lies within one set of a cover, and is folded into that set's table. Covers for
// straight tuples: 16 overlapping 3x3 blocks hold every pair of neighbours (all-1, all-2);
// the 8 rows, 8 columns and twice 8 wrapped diagonals hold every straight tuple of any length. (A
// wrapped diagonal joins the diagonals of lengths k and 8 - k, so 26 diagonals need 16 tables,
// not 26.)
//
// Untrusted files are compiled too, so every size is computed in 64 bits before anything is
// allocated, and every step takes time in proportion to the network (see CompileLimits).
#include <algorithm>
#include <string>

#include "evaluators/ntuple_network.hpp"

namespace outflank {
namespace {

// Up to this many sets, all pairs are compared (four million comparisons: milliseconds). Beyond,
// sets within others stay: the cover may then be larger than necessary, which costs speed, not
// values.
constexpr std::size_t MOST_COMPARED_SETS = 2048;

// A placement and where its weights lie in one stage's share of the weight vector.
struct Placement {
    Bits squares = 0;
    const std::vector<std::uint8_t>* order = nullptr;
    std::size_t first_weight = 0;
};

std::vector<Placement> all_placements(std::span<const TupleTable> tables) {
    std::vector<Placement> placements;
    std::size_t first_weight = 0;
    for (const TupleTable& table : tables) {
        for (const auto& order : table.placements) {
            Bits squares = 0;
            for (const int square : order) {
                squares |= bit(square);
            }
            placements.push_back({squares, &order, first_weight});
        }
        first_weight += table.weight_count();
    }
    return placements;
}

std::size_t count_placements(std::span<const TupleTable> tables) {
    std::size_t count = 0;
    for (const TupleTable& table : tables) {
        count += table.placements.size();
    }
    return count;
}

bool within(Bits part, Bits whole) { return (part & ~whole) == 0; }

std::vector<Bits> blocks() {
    std::vector<Bits> sets;
    for (int top = 0; top < 8; top += 2) {
        for (int left = 0; left < 8; left += 2) {
            Bits block = 0;
            for (int row = top; row < std::min(top + 3, 8); ++row) {
                for (int column = left; column < std::min(left + 3, 8); ++column) {
                    block |= bit(8 * row + column);
                }
            }
            sets.push_back(block);
        }
    }
    return sets;
}

std::vector<Bits> lines() {
    std::vector<Bits> sets(32, 0);
    for (int row = 0; row < 8; ++row) {
        for (int column = 0; column < 8; ++column) {
            const Bits square = bit(8 * row + column);
            sets[static_cast<std::size_t>(row)] |= square;
            sets[8 + static_cast<std::size_t>(column)] |= square;
            sets[static_cast<std::size_t>(16 + (row + column) % 8)] |= square;
            sets[static_cast<std::size_t>(24 + (row - column + 8) % 8)] |= square;
        }
    }
    return sets;
}

// The members of a family that contain at least two of the sets, and the remaining sets themselves.
std::vector<Bits> cover_by(const std::vector<Bits>& family, const std::vector<Bits>& sets) {
    std::vector<Bits> cover;
    std::vector<Bits> rest = sets;
    for (const Bits member : family) {
        const auto outside = std::stable_partition(rest.begin(), rest.end(),
                                                   [&](Bits set) { return !within(set, member); });
        if (rest.end() - outside >= 2) {
            cover.push_back(member);
            rest.erase(outside, rest.end());
        }
    }
    cover.insert(cover.end(), rest.begin(), rest.end());
    return cover;
}

// Adds weights[index of the tuple's squares] to every entry of a table over `size` digits.
// steps[d]: what digit d of the table is worth in the tuple's index, 0 if the tuple does not read
// it.
void add_folded(double* table, int size, const std::vector<std::uint32_t>& steps,
                const double* weights) {
    const auto below = static_cast<std::size_t>(size);
    if (std::all_of(steps.begin(), steps.begin() + size, [](auto step) { return step == 0; })) {
        for (std::size_t i = 0; i < POWERS_OF_3[below]; ++i) {
            table[i] += *weights;
        }
        return;
    }
    for (std::size_t digit = 0; digit < 3; ++digit) {
        add_folded(table + digit * POWERS_OF_3[below - 1], size - 1, steps,
                   weights + digit * steps[below - 1]);
    }
}

// The table over a set's squares (ascending, the first least significant), built digit by digit: a
// placement is added as soon as all its squares are there, while the table is still small.
void fold(Bits set, std::span<const Placement> placements, const double* weights, double* table) {
    table[0] = 0;
    int size = 0;
    Bits squares = 0;
    for (Bits rest = set; rest != 0; rest = without_lowest(rest)) {
        const Bits newest = bit(lowest_square(rest));
        squares |= newest;
        const std::size_t entries = POWERS_OF_3[static_cast<std::size_t>(size)];
        std::copy_n(table, entries, table + entries);
        std::copy_n(table, entries, table + 2 * entries);
        ++size;
        for (const Placement& placement : placements) {
            if (!within(placement.squares, squares) || (placement.squares & newest) == 0) {
                continue;
            }
            std::vector<std::uint32_t> steps(static_cast<std::size_t>(size), 0);
            for (std::size_t i = 0; i < placement.order->size(); ++i) {
                const Bits before = bit((*placement.order)[i]) - 1;
                steps[static_cast<std::size_t>(std::popcount(squares & before))] +=
                    POWERS_OF_3[placement.order->size() - 1 - i];
            }
            add_folded(table, size, steps, weights + placement.first_weight);
        }
    }
}

// No sum of one weight per placement is larger: Grid(this) keeps all of them exact.
double largest_sum_of(std::span<const TupleTable> tables, std::span<const double> weights,
                      int stages) {
    double largest_sum = 0;
    std::size_t first = 0;
    for (int stage = 0; stage < stages; ++stage) {
        for (const TupleTable& table : tables) {
            double largest = 0;
            for (std::size_t i = 0; i < table.weight_count(); ++i) {
                largest = std::max(largest, std::abs(weights[first + i]));
            }
            largest_sum += largest * static_cast<double>(table.placements.size());
            first += table.weight_count();
        }
    }
    return largest_sum;
}

void check_weights(std::span<const TupleTable> tables, std::span<const double> weights,
                   int stages) {
    // At most 61 stages of 3^15 weights per table: no number of tables in memory makes this wrap.
    if (weights.size() != weights_of_one_stage(tables) * static_cast<std::size_t>(stages)) {
        fail("the number of weights does not fit the tables");
    }
}

// Bytes of the compiled form: `entries` doubles per stage, the zero after them, and the slots.
std::uint64_t compiled_bytes(std::size_t slots, std::uint64_t entries, int stages) {
    return (entries + 1) * static_cast<std::uint64_t>(stages) * sizeof(double) +
           Slots::bytes(slots);
}

std::size_t entries_of(Bits set) {
    return POWERS_OF_3[static_cast<std::size_t>(std::popcount(set))];
}

// Which placements go into which set's table, and the cost of it.
struct FoldingPlan {
    std::vector<Bits> cover;
    std::vector<std::vector<Placement>> members;  // of each set
    // In 64 bits also where a size has 32.
    std::uint64_t entries = 0;  // of all tables of one stage
    std::uint64_t steps = 0;    // additions for one stage

    explicit FoldingPlan(std::span<const TupleTable> tables)
        : cover(covering_sets(tables)), members(cover.size()) {
        std::vector<std::pair<Bits, std::size_t>> homes;
        for (std::size_t k = 0; k < cover.size(); ++k) {
            homes.emplace_back(cover[k], k);
            entries += entries_of(cover[k]);
        }
        std::sort(homes.begin(), homes.end());
        for (const Placement& placement : all_placements(tables)) {
            const std::size_t home = home_of(placement.squares, homes);
            members[home].push_back(placement);
            // It is added to its table together with its highest square.
            steps += entries_of(cover[home] & up_to_highest(placement.squares));
        }
    }

    bool is_within(const CompileLimits& limits, int stages) const {
        return compiled_bytes(cover.size(), entries, stages) <= limits.folded_bytes &&
               steps * static_cast<std::uint64_t>(stages) <= limits.folding_steps;
    }

  private:
    static Bits up_to_highest(Bits squares) { return ~Bits{0} >> std::countl_zero(squares); }

    // Most sets are in the cover themselves, or within a line or block, which come first.
    std::size_t home_of(Bits squares,
                        const std::vector<std::pair<Bits, std::size_t>>& homes) const {
        const auto own =
            std::lower_bound(homes.begin(), homes.end(), std::pair(squares, std::size_t{0}));
        if (own != homes.end() && own->first == squares) {
            return own->second;
        }
        const auto home = std::find_if(cover.begin(), cover.end(),
                                       [&](Bits set) { return within(squares, set); });
        return static_cast<std::size_t>(home - cover.begin());
    }
};

Slots folded_slots(const FoldingPlan& plan) {
    Slots slots(plan.cover.size(), static_cast<std::size_t>(plan.entries));
    const auto width = static_cast<std::size_t>(slots.width);
    std::size_t offset = 0;
    for (std::size_t k = 0; k < plan.cover.size(); ++k) {
        std::size_t digit = 0;
        for (Bits rest = plan.cover[k]; rest != 0; rest = without_lowest(rest)) {
            slots.steps[static_cast<std::size_t>(lowest_square(rest)) * width + k] =
                POWERS_OF_3[digit++];
        }
        slots.place_table(k, offset, digit);
        offset += entries_of(plan.cover[k]);
    }
    return slots;
}

std::unique_ptr<Evaluator> folded_by(const FoldingPlan& plan, std::span<const TupleTable> tables,
                                     std::span<const double> weights, int stages) {
    const double largest_sum = largest_sum_of(tables, weights, stages);
    const Grid grid(largest_sum);
    const std::size_t stage_weights = weights_of_one_stage(tables);
    std::vector<double> rounded(stage_weights);
    AlignedVector<double> folded(
        static_cast<std::size_t>((plan.entries + 1) * static_cast<std::uint64_t>(stages)));
    double* table = folded.data();
    for (std::size_t stage = 0; stage < static_cast<std::size_t>(stages); ++stage) {
        std::ranges::transform(weights.subspan(stage * stage_weights, stage_weights),
                               rounded.begin(), [&](double weight) { return grid.round(weight); });
        for (std::size_t k = 0; k < plan.cover.size(); ++k) {
            fold(plan.cover[k], plan.members[k], rounded.data(), table);
            table += entries_of(plan.cover[k]);
        }
        ++table;  // the zero
    }
    return std::make_unique<TableSum>(folded_slots(plan), std::move(folded), stages, largest_sum);
}

}  // namespace

std::size_t weights_of_one_stage(std::span<const TupleTable> tables) {
    std::size_t count = 0;
    for (const TupleTable& table : tables) {
        count += table.weight_count();
    }
    return count;
}

Slots plain_slots(std::span<const TupleTable> tables) {
    const auto placements = all_placements(tables);
    Slots slots(placements.size(), weights_of_one_stage(tables));
    const auto width = static_cast<std::size_t>(slots.width);
    for (std::size_t k = 0; k < placements.size(); ++k) {
        const auto& order = *placements[k].order;
        for (std::size_t i = 0; i < order.size(); ++i) {  // a square named twice counts twice
            slots.steps[order[i] * width + k] += POWERS_OF_3[order.size() - 1 - i];
        }
        slots.place_table(k, placements[k].first_weight, order.size());
    }
    return slots;
}

std::unique_ptr<Evaluator> plain_network(std::span<const TupleTable> tables,
                                         std::span<const double> weights, int stages,
                                         const CompileLimits& limits) {
    check_weights(tables, weights, stages);
    const std::size_t entries = weights_of_one_stage(tables);
    const std::uint64_t bytes = compiled_bytes(count_placements(tables), entries, stages);
    if (bytes > limits.bytes) {
        fail("this network would take " + std::to_string(bytes >> 20) +
             " MB when compiled; the most is " + std::to_string(limits.bytes >> 20) + " MB");
    }
    const double largest_sum = largest_sum_of(tables, weights, stages);
    const Grid grid(largest_sum);
    AlignedVector<double> zero_ended((entries + 1) * static_cast<std::size_t>(stages));
    for (std::size_t stage = 0; stage < static_cast<std::size_t>(stages); ++stage) {
        std::ranges::transform(weights.subspan(stage * entries, entries),
                               zero_ended.data() + stage * (entries + 1),
                               [&](double weight) { return grid.round(weight); });
    }
    return std::make_unique<TableSum>(plain_slots(tables), std::move(zero_ended), stages,
                                      largest_sum);
}

std::unique_ptr<Evaluator> folded_network(std::span<const TupleTable> tables,
                                          std::span<const double> weights, int stages,
                                          const CompileLimits& limits) {
    check_weights(tables, weights, stages);
    const FoldingPlan plan(tables);
    if (!plan.is_within(limits, stages)) {
        fail("this network is too large to be folded");
    }
    return folded_by(plan, tables, weights, stages);
}

std::vector<Bits> covering_sets(std::span<const TupleTable> tables) {
    std::vector<Bits> sets;
    for (const Placement& placement : all_placements(tables)) {
        sets.push_back(placement.squares);
    }
    std::sort(sets.begin(), sets.end(), [](Bits a, Bits b) {
        return std::pair(std::popcount(b), a) < std::pair(std::popcount(a), b);
    });
    sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
    if (sets.size() <= MOST_COMPARED_SETS) {
        std::vector<Bits> largest;  // sets within another one need no slot of their own
        for (const Bits set : sets) {
            if (std::none_of(largest.begin(), largest.end(),
                             [&](Bits other) { return within(set, other); })) {
                largest.push_back(set);
            }
        }
        sets = std::move(largest);
    }
    const auto by_blocks = cover_by(blocks(), sets);
    const auto by_lines = cover_by(lines(), sets);
    return by_blocks.size() <= by_lines.size() ? by_blocks : by_lines;
}

// Folding pays when it at least halves the look-ups: in the plain form symmetric placements share
// one table, in the folded form they do not, and less of it fits the cache.
std::unique_ptr<Evaluator> compiled_network(std::span<const TupleTable> tables,
                                            std::span<const double> weights, int stages,
                                            const CompileLimits& limits) {
    check_weights(tables, weights, stages);
    if (2 * covering_sets(tables).size() <= count_placements(tables)) {
        const FoldingPlan plan(tables);
        if (plan.is_within(limits, stages)) {
            return folded_by(plan, tables, weights, stages);
        }
    }
    return plain_network(tables, weights, stages, limits);
}

}  // namespace outflank
