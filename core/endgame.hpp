// The exact solver: who wins a position under perfect play on both sides, and by how much.
//
// Scores are disc differences for the mover; empty squares at the end go to the winner, as in
// tournaments and in the FFO test positions.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "endgame_order.hpp"
#include "transposition.hpp"

namespace outflank {

// What is asked for: the exact score if it lies between alpha and beta, else a bound.
// {-1, 1} asks only for win, draw or loss.
struct ScoreWindow {
    int alpha = -64;
    int beta = 64;
};

struct Solved {
    int score = 0;
    std::vector<int> line;  // best play, the first move first; passes are left out
    std::uint64_t nodes = 0;
    bool finished = true;  // false: it was stopped, and nothing but the nodes counts
};

// What the solver's transposition table keeps: bounds of the score, and the moves to try first.
struct ExactBounds {
    std::int8_t lower = -64;
    std::int8_t upper = 64;
    std::uint8_t best = 64;    // 64: none
    std::uint8_t second = 64;  // the best before
    std::uint8_t empties = 0;
    std::uint8_t unused = 0;
    std::uint16_t search = 0;
    int worth() const { return empties; }
};

class EndgameSolver {
  public:
    // table_bits: the transposition table has 2^bits entries of 24 bytes.
    EndgameSolver(int table_bits, MoveOrdering ordering, int threads);
    ~EndgameSolver();

    // `stop`: set by another thread, ends the search soon.
    Solved solve(const Position& position, ScoreWindow window = {},
                 const std::atomic<bool>* stop = nullptr);

    // A best move of a position that has one.
    int best_move(const Position& position);

  private:
    struct Shared;
    std::unique_ptr<Shared> shared_;
};

}  // namespace outflank
