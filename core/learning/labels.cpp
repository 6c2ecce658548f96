#include "learning/labels.hpp"

#include "endgame/last_squares.hpp"
#include "endgame/solver.hpp"
#include "search/minimax.hpp"
#include "search/search.hpp"
#include "support/threads.hpp"

namespace outflank {
namespace {

// Searches or solves; one per thread.
class Labeller {
  public:
    Labeller(const Judgement& judgement, int depth, int solved)
        : minimax_(judgement, depth), solved_(solved) {
        if (solved > 0) {
            solver_ = std::make_unique<EndgameSolver>(SOLVER_BITS, MoveOrdering{}, 1);
        }
    }

    double discs_for_mover(const Position& position) {
        if (solver_ != nullptr && 64 - position.discs() <= solved_) {
            return solver_->solve(position).score;
        }
        if (const Bits legal = position.moves(); legal != 0) {
            return searched(position, legal);
        }
        const Position passed = position.pass();
        const Bits legal = passed.moves();
        return legal != 0 ? -searched(passed, legal)
                          : static_cast<double>(final_score(position.mover, position.opponent));
    }

  private:
    static constexpr int SOLVER_BITS = 16;  // 2 MB

    double searched(const Position& position, Bits legal) {
        const MoveList moves(position, legal);
        MoveValues values(moves.count);
        minimax_.judge_best(Board::of(position, Colour::black), moves, values.span());
        return in_discs(*std::ranges::max_element(values.span()));
    }

    // A search may return the value of a finished game (value_of_result); no score exceeds 64.
    static double in_discs(double value) {
        const double won = double{WON_GAME};
        const double discs = std::abs(value) < 0.5 * won ? value
                             : value > 0                 ? value - won
                                                         : value + won;
        return std::clamp(discs, -64.0, 64.0);
    }

    Minimax minimax_;
    int solved_;
    std::unique_ptr<EndgameSolver> solver_;
};

Judgement judgement_of(const std::shared_ptr<const Evaluator>& evaluator) {
    return {evaluator, evaluator, View::inversion};
}

// Plays games and labels their boards; one per thread.
class Actor {
  public:
    Actor(const Judgement& judgement, const LabelSettings& settings)
        : settings_(settings),
          choosing_(judgement, settings.play_depth),
          labeller_(judgement, settings.depth, settings.solved) {
        for (const auto& opponent : settings.opponents) {
            opponents_.push_back(opponent ? std::make_unique<SeatedPlayer>(*opponent) : nullptr);
        }
    }

    std::vector<Example> play(std::uint64_t number) {
        std::vector<Example> examples;
        OpenGame game(settings_.starts[number % settings_.starts.size()], settings_.seed, number);
        int random =
            settings_.random_plies == 0 ? 0 : game.generator.below(settings_.random_plies + 1);
        opponent_ = opponents_.empty() ? nullptr
                                       : opponents_[static_cast<std::size_t>(game.generator.below(
                                                        static_cast<int>(opponents_.size())))]
                                             .get();
        opponents_colour_ = number % 2 == 0 ? Colour::white : Colour::black;
        for (Bits legal = game.settle(); legal != 0; legal = game.settle()) {
            const int left = 63 - game.position.discs();  // empty squares after the move
            if (left < settings_.fewest_empties) {
                break;
            }
            const bool labelled = left <= settings_.most_empties;
            if (labelled && is_forced(game.generator, settings_.side_moves)) {
                examples.push_back(example_after(game.position, game.random_choice(legal)));
            }
            const Choice chosen = random > 0 ? game.random_choice(legal) : choose(game, legal);
            --random;
            if (labelled) {
                examples.push_back(example_after(game.position, chosen));
            }
            game.play(chosen);
        }
        return examples;
    }

  private:
    Choice choose(OpenGame& game, Bits legal) {
        if (is_forced(game.generator, settings_.epsilon)) {
            return game.random_choice(legal);
        }
        if (opponent_ != nullptr && game.mover == opponents_colour_) {
            return opponent_->choose(game, legal);
        }
        const MoveList moves(game.position, legal);
        const int best = game.one_of_ties(choosing_.best_moves(game.board(), moves));
        return {moves.squares[static_cast<std::size_t>(best)],
                moves.flipped[static_cast<std::size_t>(best)]};
    }

    Example example_after(const Position& position, const Choice& choice) {
        const Position after = position.play(choice.square, choice.flipped);
        return {after.opponent, after.mover, static_cast<float>(-labeller_.discs_for_mover(after))};
    }

    const LabelSettings& settings_;
    Minimax choosing_;
    Labeller labeller_;
    std::vector<std::unique_ptr<SeatedPlayer>> opponents_;
    SeatedPlayer* opponent_ = nullptr;  // of this game; none: the evaluator plays both sides
    Colour opponents_colour_ = Colour::white;
};

}  // namespace

std::vector<Example> label_games(const std::shared_ptr<const Evaluator>& evaluator,
                                 const LabelSettings& settings, GameSpan games, int threads) {
    const Judgement judgement = judgement_of(evaluator);
    std::vector<std::vector<Example>> of_games(games.count);
    share_work(games.count, 1, threads, [&] {
        const auto actor = std::make_shared<Actor>(judgement, settings);
        return [&, actor](std::size_t i) { of_games[i] = actor->play(games.first + i); };
    });
    std::vector<Example> examples;
    for (const auto& some : of_games) {
        examples.insert(examples.end(), some.begin(), some.end());
    }
    return examples;
}

std::vector<float> label_positions(const std::shared_ptr<const Evaluator>& evaluator, int depth,
                                   int solved, std::span<const Position> positions, int threads) {
    const Judgement judgement = judgement_of(evaluator);
    std::vector<float> labels(positions.size());
    share_work(positions.size(), 1, threads, [&] {
        const auto labeller = std::make_shared<Labeller>(judgement, depth, solved);
        return [&, labeller](std::size_t i) {
            labels[i] = static_cast<float>(labeller->discs_for_mover(positions[i]));
        };
    });
    return labels;
}

}  // namespace outflank
