// Games between players that look one ply ahead, a batch of them in lock-step.
//
// The rules, the draws and the values are those of every other way to play, so the same seed gives
// the same games. Only the order of work differs: each stage (legal moves, draws, flips, values) is
// done for all games of the batch before the next stage, so that the games' latencies overlap.
// Moves are compared by their ranks, and by their values only where ranks are too close to tell.
#pragma once

#include "playing/one_ply.hpp"
#include "playing/playouts.hpp"
#include "playing/tied_ranks.hpp"

namespace outflank {

class GreedyPlayouts {
  public:
    // Both players must be playable().
    GreedyPlayouts(const Player& first, const Player& second, const MatchRules& rules)
        : rules_(rules), seats_{Seat(first), Seat(second)} {}

    // Random players, and those that look one ply ahead by an evaluator that values batches: no
    // book, no solver, no search, one evaluator for both colours.
    static bool playable(const Player& player);

    // Plays at most GAMES_IN_BATCH games; results[i] is of game games.first + i.
    void play(GameSpan games, const GameResults& results);

  private:
    struct Seat {
        explicit Seat(const Player& player);
        // The best of a game's legal moves, as an index, uniform among ties.
        int best(OpenGame& game, Bits legal, const std::int32_t* ranks);
        Bits ties_by_values(const OpenGame& game, Bits legal, Bits possible);

        std::unique_ptr<BatchAccumulator> seen;  // null for the random player
        TieLimits limits;                        // of its ranks
        bool white_as_white = false;             // the view is negation
        MoveBatch moves;                         // of the games in which it chooses
        OnePly values;                           // for ranks that are too close
    };
    // The moves of one game in a seat's batch.
    struct Waiting {
        std::uint8_t game = 0;
        std::uint8_t count = 0;
    };
    struct Live {
        OpenGame game;
        std::uint64_t number;
        Bits moves = 0;
        std::size_t ply = 0;
    };

    void open(GameSpan games);
    void settle(const GameResults& results);
    void draw();
    void choose(std::size_t turn);
    void make_moves(const GameResults& results);

    const MatchRules& rules_;
    std::array<Seat, 2> seats_;
    std::vector<Live> games_;
    std::vector<std::uint8_t> live_;  // indices of the games that are not over
    std::vector<BatchMove> made_;     // the moves of this step
    std::array<std::vector<Waiting>, 2> waiting_;
    std::array<std::int32_t, GAMES_IN_BATCH * 64 + 16> ranks_{};
};

}  // namespace outflank
