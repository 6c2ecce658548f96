#include "playing/greedy_playouts.hpp"

#include <algorithm>

namespace outflank {
bool GreedyPlayouts::playable(const Player& player) {
    const Judgement& judgement = player.judgement;
    const bool plain = !player.book && player.nodes == 0 && player.perfect_from() == 0;
    return plain &&
           (judgement.is_random() || (player.depth == 1 && judgement.view != View::doubled &&
                                      judgement.for_black->values_batches()));
}

GreedyPlayouts::Seat::Seat(const Player& player)
    : seen(player.judgement.is_random() ? nullptr
                                        : player.judgement.for_black->batch_accumulator()),
      limits(seen ? seen->scale() : RankScale(0, 0)),
      white_as_white(player.judgement.view == View::negation),
      values(player.judgement) {}

int GreedyPlayouts::Seat::best(OpenGame& game, Bits legal, const std::int32_t* ranks) {
    const auto count = static_cast<std::size_t>(std::popcount(legal));
    const TiedRanks tied = tied_ranks(ranks, count, limits);
    const bool settled = tied.surely == tied.possibly || std::has_single_bit(tied.possibly);
    return game.one_of_ties(settled ? tied.possibly : ties_by_values(game, legal, tied.possibly));
}

// `possible`: indices of legal moves.
Bits GreedyPlayouts::Seat::ties_by_values(const OpenGame& game, Bits legal, Bits possible) {
    const MoveList all(game.position, legal);
    Bits squares = 0;
    for (Bits rest = possible; rest != 0; rest = without_lowest(rest)) {
        squares |= bit(all.squares[static_cast<std::size_t>(lowest_square(rest))]);
    }
    const MoveList close(all, squares);
    MoveValues judged(close.count);
    values.judge(game.board(), close, judged.span());
    Bits ties = 0;
    for (Bits best = ties_for_best(judged.span()); best != 0; best = without_lowest(best)) {
        ties |= bit(nth_square(possible, lowest_square(best)));
    }
    return ties;
}

void GreedyPlayouts::play(GameSpan games, const GameResults& results) {
    open(games);
    for (settle(results); !live_.empty(); settle(results)) {
        draw();
        choose(0);
        choose(1);
        make_moves(results);
    }
}

void GreedyPlayouts::open(GameSpan games) {
    games_.clear();
    live_.clear();
    for (std::size_t i = 0; i < games.count; ++i) {
        const std::uint64_t number = games.first + i;
        games_.push_back({rules_.open(number), number});
        live_.push_back(static_cast<std::uint8_t>(i));
        for (Seat& seat : seats_) {
            if (seat.seen) {
                seat.seen->open(i, rules_.start(number));
            }
        }
    }
}

// Passes where the mover must; games that are over leave.
void GreedyPlayouts::settle(const GameResults& results) {
    bool some_over = false;
    for (const std::uint8_t i : live_) {
        games_[i].moves = games_[i].game.settle();
        some_over |= games_[i].moves == 0;
    }
    if (!some_over) {
        return;
    }
    std::erase_if(live_, [&](std::uint8_t i) {
        const Live& live = games_[i];
        if (live.moves != 0) {
            return false;
        }
        results.disc_differences[i] =
            static_cast<std::int8_t>(rules_.disc_difference_for_first(live.number, live.game));
        if (!results.moves.empty()) {
            const auto record = results.moves.subspan(std::size_t{i} * LONGEST_GAME, LONGEST_GAME);
            std::fill(record.begin() + static_cast<std::ptrdiff_t>(live.ply), record.end(),
                      NO_MOVE);
        }
        return true;
    });
}

// Random moves, forced or a random player's, are made; the other games wait for their player.
void GreedyPlayouts::draw() {
    made_.clear();
    for (std::size_t turn = 0; turn < 2; ++turn) {
        waiting_[turn].clear();
        seats_[turn].moves.clear();
    }
    for (const std::uint8_t i : live_) {
        Live& live = games_[i];
        OpenGame& game = live.game;
        const std::size_t turn = rules_.turn(live.number, game.mover);
        if (is_forced(game.generator, rules_.epsilon[turn]) || !seats_[turn].seen) {
            const Choice choice = game.random_choice(live.moves);
            made_.push_back(
                {choice.flipped, static_cast<std::uint8_t>(choice.square), i, game.mover});
        } else {
            seats_[turn].moves.add(i, game.mover, live.moves);
            waiting_[turn].push_back({i, static_cast<std::uint8_t>(std::popcount(live.moves))});
        }
    }
}

void GreedyPlayouts::choose(std::size_t turn) {
    Seat& seat = seats_[turn];
    if (waiting_[turn].empty()) {
        return;
    }
    seat.moves.find_flips(
        [&](std::size_t i) -> const Position& { return games_[i].game.position; });
    const std::span<const BatchMove> moves = seat.moves.moves();
    seat.seen->ranks_after(moves, seat.white_as_white, std::span(ranks_.data(), moves.size()));
    std::size_t first = 0;
    for (const auto& [game, count] : waiting_[turn]) {
        const int best = seat.best(games_[game].game, games_[game].moves, ranks_.data() + first);
        made_.push_back(moves[first + static_cast<std::size_t>(best)]);
        first += count;
    }
}

void GreedyPlayouts::make_moves(const GameResults& results) {
    for (Seat& seat : seats_) {
        if (seat.seen) {
            seat.seen->follow(made_);
        }
    }
    for (const BatchMove& move : made_) {
        Live& live = games_[move.game];
        if (!results.moves.empty() && live.ply < LONGEST_GAME) {
            results.moves[std::size_t{move.game} * LONGEST_GAME + live.ply++] = move.square;
        }
        live.game.play({move.square, move.flipped});
    }
}

}  // namespace outflank
