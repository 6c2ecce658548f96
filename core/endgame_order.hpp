// Move ordering of the solver.
#pragma once

#include <cmath>
#include <memory>

#include "endgame_nodes.hpp"
#include "evaluators/evaluator.hpp"

namespace outflank {

// An evaluator that orders moves (by inversion) where a subtree is large enough to pay for it. With
// weight w, a unit of its value counts as much as w replies of the opponent.
struct MoveOrdering {
    std::shared_ptr<const Evaluator> evaluator;  // may be null
    double weight = 0;
};

namespace endgame {

inline constexpr int ORDER_BY_EVALUATOR = 13;  // from this many empty squares (docs/search.md)
// The unit of a move's key, in integers: one reply more for the opponent costs this much.
inline constexpr int REPLY = 16;

// One per thread: it holds an accumulator.
class MoveOrder {
  public:
    explicit MoveOrder(const MoveOrdering& ordering) : ordering_(ordering) {
        if (ordering.evaluator) {
            seen_ = ordering.evaluator->accumulator();
        }
    }

    // Moves known from the transposition table first; then fastest first: a move that leaves the
    // opponent few replies has a small subtree and is often good. A reply in a corner counts
    // double, parity half a reply, taking a corner three quarters.
    void order(const Node& node, Bits legal, std::array<int, 2> known, Moves& moves) {
        for (Bits rest = legal; rest != 0; rest = without_lowest(rest)) {
            Move& move = moves.list[static_cast<std::size_t>(moves.count++)];
            move.square = lowest_square(rest);
            move.after = node.position.play(move.square);
            const Bits replies = move.after.moves();
            const int mobility = std::popcount(replies) + std::popcount(replies & CORNERS);
            move.key = -REPLY * mobility + ((node.odd & bit(move.square)) != 0 ? REPLY / 2 : 0) +
                       ((CORNERS & bit(move.square)) != 0 ? 3 * REPLY / 4 : 0);
            if (move.square == known[0]) {
                move.key = 1 << 29;
            } else if (move.square == known[1]) {
                move.key = 1 << 28;
            }
        }
        if (node.empties >= ORDER_BY_EVALUATOR && seen_) {
            order_by_evaluator(node, legal, known, moves);
        }
    }

  private:
    void order_by_evaluator(const Node& node, Bits legal, std::array<int, 2> known, Moves& moves) {
        const MoveList list(node.position, legal);
        std::array<double, 64> values;
        ordering_.evaluator->values_after(*seen_, Board::of(node.position, Colour::black), list,
                                          SeenAs::mover_is_black,
                                          {values.data(), static_cast<std::size_t>(list.count)});
        for (std::size_t i = 0; i < static_cast<std::size_t>(moves.count); ++i) {
            if (moves.list[i].square != known[0] && moves.list[i].square != known[1]) {
                moves.list[i].key += static_cast<int>(
                    std::lround(std::clamp(REPLY * ordering_.weight * values[i], -1e6, 1e6)));
            }
        }
    }

    const MoveOrdering& ordering_;
    std::unique_ptr<Evaluator::Accumulator> seen_;
};

}  // namespace endgame
}  // namespace outflank
