#include "players.hpp"

#include <limits>
#include <numeric>

namespace outflank {
namespace {

constexpr double INFINITE = std::numeric_limits<double>::infinity();

// Size of the solver's table by the empty squares it starts from: twice the entries per square,
// from 24 KB, which fit the L1 cache, to 96 MB per thread.
int table_bits(int empties) { return std::clamp(empties + 1, 10, 22); }

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

// What a board is worth to its mover, by alpha-beta (fail soft) over `plies`. A board at full depth
// is evaluated for the side that made the last move, as at one ply.
double SeatedPlayer::minimax(const Board& board, int plies, double alpha, double beta) {
    const Position position = board.position();
    if (const Bits legal = position.moves(); legal != 0) {
        return minimax_of_moves(board, legal, plies, alpha, beta);
    }
    if (const Bits legal = position.pass().moves(); legal != 0) {
        const Board passed = Board::of(position.pass(), other(board.mover));
        return -minimax_of_moves(passed, legal, plies, -beta, -alpha);
    }
    return static_cast<double>(value_of_result(position.disc_difference_for_mover()));
}

double SeatedPlayer::minimax_of_moves(const Board& board, Bits legal, int plies, double alpha,
                                      double beta) {
    if (plies == 1) {
        return best_at_one_ply(board, legal, beta);
    }
    const MoveList moves(board.position(), legal);
    MoveValues values(moves.count);
    one_ply_.judge(board, moves, values.span());
    double best = -INFINITE;
    const auto order = best_first(values.span());
    for (std::size_t k = 0; k < values.span().size() && best < beta; ++k) {
        const Board next = board_after(board, moves, order[k]);
        best = std::max(best, -minimax(next, plies - 1, -beta, -std::max(alpha, best)));
    }
    return best;
}

// The last ply, where most evaluations happen: a few moves at a time until one causes a cut-off.
// The killer heuristic: the move that did so in the board before, a sibling, often does it again.
double SeatedPlayer::best_at_one_ply(const Board& board, Bits legal, double beta) {
    double best = -INFINITE;
    Bits next = beta == INFINITE ? legal : legal & killer_;
    for (Bits rest = legal; rest != 0 && best < beta; next = few_of(rest)) {
        if (next == 0) {
            continue;
        }
        const MoveList moves(board.position(), next);
        MoveValues values(moves.count);
        one_ply_.judge(board, moves, values.span());
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

// Values by minimax: exact for all moves, or only for those within TIE of the best. Others then get
// an upper bound that is too low to be chosen, so alpha-beta chooses as plain minimax does, ties
// included.
void SeatedPlayer::search_moves(const Board& board, const MoveList& moves, std::span<double> values,
                                bool all_exact) {
    one_ply_.judge(board, moves, values);
    if (player_.depth == 1) {
        return;
    }
    const auto order = best_first(values);
    double best = -INFINITE;
    for (std::size_t k = 0; k < values.size(); ++k) {
        const std::size_t i = order[k];
        const double alpha = all_exact ? -INFINITE : best - 2 * TIE;
        values[i] = -minimax(board_after(board, moves, i), player_.depth - 1, -INFINITE, -alpha);
        best = std::max(best, values[i]);
    }
}

void SeatedPlayer::judge(const Board& board, const MoveList& moves, std::span<double> values) {
    search_moves(board, moves, values, true);
}

Choice SeatedPlayer::choose(OpenGame& game, Bits moves) {
    if (player_.book) {
        if (const auto choice = book_choice(game, moves)) {
            return *choice;
        }
    }
    if (64 - game.position.discs() <= player_.perfect_from()) {
        return solved_choice(game);
    }
    if (player_.judgement.is_random()) {
        return game.random_choice(moves);
    }
    if (player_.nodes > 0) {
        return searched_choice(game);
    }
    const MoveList list(game.position, moves);
    MoveValues values(list.count);
    search_moves(game.board(), list, values.span(), false);
    const auto best = static_cast<std::size_t>(best_of(values.span(), game.generator));
    return {list.squares[best], list.flipped[best]};
}

std::optional<Choice> SeatedPlayer::book_choice(OpenGame& game, Bits moves) const {
    std::array<BookMove, 64> known;
    const int found = player_.book->moves(game.position, moves, known);
    if (found == 0) {
        return std::nullopt;
    }
    const int among = std::min(found, player_.book_best);
    const int chosen = among == 1 ? 0 : game.generator.below(among);
    return game.choice(known[static_cast<std::size_t>(chosen)].square);
}

Choice SeatedPlayer::solved_choice(OpenGame& game) {
    if (!solver_) {
        solver_ = std::make_unique<EndgameSolver>(table_bits(player_.perfect_from()),
                                                  player_.ordering, 1);
    }
    return game.choice(solver_->best_move(game.position));
}

Choice SeatedPlayer::searched_choice(OpenGame& game) {
    if (!searcher_) {
        searcher_ = std::make_unique<Searcher>(player_.judgement, player_.search);
    }
    const SearchReport report =
        searcher_->search(game.board(), {.depth = player_.depth, .nodes = player_.nodes});
    return game.choice(report.moves.front().square);
}

}  // namespace outflank
