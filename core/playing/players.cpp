#include "playing/players.hpp"

namespace outflank {
namespace {

// Size of the solver's table by the empty squares it starts from: twice the entries per square,
// from 24 KB, which fit the L1 cache, to 96 MB per thread.
int table_bits(int empties) { return std::clamp(empties + 1, 10, 22); }

}  // namespace

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
    const Bits ties = minimax_.best_moves(game.board(), list);
    const auto best = static_cast<std::size_t>(game.one_of_ties(ties));
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
