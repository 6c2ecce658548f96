// Up to five empty squares, where move ordering beyond parity costs more than it saves.
#pragma once

#include "endgame_last.hpp"
#include "endgame_nodes.hpp"
#include "stability.hpp"

namespace outflank::endgame {

// An upper bound: the opponent keeps its stable discs. Computed only where it may cut: for a bound
// at or below alpha the opponent needs (64 - alpha) / 2 stable discs, 22 or 28 here. Both limits
// were found by timing FFO 20-39, as those in endgame.cpp.
inline int most_possible(const Node& node, int alpha) {
    if (alpha < (node.empties < 8 ? 20 : 8)) {
        return 64;
    }
    return 64 - 2 * std::popcount(stable_discs(node.position.opponent, node.position.mover));
}

class FewSquares {
  public:
    explicit FewSquares(std::uint64_t& nodes) : nodes_(nodes), last_(nodes) {}

    // Five empty squares: moves in odd quadrants first, corners before others.
    int search(const Node& node, int alpha, int beta, bool passed = false) {
        if (node.empties <= 4) {
            return last(node, alpha, beta);
        }
        ++nodes_;
        if (const int most = most_possible(node, alpha); most <= alpha) {
            return most;
        }
        const Bits legal = node.position.moves();
        if (legal == 0) {
            return passed ? final_score(node.position.mover, node.position.opponent)
                          : -search(node.passed(), -beta, -alpha, true);
        }
        int best = NO_SCORE;
        const Bits odd = legal & node.odd;
        for (const Bits group : {odd & CORNERS, odd & ~CORNERS, legal & ~odd}) {
            for (Bits rest = group; rest != 0; rest = without_lowest(rest)) {
                const int square = lowest_square(rest);
                const int score =
                    -search(node.after(square, node.position.play(square)), -beta, -alpha);
                best = std::max(best, score);
                if (best >= beta) {
                    return best;
                }
                alpha = std::max(alpha, best);
            }
        }
        return best;
    }

  private:
    int last(const Node& node, int alpha, int beta) {
        const auto [mover, opponent] = node.position;
        const Bits empty = ~(mover | opponent);
        std::array<int, 4> squares{};
        std::size_t count = 0;
        for (const Bits group : {empty & node.odd, empty & ~node.odd}) {
            for (Bits rest = group; rest != 0; rest = without_lowest(rest)) {
                squares[count++] = lowest_square(rest);
            }
        }
        switch (node.empties) {
            case 4: return last_.four(mover, opponent, alpha, beta, squares);
            case 3:
                return last_.three(mover, opponent, alpha, beta,
                                   {squares[0], squares[1], squares[2]});
            case 2: return last_.two(mover, opponent, beta, squares[0], squares[1]);
            case 1: return last_.one(mover, squares[0]);
            default: return final_score(mover, opponent);
        }
    }

    std::uint64_t& nodes_;
    LastSquares last_;
};

}  // namespace outflank::endgame
