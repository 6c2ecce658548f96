#include "playouts.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

namespace outflank {
namespace {

constexpr std::size_t GAMES_AT_A_TIME = 32;  // a thread takes this many before it asks for more

// Plays one game to its end; writes its moves if there is room for them.
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

}  // namespace

void play_games(const Player& first, const Player& second, const MatchRules& rules, GameSpan games,
                int threads, GameResults results) {
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        std::array<SeatedPlayer, 2> players{SeatedPlayer(first), SeatedPlayer(second)};
        for (;;) {
            const std::size_t from = next.fetch_add(GAMES_AT_A_TIME);
            if (from >= games.count) {
                return;
            }
            for (std::size_t i = from; i < std::min(from + GAMES_AT_A_TIME, games.count); ++i) {
                const std::uint64_t number = games.first + i;
                const auto record = results.moves.empty()
                                        ? std::span<std::uint8_t>{}
                                        : results.moves.subspan(i * LONGEST_GAME, LONGEST_GAME);
                const OpenGame over = play_game(players, rules, number, record);
                results.disc_differences[i] =
                    static_cast<std::int8_t>(rules.disc_difference_for_first(number, over));
            }
        }
    };
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) {
        others.emplace_back(work);
    }
    work();
}

}  // namespace outflank
