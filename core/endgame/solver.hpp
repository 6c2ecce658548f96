// The exact solver: the score of a position under perfect play on both sides (see final_score).
#pragma once

#include <memory>
#include <vector>

#include "endgame/move_ordering.hpp"
#include "search/transposition.hpp"
#include "support/threads.hpp"

namespace outflank {

// The score is exact if it lies between alpha and beta, else a bound. {-1, 1} asks only for win,
// draw or loss.
struct ScoreWindow {
    int alpha = -64;
    int beta = 64;
};

struct Solved {
    int score = 0;
    std::vector<int> line;  // best play, without passes
    std::uint64_t nodes = 0;
    bool finished = true;  // false: it was stopped, and only `nodes` is valid
};

// An entry of the solver's transposition table: bounds of the score, and the moves to try first.
struct ExactBounds {
    std::int8_t lower = -64;
    std::int8_t upper = 64;
    std::uint8_t best = 64;    // 64: none
    std::uint8_t second = 64;  // the previous best
    std::uint8_t empties = 0;
    bool exact = true;  // false: found by a selective search
    std::uint16_t search = 0;
    int worth() const { return empties; }
};

class EndgameSolver {
  public:
    // table_bits: the transposition table has at most 2^bits entries of 32 bytes, fewer if the
    // position needs fewer.
    EndgameSolver(int table_bits, MoveOrdering ordering, int threads);
    ~EndgameSolver();

    Solved solve(const Position& position, ScoreWindow window = {}, const StopFlag* stop = nullptr);

    // A best move of a position that has a legal move.
    int best_move(const Position& position);

  private:
    class Worker;
    struct Shared;
    std::unique_ptr<Shared> shared_;
};

}  // namespace outflank
