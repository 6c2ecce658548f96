#include "playing/games_in_step.hpp"

#include "support/errors.hpp"

namespace outflank {

GamesInStep::GamesInStep(MatchRules rules, GameSpan games, bool record)
    : rules_(std::move(rules)),
      games_(games),
      record_(record),
      disc_differences_(games.count),
      moves_(record ? games.count * LONGEST_GAME : 0, NO_MOVE) {
    live_.reserve(games.count);
    for (std::size_t i = 0; i < games.count; ++i) {
        LiveGame live{games.first + i, rules_.open(games.first + i), 0, 0};
        if (settle(live)) {
            live_.push_back(live);
        }
    }
}

// Passes and plays forced random moves until the game waits for its mover (true) or is over
// (false).
bool GamesInStep::settle(LiveGame& live) {
    for (;;) {
        live.moves = live.game.settle();
        if (live.moves == 0) {
            disc_differences_[live.number - games_.first] =
                static_cast<std::int8_t>(rules_.disc_difference_for_first(live.number, live.game));
            return false;
        }
        if (!is_forced(live.game.generator,
                       rules_.epsilon[rules_.turn(live.number, live.game.mover)])) {
            return true;
        }
        play(live, live.game.random_choice(live.moves));
    }
}

void GamesInStep::play(LiveGame& live, const Choice& choice) {
    if (record_ && live.ply < LONGEST_GAME) {
        moves_[(live.number - games_.first) * LONGEST_GAME + live.ply++] =
            static_cast<std::uint8_t>(choice.square);
    }
    live.game.play(choice);
}

void GamesInStep::gather(std::size_t turn) {
    waiting_.clear();
    for (std::size_t i = 0; i < live_.size(); ++i) {
        if (rules_.turn(live_[i].number, live_[i].game.mover) == turn) {
            waiting_.push_back(i);
        }
    }
}

std::vector<Board> GamesInStep::waiting_boards() const {
    std::vector<Board> boards;
    boards.reserve(waiting_.size());
    for (const std::size_t i : waiting_) {
        boards.push_back(live_[i].game.board());
    }
    return boards;
}

Afterstates GamesInStep::afterstates() const {
    Afterstates all;
    for (const std::size_t i : waiting_) {
        all.add(live_[i].game.position, live_[i].game.mover, live_[i].moves);
    }
    return all;
}

void GamesInStep::answer_values(std::span<const double> values) {
    std::size_t next = 0;
    for (const std::size_t i : waiting_) {
        next += static_cast<std::size_t>(std::popcount(live_[i].moves));
    }
    if (next != values.size()) {
        fail("there must be one value for each afterstate");
    }
    next = 0;
    std::vector<std::uint8_t> squares;
    squares.reserve(waiting_.size());
    for (const std::size_t i : waiting_) {
        const auto count = static_cast<std::size_t>(std::popcount(live_[i].moves));
        const int choice = live_[i].game.best_of(values.subspan(next, count));
        squares.push_back(static_cast<std::uint8_t>(nth_square(live_[i].moves, choice)));
        next += count;
    }
    answer_squares(squares);
}

void GamesInStep::answer_squares(std::span<const std::uint8_t> squares) {
    if (squares.size() != waiting_.size()) {
        fail("there must be one square for each waiting game");
    }
    for (std::size_t k = 0; k < squares.size(); ++k) {
        if (squares[k] > 63 || (live_[waiting_[k]].moves & bit(squares[k])) == 0) {
            fail("a player chose a square that is not a legal move");
        }
    }
    for (std::size_t k = 0; k < squares.size(); ++k) {
        LiveGame& live = live_[waiting_[k]];
        play(live, live.game.choice(squares[k]));
        live.moves = settle(live) ? live.moves : 0;
    }
    waiting_.clear();
    std::erase_if(live_, [](const LiveGame& live) { return live.moves == 0; });
}

void GamesInStep::answer_by(const std::shared_ptr<const Player>& player) {
    auto seat = std::ranges::find(seats_, player, &Seat::player);
    if (seat == seats_.end()) {
        seats_.push_back({player, std::make_unique<SeatedPlayer>(*player)});
        seat = seats_.end() - 1;
    }
    SeatedPlayer& seated = *seat->seated;
    std::vector<std::uint8_t> squares;
    squares.reserve(waiting_.size());
    for (const std::size_t i : waiting_) {
        squares.push_back(
            static_cast<std::uint8_t>(seated.choose(live_[i].game, live_[i].moves).square));
    }
    answer_squares(squares);
}

}  // namespace outflank
