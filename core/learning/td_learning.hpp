// Temporal-difference learning: one inner loop for all variants.
//
// Values are squashed to -1..1, from the point of view of the side that made the move that led to
// the board. At each of the learner's decisions the board of an earlier decision is updated towards
// the present one:
//   own:         the mover's own previous board (needs no model of the opponent);
//   every_board: the previous board of either side, with the sign changed (Lucas 2007, eq. 2).
// The last boards are updated towards the result; or, if the final board is not to learn, the board
// before it is (Lucas 2007, section 4: "the value of the penultimate board").
//
// Games learn one after another, each from weights that the games before it changed; or in batches:
// all games of a batch are played with the weights from before it, on many threads, and then
// learned in the order of their numbers. The weights do not depend on the number of threads.
#pragma once

#include "learning/learnable.hpp"
#include "playing/playouts.hpp"

namespace outflank {

enum class Successor : std::uint8_t { own, every_board };
enum class Output : std::uint8_t {
    tanh,      // v = tanh f, squared error: the step has the factor 1 - v^2 (Lucas 2007 eq. 2)
    logistic,  // v = tanh f/2, that is 2 p - 1 with p logistic, log loss: no factor
    discs,     // the same with f in discs: v = tanh f/2s for s discs a unit, log loss
};

struct TdSettings {
    View view = View::inversion;
    Successor successor = Successor::own;
    Output output = Output::logistic;
    bool expected_target = true;  // (1 - e) best + e mean, not the move that was made
    double target_epsilon = 0.1;  // that e: epsilon, or 0 for values of games without random moves
    double disc_unit = 8;     // of Output::discs; a result is worth tanh(difference/2s), not +-1
    int solved = 0;           // targets are exact from this many empty squares
    int depth = 1;            // plies of minimax by which moves are chosen and targets found
    bool final_board = true;  // the final board learns the result, not the one before it
    bool random_moves_teach =
        true;                   // a board learns from the next one after a forced random move too
    double lambda = 0;          // 0: update at once; else by lambda-returns at the end of a game
    double alpha = 0.01;        // learning rate of the first game
    double final_alpha = 0.01;  // learning rate of game number `games`; linear between
    std::uint64_t games = 1;
    std::size_t batch = 1;          // games that are played with the same weights
    double epsilon = 0.1;           // forced random moves of the learner
    double opponent_epsilon = 0.1;  // forced random moves of its opponent
    int random_plies = 0;           // each game opens with up to this many random moves
    std::uint64_t seed = 1;
    std::vector<Board> starts{START};
};

struct TdProgress {
    std::uint64_t updates = 0;
    double squared_error = 0;  // sum over updates, of squashed values
    double points = 0;         // of the learner against its opponents; of Black in self-play
};

// A board, as the evaluator sees it, and the value that it should have for the side that moved
// last.
struct Lesson {
    Bits black = 0;
    Bits white = 0;
    double sign = 1;  // of the evaluator's value for that side
    double target = 0;
};

// What a game teaches, in the order in which it is learned.
struct PlayedGame {
    std::vector<Lesson> lessons;
    double points = 0;
};

// The two halves of a batch: its games, played with the present weights on many threads or
// machines; and what they teach, learned in the order of games, the first of which has number
// `first`.
std::vector<PlayedGame> td_play(const Learnable& evaluator,
                                std::span<const std::shared_ptr<Player>> opponents,
                                const TdSettings& settings, GameSpan games, int threads);
TdProgress td_learn_from(Learnable& evaluator, const TdSettings& settings, std::uint64_t first,
                         std::span<const PlayedGame> played, int threads);

// Plays games first .. first + count - 1 and learns from each in turn. The opponent of a game is
// drawn from the game's stream; the learner is Black in even games. Without opponents, or where the
// drawn one is null, the learner plays itself and learns from both sides. Both ends of the span
// must lie between batches, except the end of all games.
TdProgress td_learn(Learnable& evaluator, std::span<const std::shared_ptr<Player>> opponents,
                    const TdSettings& settings, GameSpan games, int threads = 1);

}  // namespace outflank
