// The interface of all evaluators: the value of a board, and incrementally those of all boards one
// move later.
//
// Exact sums. The linear part of each evaluator adds weights that are rounded to one binary grid,
// such that every partial sum is exact in a double (see Grid). A sum then does not depend on its
// order: an incremental update equals a fresh sum, one thread equals many, AVX equals scalar.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <span>

#include "evaluators/move_batch.hpp"
#include "rules/position.hpp"
#include "support/errors.hpp"

namespace outflank {

// Makes the compiler write `memory` out of vector registers: to extract single elements costs more
// than a store and loads.
inline void write_to_memory([[maybe_unused]] const void* memory) {
#if defined(__GNUC__) || defined(__clang__)
    asm volatile("" : : "r"(memory) : "memory");
#endif
}

// Multiples of a power of two such that sums bounded by `largest_sum` take 51 of a double's 53
// bits. The other two are for the partial sums of incremental updates, which count flipped discs
// twice. Sums beyond 2^900 are refused, well below overflow; steps end at 2^-1000, above the
// subnormals.
class Grid {
  public:
    explicit Grid(double largest_sum) {
        if (!std::isfinite(largest_sum) || largest_sum > 0x1.0p900) {
            fail("the weights are too large: their sum overflows");
        }
        if (largest_sum > 0) {
            int exponent = 0;
            std::frexp(largest_sum, &exponent);
            step_ = std::ldexp(1.0, std::max(exponent - 51, -1000));
        }
    }
    double round(double weight) const { return std::nearbyint(weight / step_) * step_; }

  private:
    double step_ = 1;
};

// Whose discs an evaluator takes for black ones.
enum class SeenAs : std::uint8_t { mover_is_black, mover_is_white };

class Evaluator {
  public:
    // State of the board last evaluated, so that the next one costs only the squares that changed.
    // One per thread.
    class Accumulator {
      public:
        virtual ~Accumulator() = default;
        void remember(Bits new_black, Bits new_white) {
            black = new_black;
            white = new_white;
        }
        Bits black = 0;
        Bits white = 0;
    };

    Evaluator() = default;
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;
    virtual ~Evaluator() = default;

    virtual std::unique_ptr<Accumulator> accumulator() const = 0;

    // The value of the board as it is, without exchanging colours.
    virtual double value(Accumulator& seen, Bits black, Bits white) const = 0;

    // The value of the board after each of the moves.
    virtual void values_after(Accumulator& seen, const Board& board, const MoveList& moves,
                              SeenAs seen_as, std::span<double> values) const = 0;

    // The same for many games at once, where an evaluator has a faster way for it: else null.
    virtual bool values_batches() const { return false; }
    virtual std::unique_ptr<BatchAccumulator> batch_accumulator() const { return nullptr; }

    // The same, only faster, each off by estimate_error() at most: enough to see which moves cannot
    // be best. An error of zero: these are the values.
    virtual void estimates_after(Accumulator& seen, const Board& board, const MoveList& moves,
                                 SeenAs seen_as, std::span<double> values) const {
        values_after(seen, board, moves, seen_as, values);
    }
    virtual double estimate_error() const { return 0; }

    // How far values and estimates may lie from black discs minus white discs. Infinite: unknown.
    virtual double distance_from_disc_difference() const {
        return std::numeric_limits<double>::infinity();
    }

    // Memory in use.
    virtual std::size_t bytes() const = 0;
};

// Calls change(square, digits) for each square that differs between an accumulator's board and a
// new one. digits, -2..2, is how far the square moved on the scale white, empty, black.
template <class Change>
void for_each_change(const Evaluator::Accumulator& seen, Bits black, Bits white, Change change) {
    const auto has = [](Bits set, int square) { return static_cast<int>(set >> square & 1); };
    Bits changed = (black ^ seen.black) | (white ^ seen.white);
    while (changed != 0) {
        const int square = lowest_square(changed);
        changed = without_lowest(changed);
        change(square, (has(black, square) - has(white, square)) -
                           (has(seen.black, square) - has(seen.white, square)));
    }
}

// Calls add(square) for each flipped square, the first four without a branch: a mispredicted loop
// end costs more than a few additions of zero (square 64, which every table of steps keeps zero).
template <class Add>
void for_each_flipped(Bits flipped, Add add) {
    for (int i = 0; i < 4; ++i) {
        add(lowest_square(flipped));
        flipped = without_lowest(flipped);
    }
    while (flipped != 0) [[unlikely]] {
        add(lowest_square(flipped));
        flipped = without_lowest(flipped);
    }
}

}  // namespace outflank
