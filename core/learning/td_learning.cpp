#include "learning/td_learning.hpp"

#include "endgame/solver.hpp"
#include "evaluators/hyperbolic.hpp"
#include "search/minimax.hpp"
#include "search/search.hpp"
#include "support/threads.hpp"

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

// Values from -1 to 1, as they are learned.
class Squash {
  public:
    explicit Squash(const TdSettings& settings)
        : factor_(settings.output == Output::tanh       ? 1
                  : settings.output == Output::logistic ? 0.5
                                                        : 0.5 / settings.disc_unit),
          by_discs_(settings.output == Output::discs) {}
    double operator()(double raw) const { return portable_tanh(factor_ * raw); }
    // The first `count` values. Eight at a time, which compiles to vectors; up to seven behind them
    // change too.
    static constexpr std::size_t AT_ONCE = 8;
    void all(double* values, std::size_t count) const {
        for (std::size_t first = 0; first < count; first += AT_ONCE) {
            for (std::size_t i = first; i < first + AT_ONCE; ++i) {
                values[i] = (*this)(values[i]);
            }
        }
    }
    // Of a value by minimax, which may be that of a finished game (value_of_result).
    double of_search(double value) const {
        if (std::abs(value) < 0.5 * double{WON_GAME}) {
            return (*this)(value);
        }
        return of_result(
            static_cast<int>(value > 0 ? value - double{WON_GAME} : value + double{WON_GAME}));
    }
    double of_result(int disc_difference) const {
        if (by_discs_) {
            return (*this)(disc_difference);
        }
        return disc_difference > 0 ? 1 : disc_difference < 0 ? -1 : 0;
    }

  private:
    double factor_;
    bool by_discs_;
};

// Moves the value of a board towards its target.
class Updater {
  public:
    Updater(Learnable& evaluator, const TdSettings& settings)
        : evaluator_(evaluator),
          settings_(settings),
          squash_(settings),
          seen_(evaluator.accumulator()) {}

    void update(const Lesson& lesson, std::uint64_t game) {
        const double value = squash_(evaluator_.value(*seen_, lesson.black, lesson.white));
        update(lesson, game, *seen_, value);
    }
    // `seen`: through which the lesson's board was last seen; `squashed`: its value. Sutton and
    // Barto's gradient-descent TD; for tanh it is Lucas 2007 eq. 2. The loss of discs is that of
    // logistic values, in units of s discs.
    void update(const Lesson& lesson, std::uint64_t game, Evaluator::Accumulator& seen,
                double squashed) {
        const double value = lesson.sign * squashed;
        const double error = lesson.target - value;
        const double slope = settings_.output == Output::tanh    ? 1 - value * value
                             : settings_.output == Output::discs ? settings_.disc_unit
                                                                 : 1;
        evaluator_.nudge(seen, static_cast<float>(lesson.sign * error * slope), alpha_of(game));
        squared_error_ += error * error;
        ++updates_;
    }

    // Adds what was learned since the last call. Rounded, so that sums over games and parts are
    // exact, however they are batched.
    void report(TdProgress& progress) {
        progress.squared_error += std::nearbyint(squared_error_ * 0x1.0p20) * 0x1.0p-20;
        progress.updates += updates_;
        squared_error_ = 0;
        updates_ = 0;
    }

  private:
    float alpha_of(std::uint64_t game) const {
        const double done = static_cast<double>(game) / static_cast<double>(settings_.games);
        return static_cast<float>(settings_.alpha +
                                  (settings_.final_alpha - settings_.alpha) * std::min(done, 1.0));
    }

    Learnable& evaluator_;
    const TdSettings& settings_;
    Squash squash_;
    std::unique_ptr<Evaluator::Accumulator> seen_;
    double squared_error_ = 0;
    std::uint64_t updates_ = 0;
};

// Plays games and finds their targets. Its evaluator may learn between two decisions.
class Actor {
  public:
    Actor(const Learnable& evaluator, std::span<const std::shared_ptr<Player>> opponents,
          const TdSettings& settings)
        : evaluator_(evaluator),
          settings_(settings),
          squash_(settings),
          playing_(evaluator.accumulator()),
          after_{evaluator.accumulator(), evaluator.accumulator()} {
        for (const auto& opponent : opponents) {
            opponents_.push_back(opponent ? std::make_unique<SeatedPlayer>(*opponent) : nullptr);
        }
        if (settings.depth > 1) {
            // Not owned: the evaluator outlives the actor.
            judgement_.for_black = {std::shared_ptr<const Evaluator>{}, &evaluator};
            judgement_.for_white = judgement_.for_black;
            judgement_.view = settings.view;
            minimax_ = std::make_unique<Minimax>(judgement_, settings.depth);
        }
        if (settings.solved > 0) {
            solver_ = std::make_unique<EndgameSolver>(SOLVER_BITS, MoveOrdering{}, 1);
        }
    }

    // `learner`: learns each lesson of TD(0) at once; without it, lessons are those of the finished
    // game.
    PlayedGame play(std::uint64_t number, Updater* learner = nullptr) {
        OpenGame game(settings_.starts[number % settings_.starts.size()], settings_.seed, number);
        SeatedPlayer* opponent = nullptr;  // none: self-play
        if (!opponents_.empty()) {
            opponent = opponents_[static_cast<std::size_t>(
                                      game.generator.below(static_cast<int>(opponents_.size())))]
                           .get();
        }
        const Colour side = number % 2 == 0 ? Colour::black : Colour::white;
        learner_ = learner;
        number_ = number;
        pending_ = {};
        played_ = {};
        movers_.clear();
        open_at_random(game);
        for (Bits moves = game.settle(); moves != 0; moves = game.settle()) {
            if (opponent == nullptr || game.mover == side) {
                decide(game, moves);
            } else {
                const bool forced = is_forced(game.generator, settings_.opponent_epsilon);
                game.play(forced ? game.random_choice(moves) : opponent->choose(game, moves));
            }
        }
        finish(game, opponent == nullptr ? Colour::black : side);
        return std::move(played_);
    }

  private:
    static constexpr int SOLVER_BITS = 14;  // 400 kB: `solved` is at most 20

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

    // Evaluates the moves, plays one, and finds the pending board's target.
    void decide(OpenGame& game, Bits moves) {
        const Colour mover = game.mover;
        const bool as_it_is = mover == Colour::white && settings_.view == View::negation;
        const double sign = as_it_is ? -1 : 1;
        const MoveList list(game.position, moves);
        const std::size_t chain = chain_of(mover);
        const std::span<const double> values = judge(game.board(), list, as_it_is, chain);
        double mean = 0;
        for (const double value : values) {
            mean += value;
        }
        mean /= list.count;
        const bool forced = is_forced(game.generator, settings_.epsilon);
        const int best = game.best_of(values);
        const int chosen = forced ? game.generator.below(list.count) : best;
        const double of_best = values[static_cast<std::size_t>(best)];
        const double e = settings_.target_epsilon;
        double expected = settings_.expected_target ? (1 - e) * of_best + e * mean
                                                    : values[static_cast<std::size_t>(chosen)];
        if (64 - game.position.discs() <= settings_.solved) {
            expected = squash_.of_result(solver_->solve(game.position).score);
        }
        const Board board = game.board();
        const Choice move{list.squares[static_cast<std::size_t>(chosen)],
                          list.flipped[static_cast<std::size_t>(chosen)]};
        game.play(move);

        Pending& pending = pending_[chain];
        if (!settings_.final_board && game.is_over()) {
            if (pending.exists) {
                teach(chain, result_for(pending.mover, game), squashed_[0]);
            }
            pending = {};
            return;
        }
        if (pending.exists && (settings_.random_moves_teach || !forced)) {
            teach(chain, pending.mover == mover ? expected : -expected, squashed_[0]);
        }
        // The opponent is to move now: game.position.mover holds its discs.
        pending = as_it_is
                      ? Pending{game.position.mover, game.position.opponent, mover, sign, true}
                      : Pending{game.position.opponent, game.position.mover, mover, sign, true};
        if (learner_ != nullptr) {
            evaluator_.follow(*playing_, board, list, static_cast<std::size_t>(chosen),
                              seen_as(as_it_is), *after_[chain]);
        }
    }

    // The moves' squashed values for the mover; and that of the chain's pending board, which no
    // lesson changes until it learns: together, because a tanh is a long wait.
    std::span<const double> judge(const Board& board, const MoveList& list, bool as_it_is,
                                  std::size_t chain) {
        const auto count = static_cast<std::size_t>(list.count);
        const std::span values = std::span(squashed_).subspan(1, count);
        if (minimax_) {
            if (settings_.expected_target && settings_.target_epsilon == 0) {
                minimax_->judge_best(board, list, values);
            } else {
                minimax_->judge(board, list, values);
            }
            std::ranges::transform(values, values.begin(),
                                   [&](double value) { return squash_.of_search(value); });
            squashed_[0] = squash_(pending_value(chain));
            return values;
        }
        evaluator_.values_after(*playing_, board, list, seen_as(as_it_is), values);
        squashed_[0] = pending_value(chain);
        squash_.all(squashed_.data(), 1 + count);
        if (as_it_is) {
            for (double& value : values) {
                value = -value;
            }
        }
        return values;
    }
    // Where lessons are learned at once.
    double pending_value(std::size_t chain) const {
        const Pending& board = pending_[chain];
        return learner_ != nullptr && board.exists
                   ? evaluator_.value(*after_[chain], board.black, board.white)
                   : 0;
    }
    static SeenAs seen_as(bool as_it_is) {
        return as_it_is ? SeenAs::mover_is_white : SeenAs::mover_is_black;
    }

    std::size_t chain_of(Colour mover) const {
        return settings_.successor == Successor::own && mover == Colour::white ? 1 : 0;
    }

    // What the pending board of a chain should be worth, and what it is worth where lessons are
    // learned at once.
    void teach(std::size_t chain, double target, double squashed) {
        const Pending& board = pending_[chain];
        const Lesson lesson{board.black, board.white, board.sign, target};
        if (learner_ != nullptr) {
            learner_->update(lesson, number_, *after_[chain], squashed);
            return;
        }
        played_.lessons.push_back(lesson);
        movers_.push_back(board.mover);
    }

    double result_for(Colour side, const OpenGame& game) const {
        const int black = game.disc_difference_for_black();
        return squash_.of_result(side == Colour::black ? black : -black);
    }

    void finish(const OpenGame& game, Colour scored) {
        const int black = game.disc_difference_for_black();
        const int difference = scored == Colour::black ? black : -black;
        played_.points = difference > 0 ? 1 : difference < 0 ? 0 : 0.5;
        for (std::size_t chain = 0; chain < pending_.size(); ++chain) {
            if (pending_[chain].exists) {
                teach(chain, result_for(pending_[chain].mover, game),
                      squash_(pending_value(chain)));
            }
        }
        if (settings_.lambda > 0) {
            mix_returns(result_for(Colour::black, game));
        }
    }

    // G_k = (1 - lambda) target_k + lambda G_k+1 along each chain, from the end, where G is the
    // result. Learned in this order.
    void mix_returns(double result_for_black) {
        std::array<double, 2> later{result_for_black, result_for_black};  // for Black
        std::ranges::reverse(played_.lessons);
        for (Lesson& lesson : played_.lessons) {
            const Colour mover = movers_.back();
            movers_.pop_back();
            const double to_black = mover == Colour::black ? 1 : -1;
            double& of_chain = later[chain_of(mover)];
            lesson.target =
                (1 - settings_.lambda) * lesson.target + settings_.lambda * to_black * of_chain;
            of_chain = to_black * lesson.target;
        }
    }

    const Learnable& evaluator_;
    const TdSettings& settings_;
    Squash squash_;
    std::unique_ptr<Evaluator::Accumulator> playing_;
    // See the pending boards, by chain, where lessons are learned at once.
    std::array<std::unique_ptr<Evaluator::Accumulator>, 2> after_;
    std::vector<std::unique_ptr<SeatedPlayer>> opponents_;
    Judgement judgement_;
    std::unique_ptr<Minimax> minimax_;  // none: one ply
    std::unique_ptr<EndgameSolver> solver_;
    std::array<Pending, 2> pending_{};  // by chain
    // Of the pending board and of the moves; with room for what Squash::all changes.
    alignas(64) std::array<double, 1 + 64 + Squash::AT_ONCE> squashed_{};
    PlayedGame played_;
    std::vector<Colour> movers_;  // of each lesson
    Updater* learner_ = nullptr;  // of the game under way
    std::uint64_t number_ = 0;
};

// Game after game; TD(0) learns within a game.
TdProgress learn_in_turn(Learnable& evaluator, std::span<const std::shared_ptr<Player>> opponents,
                         const TdSettings& settings, GameSpan games) {
    Actor actor(evaluator, opponents, settings);
    Updater updater(evaluator, settings);
    TdProgress progress;
    for (std::uint64_t number = games.first; number < games.first + games.count; ++number) {
        const PlayedGame played = actor.play(number, settings.lambda == 0 ? &updater : nullptr);
        for (const Lesson& lesson : played.lessons) {
            updater.update(lesson, number);
        }
        progress.points += played.points;
        updater.report(progress);
    }
    return progress;
}

// The lessons of a batch by parts of the evaluator that have no weight in common (the stages of a
// network): parts are learned at once, each in the order of games.
struct LessonOfGame {
    const Lesson* lesson;
    std::uint64_t game;
};

std::vector<std::vector<LessonOfGame>> by_part(const Learnable& evaluator, std::uint64_t first,
                                               std::span<const PlayedGame> played) {
    std::vector<std::vector<LessonOfGame>> parts(static_cast<std::size_t>(evaluator.parts()));
    for (std::size_t i = 0; i < played.size(); ++i) {
        for (const Lesson& lesson : played[i].lessons) {
            const int part = evaluator.part_of(std::popcount(lesson.black | lesson.white));
            parts[static_cast<std::size_t>(part)].push_back({&lesson, first + i});
        }
    }
    return parts;
}

}  // namespace

std::vector<PlayedGame> td_play(const Learnable& evaluator,
                                std::span<const std::shared_ptr<Player>> opponents,
                                const TdSettings& settings, GameSpan games, int threads) {
    std::vector<PlayedGame> played(games.count);
    share_work(games.count, 1, threads, [&] {
        const auto actor = std::make_shared<Actor>(evaluator, opponents, settings);
        return [&, actor](std::size_t i) { played[i] = actor->play(games.first + i); };
    });
    return played;
}

TdProgress td_learn_from(Learnable& evaluator, const TdSettings& settings, std::uint64_t first,
                         std::span<const PlayedGame> played, int threads) {
    const auto parts = by_part(evaluator, first, played);
    std::vector<TdProgress> of_parts(parts.size());
    share_work(parts.size(), 1, threads, [&] {
        const auto updater = std::make_shared<Updater>(evaluator, settings);
        return [&, updater](std::size_t part) {
            for (const LessonOfGame& given : parts[part]) {
                updater->update(*given.lesson, given.game);
                updater->report(of_parts[part]);
            }
        };
    });
    TdProgress progress;
    for (const PlayedGame& game : played) {
        progress.points += game.points;
    }
    for (const TdProgress& part : of_parts) {
        progress.updates += part.updates;
        progress.squared_error += part.squared_error;
    }
    return progress;
}

TdProgress td_learn(Learnable& evaluator, std::span<const std::shared_ptr<Player>> opponents,
                    const TdSettings& settings, GameSpan games, int threads) {
    if (settings.batch == 1) {
        return learn_in_turn(evaluator, opponents, settings, games);
    }
    TdProgress total;
    for (std::size_t done = 0; done < games.count; done += settings.batch) {
        const std::uint64_t first = games.first + done;
        const GameSpan batch{first, std::min(settings.batch, games.count - done)};
        const auto played = td_play(evaluator, opponents, settings, batch, threads);
        const auto learned = td_learn_from(evaluator, settings, first, played, threads);
        total.updates += learned.updates;
        total.squared_error += learned.squared_error;
        total.points += learned.points;
    }
    return total;
}

}  // namespace outflank
