// Replays recorded games: checks the moves and finds the final board.
#pragma once

#include <span>
#include <vector>

#include "rules/position.hpp"

namespace outflank {

inline constexpr std::uint8_t WRITTEN_PASS = 64;  // in a record: a pass that the file writes out

struct Replay {
    int legal = 0;    // legal entries from the start: moves and written passes
    Bits passes = 0;  // bit i: an unwritten pass precedes entry i (bit 63: or a later one)
    bool over = false;
    Board board;  // after the last legal move
};

// One record: squares 0..63 and written passes, up to its end or the first NO_MOVE.
Replay replay(const Board& start, std::span<const std::uint8_t> record);

// Many records of `columns` entries each, one start for each.
std::vector<Replay> replay_games(std::span<const Board> starts,
                                 std::span<const std::uint8_t> records, std::size_t columns);

}  // namespace outflank
