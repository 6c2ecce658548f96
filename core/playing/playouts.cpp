#include "playing/playouts.hpp"

#include <algorithm>

#include "playing/greedy_playouts.hpp"
#include "support/threads.hpp"

namespace outflank {
namespace {

// Plays one game; writes its moves if `record` has room.
OpenGame play_game(std::array<SeatedPlayer, 2>& players, const MatchRules& rules,
                   std::uint64_t number, std::span<std::uint8_t> record) {
    OpenGame game = rules.open(number);
    std::size_t ply = 0;
    for (Bits moves = game.settle(); moves != 0; moves = game.settle()) {
        const std::size_t turn = rules.turn(number, game.mover);
        const bool forced = is_forced(game.generator, rules.epsilon[turn]);
        const Choice choice =
            forced ? game.random_choice(moves) : players[turn].choose(game, moves);
        if (ply < record.size()) {
            record[ply++] = static_cast<std::uint8_t>(choice.square);
        }
        game.play(choice);
    }
    std::fill(record.begin() + static_cast<std::ptrdiff_t>(ply), record.end(), NO_MOVE);
    return game;
}

// The results of some of the games.
GameResults part(const GameResults& results, std::size_t first, std::size_t count) {
    return {results.disc_differences.subspan(first, count),
            results.moves.empty()
                ? results.moves
                : results.moves.subspan(first * LONGEST_GAME, count * LONGEST_GAME)};
}

// Below this many games a batch costs more to set up than it saves.
constexpr std::size_t FEWEST_IN_STEP = 4;

bool in_lock_step(const Player& first, const Player& second, std::size_t games) {
    return games >= FEWEST_IN_STEP && GreedyPlayouts::playable(first) &&
           GreedyPlayouts::playable(second);
}

void play_batches(const Player& first, const Player& second, const MatchRules& rules,
                  GameSpan games, int threads, const GameResults& results) {
    const std::size_t batches = (games.count + GAMES_IN_BATCH - 1) / GAMES_IN_BATCH;
    share_work(batches, 1, threads, [&] {
        return [&, playouts =
                       std::make_unique<GreedyPlayouts>(first, second, rules)](std::size_t batch) {
            const std::size_t from = batch * GAMES_IN_BATCH;
            const std::size_t count = std::min(GAMES_IN_BATCH, games.count - from);
            playouts->play({games.first + from, count}, part(results, from, count));
        };
    });
}

// The same for any players, one game at a time.
void play_one_by_one(const Player& first, const Player& second, const MatchRules& rules,
                     GameSpan games, int threads, const GameResults& results) {
    // 32 greedy games take about a quarter of a millisecond, so threads rarely meet at the
    // counter; games of a deeper player take long enough to be handed out one by one.
    const auto is_quick = [](const Player& player) {
        return player.depth <= 2 && player.perfect_from() <= 8;
    };
    share_work(games.count, is_quick(first) && is_quick(second) ? 32 : 1, threads, [&] {
        return [&, players = std::array{SeatedPlayer(first), SeatedPlayer(second)}](
                   std::size_t i) mutable {
            const std::uint64_t number = games.first + i;
            const OpenGame over = play_game(players, rules, number, part(results, i, 1).moves);
            results.disc_differences[i] =
                static_cast<std::int8_t>(rules.disc_difference_for_first(number, over));
        };
    });
}

}  // namespace

void play_games(const Player& first, const Player& second, const MatchRules& rules, GameSpan games,
                int threads, GameResults results) {
    const auto play = in_lock_step(first, second, games.count) ? play_batches : play_one_by_one;
    play(first, second, rules, games, threads, results);
}

void play_pairings(std::span<const Player* const> players, std::span<const Pairing> pairings,
                   const MatchRules& rules, std::span<Outcome> outcomes) {
    std::vector<std::int8_t> differences;
    for (std::size_t k = 0; k < pairings.size(); ++k) {
        const auto& [first, second, games] = pairings[k];
        differences.resize(games.count);
        play_games(*players[first], *players[second], rules, games, 1, {differences, {}});
        for (const std::int8_t difference : differences) {
            ++(difference > 0   ? outcomes[k].wins
               : difference < 0 ? outcomes[k].losses
                                : outcomes[k].draws);
        }
    }
}

void judge_boards(const Player& player, std::span<const Board> boards, int threads,
                  const std::function<std::span<double>(std::size_t, const MoveList&)>& room) {
    share_work(boards.size(), 1, threads, [&] {
        return [&, seated = SeatedPlayer(player)](std::size_t i) mutable {
            const MoveList moves(boards[i].position(), boards[i].position().moves());
            const std::span<double> values = room(i, moves);
            if (player.judgement.is_random()) {
                std::ranges::fill(values, 0.0);
            } else {
                seated.judge(boards[i], moves, values);
            }
        };
    });
}

}  // namespace outflank
