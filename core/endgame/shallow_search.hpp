// Shallow searches by the solver's evaluator: what they say of a position orders its moves, and
// tells a selective search what need not be searched.
#pragma once

#include <algorithm>

#include "endgame/last_squares.hpp"
#include "endgame/ordering_network.hpp"

namespace outflank::endgame {

// Alpha-beta to a fixed depth, fail soft; values are in 1/64 disc. `indices` are those of the
// position's mover; the indices of the positions below are written behind them.
class ShallowSearch {
  public:
    ShallowSearch(const OrderingNetwork& network, std::uint64_t& nodes)
        : network_(network), nodes_(nodes) {}

    int search(const Position& position, Index* indices, int depth, int alpha, int beta,
               bool passed = false) {
        const Bits legal = position.moves();
        Index* const below = indices + network_.width();
        if (legal == 0) {
            if (passed) {
                return OrderingNetwork::DISC * final_score(position.mover, position.opponent);
            }
            network_.pass(indices, below);
            return -search(position.pass(), below, depth, -beta, -alpha, true);
        }
        const MoveList moves(position, legal);
        nodes_ += static_cast<std::uint64_t>(moves.count);
        std::array<int, 64> values;
        const int discs = position.discs();
        const int highest = judge(moves, indices, discs, depth == 1 ? beta : LARGEST, values);
        return depth == 1 ? highest : best_of(position, moves, values, indices, depth, alpha, beta);
    }

    // What a move is worth to the side that makes it, by a search of the replies.
    int value_after(const Position& position, Index* indices, int square, Bits flipped, int depth) {
        Index* const below = indices + network_.width();
        network_.play(indices, square, flipped, below);
        return -search(position.play(square, flipped), below, depth, -LARGEST, LARGEST);
    }

    static constexpr int LARGEST = 1 << 28;  // above every value

  private:
    // The value of each move at one ply, until one reaches beta; the highest.
    int judge(const MoveList& moves, const Index* indices, int discs, int beta,
              std::array<int, 64>& values) const {
        int highest = -LARGEST;
        OrderingNetwork::AfterMoves after(network_, indices, discs);
        for (std::size_t i = 0; i < static_cast<std::size_t>(moves.count) && highest < beta; ++i) {
            values[i] = after.value(moves.squares[i], moves.flipped[i]);
            highest = std::max(highest, values[i]);
        }
        return highest;
    }

    int best_of(const Position& position, const MoveList& moves, std::array<int, 64>& values,
                Index* indices, int depth, int alpha, int beta) {
        Index* const below = indices + network_.width();
        int best = -LARGEST;
        for (int taken = 0; taken < moves.count && best < beta; ++taken) {
            const auto next =
                std::max_element(values.begin(), values.begin() + moves.count) - values.begin();
            const auto i = static_cast<std::size_t>(next);
            values[i] = -2 * LARGEST;
            network_.play(indices, moves.squares[i], moves.flipped[i], below);
            best = std::max(best, -search(position.play(moves.squares[i], moves.flipped[i]), below,
                                          depth - 1, -beta, -std::max(alpha, best)));
        }
        return best;
    }

    const OrderingNetwork& network_;
    std::uint64_t& nodes_;
};

}  // namespace outflank::endgame
