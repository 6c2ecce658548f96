// Move ordering of the solver.
#pragma once

#include <cmath>
#include <memory>

#include "endgame/nodes.hpp"
#include "endgame/shallow_search.hpp"

namespace outflank {

// What orders moves where a subtree is large enough to pay for it. Neither is needed.
struct MoveOrdering {
    std::shared_ptr<const OrderingNetwork> network;  // within the search
    // Among equally good moves, EndgameSolver::best_move plays the one that this evaluator puts
    // first: a unit of its value counts as much as `weight` replies of the opponent.
    std::shared_ptr<const Evaluator> evaluator;
    double weight = 0;
};

namespace endgame {

inline constexpr int ORDER_BY_EVALUATOR = 13;  // from this many empty squares (docs/search.md)
// The unit of a move's key, in integers: one reply more for the opponent costs this much.
inline constexpr int REPLY = 16;

// The squares next to a set's, in all eight directions.
constexpr Bits neighbours(Bits set) {
    constexpr Bits INNER_ROWS = 0x00FFFFFFFFFFFF00ULL;
    const Bits along_rows = set & detail::INNER_COLUMNS;
    const Bits along_columns = set & INNER_ROWS;
    const Bits diagonal = along_rows & INNER_ROWS;
    return along_rows << 1 | along_rows >> 1 | along_columns << 8 | along_columns >> 8 |
           diagonal << 7 | diagonal >> 7 | diagonal << 9 | diagonal >> 9;
}

// Replies of the opponent, those in corners counting double.
inline int mobility(const Position& after) {
    const Bits replies = after.moves();
    return std::popcount(replies) + std::popcount(replies & CORNERS);
}

inline int key_of_square(const Node& node, int square) {
    return ((node.odd & bit(square)) != 0 ? REPLY / 2 : 0) +
           ((CORNERS & bit(square)) != 0 ? 3 * REPLY / 4 : 0);
}

// The order within the search.
class MoveOrder {
  public:
    MoveOrder(const OrderingNetwork* network, std::uint64_t& nodes)
        : network_(network), nodes_(nodes) {}

    // Moves known from the transposition table first; then fastest first: a move that leaves the
    // opponent few replies, now or later (empty squares next to the mover's discs), has a small
    // subtree and is often good. Parity is worth half a reply, taking a corner three quarters. The
    // weights gave the fewest nodes on endings of WTHOR games. visit(move) is called for each move.
    template <class Visit>
    void order(const Node& node, Index* indices, Bits legal, std::array<int, 2> known, Moves& moves,
               Visit visit) {
        for (Bits rest = legal; rest != 0; rest = without_lowest(rest)) {
            Move& move = moves.list[static_cast<std::size_t>(moves.count++)];
            const int square = lowest_square(rest);
            move.set(node.position, square,
                     flips(square, node.position.mover, node.position.opponent));
            visit(move);
            const Bits empty = ~(move.mover | move.opponent);
            const int open = std::popcount(neighbours(move.opponent) & empty);
            move.key =
                key_of_square(node, square) - REPLY * mobility(move.after()) - 3 * REPLY / 8 * open;
        }
        if (node.empties >= ORDER_BY_EVALUATOR && network_ != nullptr) {
            order_by_evaluator(node, indices, moves);
        }
        for (Move& move : moves.all()) {
            move.key = move.square == known[0]   ? 1 << 29
                       : move.square == known[1] ? 1 << 28
                                                 : move.key;
        }
    }

  private:
    // One ply, or two or three where the subtree is large. Two and a half discs are worth a reply.
    void order_by_evaluator(const Node& node, Index* indices, Moves& moves) {
        constexpr int TWO_PLIES = 17;
        constexpr int THREE_PLIES = 18;
        constexpr int VALUE_OF_REPLY = 5 * OrderingNetwork::DISC / 2;
        const int replies = node.empties >= THREE_PLIES ? 2 : node.empties >= TWO_PLIES ? 1 : 0;
        if (replies == 0) {
            OrderingNetwork::AfterMoves after(*network_, indices, 64 - node.empties);
            for (Move& move : moves.all()) {
                move.key += after.value(move.square, move.flipped) * REPLY / VALUE_OF_REPLY;
            }
            return;
        }
        ShallowSearch shallow(*network_, nodes_);
        for (Move& move : moves.all()) {
            const int value =
                shallow.value_after(node.position, indices, move.square, move.flipped, replies);
            move.key += value * REPLY / VALUE_OF_REPLY;
        }
    }

    const OrderingNetwork* network_;
    std::uint64_t& nodes_;
};

// The order of a root's moves: of equally good ones the first is played, so games that were played
// with a solver repeat as long as this does not change.
inline void order_root(const MoveOrdering& ordering, const Node& node, Moves& moves) {
    const MoveList list(node.position, node.position.moves());
    std::array<double, 64> values{};
    if (node.empties >= ORDER_BY_EVALUATOR && ordering.evaluator) {
        const auto seen = ordering.evaluator->accumulator();
        ordering.evaluator->values_after(*seen, Board::of(node.position, Colour::black), list,
                                         SeenAs::mover_is_black,
                                         {values.data(), static_cast<std::size_t>(list.count)});
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(list.count); ++i) {
        Move& move = moves.list[static_cast<std::size_t>(moves.count++)];
        move.set(node.position, list.squares[i], list.flipped[i]);
        move.key = key_of_square(node, move.square) - REPLY * mobility(move.after()) +
                   static_cast<int>(
                       std::lround(std::clamp(REPLY * ordering.weight * values[i], -1e6, 1e6)));
    }
}

}  // namespace endgame
}  // namespace outflank
