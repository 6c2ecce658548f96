// Several games at once, for evaluators that value the moves of all of them in one pass.
//
// One game at a time, a processor mostly waits: every step needs the one before, and loops over a
// handful of moves end in mispredicted branches. A loop over the moves of many games does neither.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "rules/position.hpp"

namespace outflank {

inline constexpr std::size_t GAMES_IN_BATCH = 32;

// A move of one of the games, possible or made.
struct BatchMove {
    Bits flipped = 0;
    std::uint8_t square = 0;
    std::uint8_t game = 0;
    Colour mover = Colour::black;
};

// The legal moves of some of the games, game after game.
class MoveBatch {
  public:
    std::span<const BatchMove> moves() const { return {moves_.data(), count_}; }
    void clear() { count_ = 0; }

    // Written twelve at a time, more than most positions have, so that how many there are is a
    // branch only now and then; the next game overwrites those that do not exist.
    void add(std::size_t game, Colour mover, Bits legal) {
        BatchMove* to = moves_.data() + count_;
        count_ += static_cast<std::size_t>(std::popcount(legal));
        do {
            for (std::size_t i = 0; i < AHEAD; ++i, legal = without_lowest(legal)) {
                to->square = static_cast<std::uint8_t>(lowest_square(legal));
                to->game = static_cast<std::uint8_t>(game);
                to->mover = mover;
                ++to;
            }
        } while (legal != 0);
    }

    // Once all moves are added. position(game): the game's position.
    template <class PositionOf>
    void find_flips(PositionOf position) {
        for (BatchMove& move : std::span(moves_.data(), count_)) {
            const Position& before = position(move.game);
            move.flipped = flips(move.square, before.mover, before.opponent);
        }
    }

  private:
    static constexpr std::size_t AHEAD = 12;
    std::size_t count_ = 0;
    std::array<BatchMove, GAMES_IN_BATCH * 64 + AHEAD> moves_;  // filled up to count_
};

// Whole numbers in the order of an evaluator's values: value = unit * rank, off by a few units.
// They order the moves of one position; where ranks are too close to tell, values decide.
class RankScale {
  public:
    // Every rank lies within -largest_value..largest_value, and is off by `error` units at most.
    RankScale(double largest_value, double error)
        : unit_(std::max(largest_value / LARGEST_RANK, SMALLEST_UNIT)),
          ranks_per_value_(1 / unit_),
          error_(error + 1) {}  // one more for the rounding of doubles, which is far smaller

    // Rounded to the nearest: added to 1.5 * 2^52, a double has the whole number in its low bits.
    std::int32_t rank(double value) const {
        const double shifted = value * ranks_per_value_ + 0x1.8p52;
        return static_cast<std::int32_t>(static_cast<std::uint32_t>(std::bit_cast<Bits>(shifted)));
    }

    // Ranks further apart than this belong to values further apart than `difference`...
    std::int32_t surely_beyond(double difference) const {
        return static_cast<std::int32_t>(std::ceil(difference / unit_ + 2 * error_));
    }
    // ...and ranks no further apart than this to values no further apart. Negative: no ranks do.
    std::int32_t surely_within(double difference) const {
        return static_cast<std::int32_t>(std::floor(difference / unit_ - 2 * error_));
    }

  private:
    // A rank minus surely_beyond(1e-6), a million units at most, does not overflow.
    static constexpr double LARGEST_RANK = 0x1.0p31 - 0x1.0p22;
    static constexpr double SMALLEST_UNIT = 1e-12;
    double unit_;
    double ranks_per_value_;
    double error_;
};

// An evaluator's state of a batch of games, kept up to date with every move. One per thread.
class BatchAccumulator {
  public:
    BatchAccumulator() = default;
    BatchAccumulator(const BatchAccumulator&) = delete;
    BatchAccumulator& operator=(const BatchAccumulator&) = delete;
    virtual ~BatchAccumulator() = default;

    // Game number `game` of the batch begins from this board.
    virtual void open(std::size_t game, const Board& board) = 0;

    virtual RankScale scale() const = 0;

    // The rank of the board after each move among those of its game. `white_as_white`: a board
    // after White's move is seen as it is and its value negated (otherwise White's discs are seen
    // as black).
    virtual void ranks_after(std::span<const BatchMove> moves, bool white_as_white,
                             std::span<std::int32_t> ranks) = 0;

    // These moves were made, at most one in each game.
    virtual void follow(std::span<const BatchMove> moves) = 0;
};

}  // namespace outflank
