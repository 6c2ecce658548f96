// One ply: the value of each move for the side that makes it, by the board after it.
#pragma once

#include <memory>

#include "evaluators/evaluator.hpp"
#include "rules/epsilon_othello.hpp"

namespace outflank {

// How evaluators serve both colours (Jaskowski 2014, section II-F).
//   inversion: see the board as if the mover were Black, maximise.
//   negation:  see the board as it is; Black maximises, White minimises.
//   doubled:   one evaluator per colour; each sees the board as it is and is maximised by its
//   colour.
enum class View : std::uint8_t { inversion, negation, doubled };

// Evaluators and how they are seen.
struct Judgement {
    // Null for the random player.
    std::shared_ptr<const Evaluator> for_black;
    std::shared_ptr<const Evaluator> for_white;
    View view = View::inversion;

    bool is_random() const { return !for_black; }
    const Evaluator* evaluator(Colour mover) const {
        return mover == Colour::black ? for_black.get() : for_white.get();
    }
};

// A judgement with its accumulators: one per thread.
class OnePly {
  public:
    explicit OnePly(const Judgement& judgement) : judgement_(judgement) {
        if (!judgement.is_random()) {
            black_seen_ = judgement.for_black->accumulator();
            white_seen_ = judgement.for_white->accumulator();
        }
    }

    // The moves' values for the mover.
    void judge(const Board& board, const MoveList& moves, std::span<double> values) {
        judge_by(&Evaluator::values_after, board, moves, values);
    }

    // The same by the evaluators' estimates, each off by estimate_error() at most.
    void estimate(const Board& board, const MoveList& moves, std::span<double> values) {
        judge_by(&Evaluator::estimates_after, board, moves, values);
    }
    double estimate_error() const {
        return judgement_.is_random() ? 0
                                      : std::max(judgement_.for_black->estimate_error(),
                                                 judgement_.for_white->estimate_error());
    }

    // How far a move's value for the mover may lie from the mover's discs minus the opponent's.
    double distance_from_disc_difference() const {
        return judgement_.is_random() || judgement_.view == View::doubled
                   ? std::numeric_limits<double>::infinity()
                   : std::max(judgement_.for_black->distance_from_disc_difference(),
                              judgement_.for_white->distance_from_disc_difference());
    }

  private:
    using ValuesOfMoves = decltype(&Evaluator::values_after);
    void judge_by(ValuesOfMoves values_of_moves, const Board& board, const MoveList& moves,
                  std::span<double> values) {
        const bool white = board.mover == Colour::white;
        const bool as_it_is = white && judgement_.view != View::inversion;
        // One evaluator for both colours needs only one accumulator, which is updated at every ply.
        const bool two_evaluators = judgement_.for_white != judgement_.for_black;
        auto& seen = white && two_evaluators ? *white_seen_ : *black_seen_;
        (judgement_.evaluator(board.mover)->*values_of_moves)(
            seen, board, moves, as_it_is ? SeenAs::mover_is_white : SeenAs::mover_is_black, values);
        if (as_it_is && judgement_.view == View::negation) {
            for (double& value : values) {
                value = -value;
            }
        }
    }

    const Judgement& judgement_;
    std::unique_ptr<Evaluator::Accumulator> black_seen_;
    std::unique_ptr<Evaluator::Accumulator> white_seen_;
};

}  // namespace outflank
