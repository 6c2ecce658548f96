// A player: evaluators seen through a view and searched to a depth; a book before, a solver after.
#pragma once

#include <memory>

#include "endgame.hpp"
#include "epsilon_othello.hpp"
#include "evaluators/evaluator.hpp"
#include "opening_book.hpp"

namespace outflank {

// How evaluators serve both colours (Jaskowski 2014, section II-F).
//   inversion: see the board as if the mover were Black, maximise.
//   negation:  see the board as it is; Black maximises, White minimises.
//   doubled:   one evaluator a colour, each sees the board as it is and is maximised by its colour.
enum class View : std::uint8_t { inversion, negation, doubled };

struct Player {
    // Without evaluators, every move is as good as any other: the random player.
    std::shared_ptr<const Evaluator> for_black;
    std::shared_ptr<const Evaluator> for_white;
    View view = View::inversion;
    int depth = 1;  // plies of minimax; a ply is a disc placed, a pass is none

    int solve_from = 0;     // with so many empty squares or fewer, play perfectly
    MoveOrdering ordering;  // for the solver

    std::shared_ptr<const OpeningBook> book;  // may be null
    int book_best = 1;  // choose at random among so many of its best moves (Kim 2007: three)

    const Evaluator* evaluator(Colour mover) const {
        return mover == Colour::black ? for_black.get() : for_white.get();
    }
};

// A player at work in one thread: with what its evaluators remember of the boards they saw.
class SeatedPlayer {
  public:
    explicit SeatedPlayer(const Player& player);

    // The moves' values for the mover at the player's depth: the higher, the better.
    void judge(const Board& board, const MoveList& moves, std::span<double> values);

    // The move this player makes of its own will.
    Choice choose(OpenGame& game, Bits moves);

  private:
    void judge_at_one_ply(const Board& board, const MoveList& moves, std::span<double> values);
    double minimax(const Board& board, int plies, double alpha, double beta);
    double minimax_of_moves(const Board& board, Bits legal, int plies, double alpha, double beta);
    void search_moves(const Board& board, const MoveList& moves, std::span<double> values,
                      bool all_exact);
    std::optional<Choice> book_choice(OpenGame& game, Bits moves) const;
    Choice solved_choice(OpenGame& game);

    const Player& player_;
    std::unique_ptr<Evaluator::Accumulator> black_seen_;
    std::unique_ptr<Evaluator::Accumulator> white_seen_;
    std::unique_ptr<EndgameSolver> solver_;  // made when first needed
};

}  // namespace outflank
