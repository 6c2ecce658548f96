// Up to five empty squares, where move ordering beyond parity costs more than it saves.
#pragma once

#include "endgame/last_squares.hpp"
#include "endgame/nodes.hpp"
#include "rules/stability.hpp"

namespace outflank::endgame {

// An upper bound: the opponent keeps its stable discs. Computed only where it may cut: for a bound
// at or below alpha the opponent needs (64 - alpha) / 2 stable discs, 22 or 28 here. Both limits
// were found by timing FFO 20-39, as those in solver.cpp.
inline int most_possible(const Node& node, int alpha) {
    if (alpha < (node.empties < 8 ? 20 : 8)) {
        return 64;
    }
    return 64 - 2 * std::popcount(stable_discs(node.position.opponent, node.position.mover));
}

// Takes squares from several sets, all of the first before those of the next, without a branch.
template <std::size_t SETS>
class Squares {
  public:
    explicit Squares(std::array<Bits, SETS> sets) : sets_(sets) {}
    int take() {
        Bits from = sets_[SETS - 1];
        for (std::size_t i = SETS - 1; i-- > 0;) {
            from = sets_[i] != 0 ? sets_[i] : from;
        }
        const int square = lowest_square(from);
        for (Bits& set : sets_) {
            set &= ~bit(square);
        }
        return square;
    }

  private:
    std::array<Bits, SETS> sets_;
};

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
        const auto [mover, opponent] = node.position;
        const Bits empty = ~(mover | opponent);
        const Bits odd = empty & node.odd;
        Squares<3> squares({odd & CORNERS, odd & ~CORNERS, empty & ~odd});
        int best = NO_SCORE;
        for (int i = 0; i < 5; ++i) {
            const int square = squares.take();
            const Bits turned = LastSquares::flips_at(square, mover, opponent);
            if (turned == 0) {
                continue;
            }
            best = std::max(
                best, -four(node.after(square, node.position.play(square, turned)), -beta, -alpha));
            if (best >= beta) {
                return best;
            }
            alpha = std::max(alpha, best);
        }
        if (best != NO_SCORE) {
            return best;
        }
        return passed ? final_score(mover, opponent) : -search(node.passed(), -beta, -alpha, true);
    }

  private:
    // Squares alone in their quadrant first; of two pairs, each together. With three in a quadrant
    // and one alone, a move among the three then leaves the one that is odd in front.
    int four(const Node& node, int alpha, int beta) {
        const auto [mover, opponent] = node.position;
        const Bits empty = ~(mover | opponent);
        const Bits odd = empty & node.odd;
        const Bits first = empty & quadrant_of(lowest_square(empty));
        const bool pairs = odd == 0;
        const Bits in_front = odd == empty ? empty & ~(std::popcount(first) == 3 ? first : 0)
                              : pairs      ? first
                                           : odd;
        Squares<2> squares({in_front, empty & ~in_front});
        const int a = squares.take();
        const int b = squares.take();
        const int c = squares.take();
        return last_.four(mover, opponent, alpha, beta, {a, b, c, squares.take()}, pairs);
    }

    int last(const Node& node, int alpha, int beta) {
        const auto [mover, opponent] = node.position;
        const Bits empty = ~(mover | opponent);
        const Bits odd = empty & node.odd;
        Squares<2> squares({odd, empty & ~odd});
        switch (node.empties) {
            case 4: return four(node, alpha, beta);
            case 3: {
                const int a = squares.take();
                const int b = squares.take();
                return last_.three(mover, opponent, alpha, beta, {a, b, squares.take()});
            }
            case 2: {
                const int a = squares.take();
                return last_.two(mover, opponent, beta, a, squares.take());
            }
            case 1: return last_.one(mover, squares.take());
            default: return final_score(mover, opponent);
        }
    }

    std::uint64_t& nodes_;
    LastSquares last_;
};

}  // namespace outflank::endgame
