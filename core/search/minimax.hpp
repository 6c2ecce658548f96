// Fixed depth: minimax over a few plies by alpha-beta, with the choices of plain minimax, ties
// included.
#pragma once

#include "playing/one_ply.hpp"

namespace outflank {

class Minimax {
  public:
    // `depth` in plies: a ply is a disc placed, a pass is none.
    Minimax(const Judgement& judgement, int depth)
        : one_ply_(judgement),
          error_(one_ply_.estimate_error()),
          distance_(one_ply_.distance_from_disc_difference()),
          depth_(depth) {}

    // The moves' values for the mover.
    void judge(const Board& board, const MoveList& moves, std::span<double> values);

    // The same, exact for the moves within TIE of the best; others get numbers below that.
    void judge_best(const Board& board, const MoveList& moves, std::span<double> values);

    // The moves within TIE of the best value, as a set of indices: what MoveValues::best finds in
    // the values of judge, for less work.
    Bits best_moves(const Board& board, const MoveList& moves) {
        if (moves.count == 1) {
            return 1;
        }
        if (error_ > 0 || distance_ < std::numeric_limits<double>::infinity()) {
            return best_by_narrowing(board, moves);
        }
        MoveValues values(moves.count);
        if (depth_ == 1) {
            one_ply_.judge(board, moves, values.span());
        } else {
            search_moves(board, moves, values.span(), 2 * TIE);
        }
        return ties_for_best(values.span());
    }

  private:
    Bits best_by_narrowing(const Board& board, const MoveList& moves);
    Bits nearly_best(const Board& board, const MoveList& moves, Bits open, double margin);
    void search_moves(const Board& board, const MoveList& moves, std::span<double> values,
                      double margin);
    void evaluate(const Board& board, const MoveList& moves, std::span<double> values) {
        if (exact_) {
            one_ply_.judge(board, moves, values);
        } else {
            one_ply_.estimate(board, moves, values);
        }
    }
    double value_of(const Board& board, int plies, double alpha, double beta);
    double value_of_moves(const Board& board, Bits legal, int plies, double alpha, double beta);
    double best_at_one_ply(const Board& board, Bits legal, double alpha, double beta);

    OnePly one_ply_;
    double error_;     // of an estimate; zero: there are none
    double distance_;  // of a value from the disc difference; may be infinite
    int depth_;
    bool exact_ = true;  // boards at full depth are evaluated, not estimated
    Bits killer_ = 0;    // the best move of the last board that was evaluated at one ply
};

}  // namespace outflank
