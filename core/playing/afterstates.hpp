// The boards after every legal move of many boards, for evaluators outside the core: one call
// evaluates them all.
#pragma once

#include <vector>

#include "rules/position.hpp"

namespace outflank {

struct Afterstates {
    std::vector<Bits> black;
    std::vector<Bits> white;
    std::vector<std::uint8_t> squares;    // of the moves that led there
    std::vector<std::uint32_t> first{0};  // [boards + 1]: where each board's afterstates begin

    void add(const Position& position, Colour mover, Bits moves) {
        const MoveList list(position, moves);
        for (std::size_t k = 0; k < static_cast<std::size_t>(list.count); ++k) {
            const Position next = position.play(list.squares[k], list.flipped[k]);
            const Board board = Board::of(next, other(mover));
            black.push_back(board.black);
            white.push_back(board.white);
            squares.push_back(list.squares[k]);
        }
        first.push_back(static_cast<std::uint32_t>(black.size()));
    }
};

}  // namespace outflank
