// A player: evaluators seen through a view. It judges each move by the board after it (one ply).
#pragma once

#include <memory>

#include "epsilon_othello.hpp"
#include "evaluators/evaluator.hpp"

namespace outflank {

// How evaluators serve both colours (Jaskowski 2014, section II-F).
//   inversion: see the board as if the mover were Black, maximise.
//   negation:  see the board as it is; Black maximises, White minimises.
//   doubled:   one evaluator a colour, each sees the board as it is and is maximised by its colour.
enum class View : std::uint8_t { inversion, negation, doubled };

struct Player {
    // Without evaluators, every move is as good as any other: the random player.
    std::shared_ptr<const Evaluator> for_black;
    std::shared_ptr<const Evaluator> for_white;
    View view = View::inversion;

    const Evaluator* evaluator(Colour mover) const {
        return mover == Colour::black ? for_black.get() : for_white.get();
    }
};

// A player at work in one thread: with what its evaluators remember of the boards they saw.
class SeatedPlayer {
  public:
    explicit SeatedPlayer(const Player& player) : player_(player) {
        if (player.for_black) {
            black_seen_ = player.for_black->accumulator();
            white_seen_ = player.for_white->accumulator();
        }
    }

    // The moves' values for the mover: the higher, the better.
    void judge(const Board& board, const MoveList& moves, std::span<double> values) {
        const bool white = board.mover == Colour::white;
        const bool as_it_is = white && player_.view != View::inversion;
        // With one evaluator for both colours one memory serves them, and stays fresh at every ply.
        const bool own_memory = white && player_.for_white != player_.for_black;
        auto& seen = own_memory ? *white_seen_ : *black_seen_;
        player_.evaluator(board.mover)
            ->values_after(seen, board, moves,
                           as_it_is ? SeenAs::mover_is_white : SeenAs::mover_is_black, values);
        if (as_it_is && player_.view == View::negation) {
            for (double& value : values) {
                value = -value;
            }
        }
    }

    // The move this player makes of its own will.
    Choice choose(OpenGame& game, Bits moves) {
        if (!player_.for_black) {
            return game.random_choice(moves);
        }
        const MoveList list(game.position, moves);
        MoveValues values(list.count);
        judge(game.board(), list, values.span());
        const auto best = static_cast<std::size_t>(best_of(values, game.generator));
        return {list.squares[best], list.flipped[best]};
    }

  private:
    const Player& player_;
    std::unique_ptr<Evaluator::Accumulator> black_seen_;
    std::unique_ptr<Evaluator::Accumulator> white_seen_;
};

}  // namespace outflank
