#include "greedy_playouts.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace outflank {
namespace {

// ties_for_best of epsilon_othello.hpp, eight values at a time: in batches of games, how many
// values there are is what a processor mispredicts. Reads up to seven values beyond the last.
#if defined(__AVX__)
Bits ties_for_best(const double* values, std::size_t count) {
    using Doubles [[gnu::vector_size(32)]] = double;
    using Integers [[gnu::vector_size(32)]] = std::int64_t;
    constexpr double LEAST = -std::numeric_limits<double>::infinity();
    constexpr Doubles NOTHING{LEAST, LEAST, LEAST, LEAST};
    constexpr Integers LANES{0, 1, 2, 3};
    const auto load = [&](std::size_t i) {
        Doubles loaded;
        std::memcpy(&loaded, values + i, sizeof loaded);
        return LANES < static_cast<std::int64_t>(count) - static_cast<std::int64_t>(i) ? loaded
                                                                                       : NOTHING;
    };
    Doubles highest = NOTHING;
    for (std::size_t i = 0; i < count; i += 8) {
        const Doubles a = load(i);
        const Doubles b = load(i + 4);
        const Doubles of_both = a > b ? a : b;
        highest = highest > of_both ? highest : of_both;
    }
    // In all lanes: halves exchanged, then neighbours. (Scalars would be compared by branches.)
    const Doubles halves{highest[2], highest[3], highest[0], highest[1]};
    highest = highest > halves ? highest : halves;
    const Doubles neighbours{highest[1], highest[0], highest[3], highest[2]};
    highest = highest > neighbours ? highest : neighbours;
    const Doubles enough = highest - TIE;
    Bits ties = 0;
    for (std::size_t i = 0; i < count; i += 8) {
        constexpr Integers BITS{1, 2, 4, 8};
        const Integers found =
            ((load(i) >= enough) & BITS) | ((load(i + 4) >= enough) & (BITS << 4));
        ties |= static_cast<Bits>(found[0] | found[1] | found[2] | found[3]) << i;
    }
    return ties;
}
#else
Bits ties_for_best(const double* values, std::size_t count) {
    return outflank::ties_for_best({values, count});
}
#endif

}  // namespace

bool GreedyPlayouts::playable(const Player& player) {
    const Judgement& judgement = player.judgement;
    const bool plain = !player.book && player.nodes == 0 && player.perfect_from() == 0;
    return plain &&
           (judgement.is_random() || (player.depth == 1 && judgement.view != View::doubled &&
                                      judgement.for_black->values_batches()));
}

GreedyPlayouts::Seat::Seat(const Player& player)
    : white_as_white(player.judgement.view == View::negation) {
    if (!player.judgement.is_random()) {
        seen = player.judgement.for_black->batch_accumulator();
    }
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
    seat.seen->values_after(moves, seat.white_as_white, std::span(values_.data(), moves.size()));
    std::size_t first = 0;
    for (const auto& [game, count] : waiting_[turn]) {
        const Bits ties = ties_for_best(values_.data() + first, count);
        const int best = games_[game].game.one_of_ties(ties);
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
