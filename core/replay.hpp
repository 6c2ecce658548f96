// Replays recorded games: are the moves legal, and how did it end?
#pragma once

#include <span>
#include <vector>

#include "position.hpp"

namespace outflank {

inline constexpr std::uint8_t WRITTEN_PASS = 64;  // in a record: a pass that the file writes out

struct Replay {
    int legal = 0;    // moves and written passes from the start that follow the rules
    Bits passes = 0;  // bit i: before entry i (or one after 63) lies a pass that is not written
    bool over = false;
    Board board;  // after the last legal move
};

// One record: squares 0..63 and written passes, up to its end or the first NO_MOVE.
Replay replay(const Board& start, std::span<const std::uint8_t> record);

// Many records of `columns` entries each, one start for each.
std::vector<Replay> replay_games(std::span<const Board> starts,
                                 std::span<const std::uint8_t> records, std::size_t columns);

}  // namespace outflank
