#include "search/minimax.hpp"

#include <limits>
#include <numeric>

#include "search/search.hpp"

namespace outflank {
namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr Bits EVERYWHERE = ~Bits{0};

// Indices 0..count-1, those of the larger values first.
std::array<std::uint8_t, 64> best_first(std::span<const double> values) {
    std::array<std::uint8_t, 64> order;  // filled up to the number of values
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(values.size());
    std::iota(order.begin(), end, std::uint8_t{0});
    std::stable_sort(order.begin(), end,
                     [&](std::uint8_t a, std::uint8_t b) { return values[a] > values[b]; });
    return order;
}

// Corners, or else the first three squares of a set.
Bits few_of(Bits set) {
    constexpr Bits CORNERS = 0x8100000000000081ULL;
    const Bits after_three = without_lowest(without_lowest(without_lowest(set)));
    return (set & CORNERS) != 0 ? set & CORNERS : set & ~after_three;
}

Board board_after(const Board& board, const MoveList& moves, std::size_t i) {
    return Board::of(board.position().play(moves.squares[i], moves.flipped[i]), other(board.mover));
}

// What the disc differences tell of moves' values, if each value lies within `distance` of its own.
struct Bounds {
    double least = -INFINITE;  // of the best value
    double most = -INFINITE;
    std::array<double, 64> upper;  // of each move's value

    Bounds(const Position& position, const MoveList& moves, double distance) {
        const int before = position.disc_difference_for_mover() + 1;
        for (std::size_t i = 0; i < static_cast<std::size_t>(moves.count); ++i) {
            upper[i] = before + 2 * std::popcount(moves.flipped[i]) + distance;
            most = std::max(most, upper[i]);
        }
        least = most - 2 * distance;
    }
};

// The squares of the moves whose values, or upper bounds of them, are not below `least`.
Bits squares_from(const MoveList& moves, std::span<const double> values, double least) {
    Bits squares = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(moves.count); ++i) {
        squares |= Bits{values[i] >= least} << moves.squares[i];
    }
    return squares;
}

Bits indices_of(const MoveList& moves, Bits squares) {
    Bits indices = 0;
    for (int i = 0; i < moves.count; ++i) {
        indices |= (squares >> moves.squares[static_cast<std::size_t>(i)] & 1) << i;
    }
    return indices;
}

bool is_single(Bits set) { return without_lowest(set) == 0; }

}  // namespace

void Minimax::judge(const Board& board, const MoveList& moves, std::span<double> values) {
    exact_ = true;
    search_moves(board, moves, values, INFINITE);
}

void Minimax::judge_best(const Board& board, const MoveList& moves, std::span<double> values) {
    exact_ = true;
    search_moves(board, moves, values, 2 * TIE);
}

// By bounds, then by estimates, then by exact values of the moves that are still open. Minimax of
// numbers that are each off by `error_` at most is off by no more, so a move that is worse than the
// best by more than twice that, and TIE, cannot tie with the best.
Bits Minimax::best_by_narrowing(const Board& board, const MoveList& moves) {
    Bits open = EVERYWHERE;
    if (depth_ == 1 && distance_ < INFINITE) {
        const Bounds bounds(board.position(), moves, distance_);
        open = squares_from(moves, bounds.upper, bounds.least - 2 * TIE);
    }
    if (error_ > 0 && !is_single(open)) {
        exact_ = false;
        open = nearly_best(board, moves, open, 2 * error_ + 2 * TIE);
    }
    if (!is_single(open)) {
        exact_ = true;
        open = nearly_best(board, moves, open, TIE);
    }
    return indices_of(moves, open);
}

// Of the moves to open squares, those within `margin` of the best.
Bits Minimax::nearly_best(const Board& board, const MoveList& moves, Bits open, double margin) {
    if (open != EVERYWHERE) {
        return nearly_best(board, {moves, open}, EVERYWHERE, margin);
    }
    MoveValues values(moves.count);
    search_moves(board, moves, values.span(), margin + TIE);
    return squares_from(moves, values.values, *std::ranges::max_element(values.span()) - margin);
}

// Values by minimax: exact for moves within `margin` of the best. Others get numbers below that.
void Minimax::search_moves(const Board& board, const MoveList& moves, std::span<double> values,
                           double margin) {
    evaluate(board, moves, values);
    if (depth_ == 1) {
        return;
    }
    const auto order = best_first(values);
    double best = -INFINITE;
    for (std::size_t k = 0; k < values.size(); ++k) {
        const std::size_t i = order[k];
        values[i] = -value_of(board_after(board, moves, i), depth_ - 1, -INFINITE, margin - best);
        best = std::max(best, values[i]);
    }
}

// What a board is worth to its mover, by alpha-beta over `plies`; a number outside alpha..beta
// tells no more than on which side the value is. A board at full depth is evaluated for the side
// that made the last move, as at one ply.
double Minimax::value_of(const Board& board, int plies, double alpha, double beta) {
    const Position position = board.position();
    if (const Bits legal = position.moves(); legal != 0) {
        return value_of_moves(board, legal, plies, alpha, beta);
    }
    if (const Bits legal = position.pass().moves(); legal != 0) {
        const Board passed = Board::of(position.pass(), other(board.mover));
        return -value_of_moves(passed, legal, plies, -beta, -alpha);
    }
    return static_cast<double>(value_of_result(position.disc_difference_for_mover()));
}

double Minimax::value_of_moves(const Board& board, Bits legal, int plies, double alpha,
                               double beta) {
    if (plies == 1) {
        return best_at_one_ply(board, legal, alpha, beta);
    }
    const MoveList moves(board.position(), legal);
    MoveValues values(moves.count);
    evaluate(board, moves, values.span());
    double best = -INFINITE;
    const auto order = best_first(values.span());
    for (std::size_t k = 0; k < values.span().size() && best < beta; ++k) {
        const Board next = board_after(board, moves, order[k]);
        best = std::max(best, -value_of(next, plies - 1, -beta, -std::max(alpha, best)));
    }
    return best;
}

// The last ply, where most evaluations happen: a few moves at a time until one causes a cut-off.
// The killer heuristic: the move that did so in the board before, a sibling, often does it again.
double Minimax::best_at_one_ply(const Board& board, Bits legal, double alpha, double beta) {
    Bits rest = legal;
    if (distance_ < INFINITE) {
        const MoveList all(board.position(), legal);
        const Bounds bounds(board.position(), all, distance_);
        if (bounds.least >= beta || bounds.most <= alpha) {
            return bounds.least >= beta ? bounds.least : bounds.most;
        }
        rest = squares_from(all, bounds.upper, std::max(alpha, bounds.least));
    }
    double best = -INFINITE;
    Bits next = beta == INFINITE ? rest : rest & killer_;
    for (; rest != 0 && best < beta; next = few_of(rest)) {
        if (next == 0) {
            continue;
        }
        const MoveList moves(board.position(), next);
        MoveValues values(moves.count);
        evaluate(board, moves, values.span());
        for (std::size_t i = 0; i < values.span().size(); ++i) {
            if (values.values[i] > best) {
                best = values.values[i];
                killer_ = bit(moves.squares[i]);
            }
        }
        rest &= ~next;
    }
    return best;
}

}  // namespace outflank
