// A player: evaluators seen through a view and searched to a depth, with a book and a solver.
#pragma once

#include <memory>

#include "books/opening_book.hpp"
#include "endgame/solver.hpp"
#include "search/minimax.hpp"
#include "search/search.hpp"

namespace outflank {

struct Player {
    Judgement judgement;
    int depth = 1;  // plies of minimax; a ply is a disc placed, a pass is none

    // Above zero: iterative deepening (search/search.hpp) up to this many nodes and to `depth`.
    std::uint64_t nodes = 0;
    SearchSettings search;

    // Boards with this many empty squares or fewer are solved, at the root and within a fixed
    // depth.
    int solve_from = 0;
    MoveOrdering ordering;  // for the solver

    std::shared_ptr<const OpeningBook> book;  // may be null
    int book_best = 1;  // choose at random among this many of its best moves (Kim 2007: three)

    // The number of empty squares from which it plays perfectly. All boards that a fixed depth
    // evaluates lie depth - 1 plies ahead; if those are solved, so is the root.
    int perfect_from() const {
        return solve_from == 0 || nodes > 0 ? solve_from : solve_from + depth - 1;
    }
};

// A player at work in one thread.
class SeatedPlayer {
  public:
    explicit SeatedPlayer(const Player& player)
        : player_(player), minimax_(player.judgement, player.depth) {}

    // The moves' values for the mover at the player's depth.
    void judge(const Board& board, const MoveList& moves, std::span<double> values) {
        minimax_.judge(board, moves, values);
    }

    // The player's own choice: forced random moves are drawn elsewhere.
    Choice choose(OpenGame& game, Bits moves);

  private:
    std::optional<Choice> book_choice(OpenGame& game, Bits moves) const;
    Choice solved_choice(OpenGame& game);
    Choice searched_choice(OpenGame& game);

    const Player& player_;
    Minimax minimax_;
    std::unique_ptr<EndgameSolver> solver_;  // created when first needed
    std::unique_ptr<Searcher> searcher_;     // likewise
};

}  // namespace outflank
