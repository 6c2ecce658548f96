#include "minimax.hpp"

#include <limits>
#include <numeric>

#include "search.hpp"

namespace outflank {
namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();

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

}  // namespace

void Minimax::judge(const Board& board, const MoveList& moves, std::span<double> values) {
    exact_ = true;
    search_moves(board, moves, values, INFINITE);
}

// By estimates first. Minimax of numbers that are each off by `error_` at most is off by no more,
// so a move that is worse than the best by more than twice that, and TIE, cannot tie with the best.
// The others, if there are several, are searched again with exact values.
void Minimax::compare(const Board& board, const MoveList& moves, std::span<double> values) {
    exact_ = error_ == 0;
    search_moves(board, moves, values, 2 * error_ + 2 * TIE);
    if (exact_) {
        return;
    }
    const double least = *std::ranges::max_element(values) - (2 * error_ + 2 * TIE);
    Bits open = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        open |= values[i] >= least ? bit(moves.squares[i]) : 0;
    }
    if (without_lowest(open) == 0) {
        return;
    }
    exact_ = true;
    const MoveList few(board.position(), open);
    MoveValues exact(few.count);
    search_moves(board, few, exact.span(), 2 * TIE);
    for (std::size_t i = 0, k = 0; i < values.size(); ++i) {
        values[i] = (open & bit(moves.squares[i])) != 0 ? exact.values[k++] : -INFINITE;
    }
}

void Minimax::evaluate(const Board& board, const MoveList& moves, std::span<double> values) {
    if (exact_) {
        one_ply_.judge(board, moves, values);
    } else {
        one_ply_.estimate(board, moves, values);
    }
}

// Values by minimax: exact for moves within `margin` of the best. Others get an upper bound that is
// lower than that.
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

// What a board is worth to its mover, by alpha-beta (fail soft) over `plies`. A board at full depth
// is evaluated for the side that made the last move, as at one ply.
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
        return best_at_one_ply(board, legal, beta);
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
double Minimax::best_at_one_ply(const Board& board, Bits legal, double beta) {
    double best = -INFINITE;
    Bits next = beta == INFINITE ? legal : legal & killer_;
    for (Bits rest = legal; rest != 0 && best < beta; next = few_of(rest)) {
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
