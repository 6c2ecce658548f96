#include "learning/preferences.hpp"

#include <cmath>

#include "evaluators/hyperbolic.hpp"
#include "rules/epsilon_othello.hpp"
#include "support/threads.hpp"

namespace outflank {
namespace {

// e^x for x <= 0 from tanh, which is the same on every machine: e^x = (1 + t) / (1 - t), t = tanh
// x/2.
double portable_exp(double x) {
    const double t = portable_tanh(std::max(x, -40.0) / 2);
    return (1 + t) / (1 - t);
}

// Learns the moves of one part.
class Student {
  public:
    Student(Learnable& evaluator, double alpha)
        : evaluator_(evaluator), alpha_(alpha), seen_(evaluator.accumulator()) {}

    void learn(const MadeMove& made, PreferenceProgress& progress) {
        const MoveList moves(made.position, made.position.moves());
        if (moves.count < 2) {
            return;
        }
        MoveValues values(moves.count);
        std::size_t chosen = 0;
        for (std::size_t i = 0; i < values.span().size(); ++i) {
            values.values[i] = value_after(made.position, moves, i);
            chosen = moves.squares[i] == made.square ? i : chosen;
        }
        count(values, chosen, progress);
        const double best = *std::ranges::max_element(values.span());
        double sum = 0;
        for (double& value : values.span()) {
            value = portable_exp(value - best);
            sum += value;
        }
        // Rounded: logarithms differ between machines in their last bit.
        const double loss = -std::log(values.values[chosen] / sum);
        progress.log_loss += std::nearbyint(loss * 0x1.0p20) * 0x1.0p-20;
        for (std::size_t i = 0; i < values.span().size() && alpha_ > 0; ++i) {
            const double wanted = i == chosen ? 1 : 0;
            value_after(made.position, moves, i);  // nudge is about the board seen last
            evaluator_.nudge(*seen_, static_cast<float>(wanted - values.values[i] / sum),
                             static_cast<float>(alpha_));
        }
    }

  private:
    double value_after(const Position& position, const MoveList& moves, std::size_t i) {
        const Position after = position.play(moves.squares[i], moves.flipped[i]);
        return evaluator_.value(*seen_, after.opponent, after.mover);
    }

    static void count(MoveValues& values, std::size_t chosen, PreferenceProgress& progress) {
        const Bits best = ties_for_best(values.span());
        ++progress.decisions;
        if ((best >> chosen & 1) != 0) {
            progress.predicted += 1.0 / std::popcount(best);
        }
    }

    Learnable& evaluator_;
    double alpha_;
    std::unique_ptr<Evaluator::Accumulator> seen_;
};

}  // namespace

PreferenceProgress learn_preferences(Learnable& evaluator, std::span<const MadeMove> moves,
                                     double alpha, int threads) {
    std::vector<std::vector<const MadeMove*>> parts(static_cast<std::size_t>(evaluator.parts()));
    for (const MadeMove& made : moves) {
        const int part = evaluator.part_of(made.position.discs() + 1);
        parts[static_cast<std::size_t>(part)].push_back(&made);
    }
    std::vector<PreferenceProgress> of_parts(parts.size());
    share_work(parts.size(), 1, threads, [&] {
        const auto student = std::make_shared<Student>(evaluator, alpha);
        return [&, student](std::size_t part) {
            for (const MadeMove* made : parts[part]) {
                student->learn(*made, of_parts[part]);
            }
        };
    });
    PreferenceProgress total;
    for (const PreferenceProgress& part : of_parts) {
        total.decisions += part.decisions;
        total.log_loss += part.log_loss;
        total.predicted += part.predicted;
    }
    return total;
}

}  // namespace outflank
