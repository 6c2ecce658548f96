#include "td_learning.hpp"

#include "evaluators/hyperbolic.hpp"

namespace outflank {
namespace {

// A board whose value is to be updated, as the evaluator saw it.
struct Pending {
    Bits black = 0;
    Bits white = 0;
    Colour mover = Colour::black;  // the side that made the move that led to it
    double sign = 1;               // of the evaluator's value for that mover
    bool exists = false;
};

class TdLearner {
  public:
    TdLearner(Learnable& evaluator, std::span<const std::shared_ptr<Player>> opponents,
              const TdSettings& settings)
        : evaluator_(evaluator),
          settings_(settings),
          playing_(evaluator.accumulator()),
          learning_(evaluator.accumulator()) {
        for (const auto& opponent : opponents) {
            opponents_.push_back(opponent ? std::make_unique<SeatedPlayer>(*opponent) : nullptr);
        }
    }

    void play(std::uint64_t number) {
        alpha_ = static_cast<float>(alpha_of(number));
        squared_error_ = 0;
        OpenGame game(settings_.starts[number % settings_.starts.size()], settings_.seed, number);
        SeatedPlayer* opponent = nullptr;  // none: self-play
        if (!opponents_.empty()) {
            opponent = opponents_[static_cast<std::size_t>(
                                      game.generator.below(static_cast<int>(opponents_.size())))]
                           .get();
        }
        const Colour learner = number % 2 == 0 ? Colour::black : Colour::white;
        pending_ = {};
        steps_.clear();
        open_at_random(game);
        for (Bits moves = game.settle(); moves != 0; moves = game.settle()) {
            if (opponent == nullptr || game.mover == learner) {
                decide(game, moves);
            } else {
                const bool forced = is_forced(game.generator, settings_.opponent_epsilon);
                game.play(forced ? game.random_choice(moves) : opponent->choose(game, moves));
            }
        }
        finish(game, opponent == nullptr ? Colour::black : learner);
    }

    TdProgress progress;

  private:
    double alpha_of(std::uint64_t number) const {
        const double done = static_cast<double>(number) / static_cast<double>(settings_.games);
        return settings_.alpha + (settings_.final_alpha - settings_.alpha) * std::min(done, 1.0);
    }

    void open_at_random(OpenGame& game) const {
        if (settings_.random_plies == 0) {
            return;
        }
        const int plies = game.generator.below(settings_.random_plies + 1);
        for (int ply = 0; ply < plies; ++ply) {
            const Bits moves = game.settle();
            if (moves == 0) {
                return;
            }
            game.play(game.random_choice(moves));
        }
    }

    double squash(double raw) const {
        return portable_tanh(settings_.output == Output::tanh ? raw : 0.5 * raw);
    }

    // Evaluates the moves, plays one, and updates the pending board.
    void decide(OpenGame& game, Bits moves) {
        const Colour mover = game.mover;
        const bool as_it_is = mover == Colour::white && settings_.view == View::negation;
        const double sign = as_it_is ? -1 : 1;
        const MoveList list(game.position, moves);
        MoveValues values(list.count);
        evaluator_.values_after(*playing_, game.board(), list,
                                as_it_is ? SeenAs::mover_is_white : SeenAs::mover_is_black,
                                values.span());
        double mean = 0;
        for (double& value : values.span()) {
            value = sign * squash(value);
            mean += value;
        }
        mean /= list.count;
        const bool forced = is_forced(game.generator, settings_.epsilon);
        const int best = game.best_of(values.span());
        const int chosen = forced ? game.generator.below(list.count) : best;
        const double of_best = values.values[static_cast<std::size_t>(best)];
        const double expected = settings_.expected_target
                                    ? (1 - settings_.epsilon) * of_best + settings_.epsilon * mean
                                    : values.values[static_cast<std::size_t>(chosen)];
        game.play({list.squares[static_cast<std::size_t>(chosen)],
                   list.flipped[static_cast<std::size_t>(chosen)]});

        Pending& pending = pending_[chain_of(mover)];
        if (!settings_.final_board && game.is_over()) {
            if (pending.exists) {
                learn(pending, result_for(pending.mover, game));
            }
            pending = {};
            return;
        }
        if (pending.exists) {
            learn(pending, pending.mover == mover ? expected : -expected);
        }
        // The opponent is to move now: game.position.mover holds its discs.
        pending = as_it_is
                      ? Pending{game.position.mover, game.position.opponent, mover, sign, true}
                      : Pending{game.position.opponent, game.position.mover, mover, sign, true};
    }

    std::size_t chain_of(Colour mover) const {
        return settings_.successor == Successor::own && mover == Colour::white ? 1 : 0;
    }

    // TD(0) updates at once; TD(lambda) records the target for the end of the game.
    void learn(const Pending& board, double target) {
        if (settings_.lambda == 0) {
            update(board, target);
        } else {
            steps_.push_back({board, target});
        }
    }

    static double result_for(Colour side, const OpenGame& game) {
        const int black = game.disc_difference_for_black();
        const double result_for_black = black > 0 ? 1 : black < 0 ? -1 : 0;
        return side == Colour::black ? result_for_black : -result_for_black;
    }

    void finish(const OpenGame& game, Colour scored) {
        progress.points += 0.5 + 0.5 * result_for(scored, game);
        for (const Pending& last : pending_) {
            if (last.exists) {
                learn(last, result_for(last.mover, game));
            }
        }
        if (settings_.lambda > 0) {
            learn_from_returns(result_for(Colour::black, game));
        }
        // Rounded, so that the sum over games is exact, however they are batched.
        progress.squared_error += std::nearbyint(squared_error_ * 0x1.0p20) * 0x1.0p-20;
    }

    // G_k = (1 - lambda) target_k + lambda G_k+1 along each chain, from the end, where G is the
    // result.
    void learn_from_returns(double result_for_black) {
        std::array<double, 2> later{result_for_black, result_for_black};  // for Black
        for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
            const double to_black = step->board.mover == Colour::black ? 1 : -1;
            double& of_chain = later[chain_of(step->board.mover)];
            const double target =
                (1 - settings_.lambda) * step->target + settings_.lambda * to_black * of_chain;
            update(step->board, target);
            of_chain = to_black * target;
        }
    }

    // Sutton and Barto's gradient-descent TD; for tanh it is Lucas 2007 eq. 2.
    void update(const Pending& board, double target) {
        const double value =
            board.sign * squash(evaluator_.value(*learning_, board.black, board.white));
        const double error = target - value;
        const double slope = settings_.output == Output::tanh ? 1 - value * value : 1;
        evaluator_.nudge(*learning_, static_cast<float>(board.sign * error * slope), alpha_);
        squared_error_ += error * error;
        ++progress.updates;
    }

    struct Step {
        Pending board;
        double target;
    };

    Learnable& evaluator_;
    const TdSettings& settings_;
    std::unique_ptr<Evaluator::Accumulator> playing_;
    std::unique_ptr<Evaluator::Accumulator> learning_;
    std::vector<std::unique_ptr<SeatedPlayer>> opponents_;
    std::array<Pending, 2> pending_{};  // by chain
    std::vector<Step> steps_;           // of the present game, for TD(lambda)
    float alpha_ = 0;
    double squared_error_ = 0;  // of the present game
};

}  // namespace

TdProgress td_learn(Learnable& evaluator, std::span<const std::shared_ptr<Player>> opponents,
                    const TdSettings& settings, GameSpan games) {
    TdLearner learner(evaluator, opponents, settings);
    for (std::size_t i = 0; i < games.count; ++i) {
        learner.play(games.first + i);
    }
    return learner.progress;
}

}  // namespace outflank
