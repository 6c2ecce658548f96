// Many games between two players, on many threads.
//
// Game number n draws only from stream(seed, n), so the games do not depend on threads or batches.
#pragma once

#include <functional>
#include <vector>

#include "playing/players.hpp"

namespace outflank {

inline constexpr int LONGEST_GAME = 60;       // moves that place a disc, from the standard start
inline constexpr std::uint8_t NO_MOVE = 255;  // pads a record after its last move

// What is the same for all games of a match. The two players are "first" and "second".
struct MatchRules {
    std::vector<Board> starts{START};
    std::array<double, 2> epsilon{};  // by player, not by colour
    std::uint64_t seed = 1;
    bool alternate_colours = true;  // games 2k and 2k + 1 are a double game from one start
    Conventions conventions{};

    const Board& start(std::uint64_t game) const {
        return starts[(alternate_colours ? game / 2 : game) % starts.size()];
    }
    Colour first_colour(std::uint64_t game) const {
        return alternate_colours && game % 2 == 1 ? Colour::white : Colour::black;
    }
    OpenGame open(std::uint64_t game) const { return {start(game), seed, game, conventions}; }
    // 0 if the first player is to move, 1 if the second.
    std::size_t turn(std::uint64_t game, Colour mover) const {
        return mover == first_colour(game) ? 0 : 1;
    }
    int disc_difference_for_first(std::uint64_t game, const OpenGame& over) const {
        const int black = over.disc_difference_for_black();
        return first_colour(game) == Colour::black ? black : -black;
    }
};

struct GameSpan {
    std::uint64_t first = 0;  // number of the first game
    std::size_t count = 0;
};

// Where results go. `moves`, if not empty, holds LONGEST_GAME squares per game.
struct GameResults {
    std::span<std::int8_t> disc_differences;  // for the first player
    std::span<std::uint8_t> moves;
};

void play_games(const Player& first, const Player& second, const MatchRules& rules, GameSpan games,
                int threads, GameResults results);

// Games between two players of a list.
struct Pairing {
    std::size_t first = 0;  // indices of players
    std::size_t second = 0;
    GameSpan games;
};

struct Outcome {
    std::uint32_t wins = 0;  // of the first player
    std::uint32_t draws = 0;
    std::uint32_t losses = 0;
};

// Plays all pairings on this thread; outcomes[k] belongs to pairings[k].
void play_pairings(std::span<const Player* const> players, std::span<const Pairing> pairings,
                   const MatchRules& rules, std::span<Outcome> outcomes);

// The values of the moves of many boards. `room(i, moves)` returns where those of board i go; it is
// called from several threads.
void judge_boards(const Player& player, std::span<const Board> boards, int threads,
                  const std::function<std::span<double>(std::size_t, const MoveList&)>& room);

}  // namespace outflank
