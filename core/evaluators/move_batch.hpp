// Several games at once, for evaluators that value the moves of all of them in one pass.
//
// One game at a time, a processor mostly waits: every step needs the one before, and loops over a
// handful of moves end in mispredicted branches. A loop over the moves of many games does neither.
#pragma once

#include <span>

#include "../position.hpp"

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

// An evaluator's state of a batch of games, kept up to date with every move. One per thread.
class BatchAccumulator {
  public:
    BatchAccumulator() = default;
    BatchAccumulator(const BatchAccumulator&) = delete;
    BatchAccumulator& operator=(const BatchAccumulator&) = delete;
    virtual ~BatchAccumulator() = default;

    // Game number `game` of the batch begins from this board.
    virtual void open(std::size_t game, const Board& board) = 0;

    // The value of the board after each move. `white_as_white`: a board after White's move is seen
    // as it is and its value negated (otherwise White's discs are seen as black).
    virtual void values_after(std::span<const BatchMove> moves, bool white_as_white,
                              std::span<double> values) = 0;

    // These moves were made, at most one in each game.
    virtual void follow(std::span<const BatchMove> moves) = 0;
};

}  // namespace outflank
