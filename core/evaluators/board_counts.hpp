// What can be counted on a whole board, for both sides, as the index of a small table.
#pragma once

#include <algorithm>

#include "evaluators/ntuple_network.hpp"
#include "rules/position.hpp"

namespace outflank {

enum class BoardCount : std::uint8_t {
    mobility,  // legal moves
    frontier,  // discs beside an empty square
};

inline constexpr Index MOST_COUNTED = 31;  // larger counts are taken for this one
inline constexpr Index COUNT_ENTRIES = (MOST_COUNTED + 1) * (MOST_COUNTED + 1);

// The squares beside those of a set.
constexpr Bits neighbours(Bits set) {
    constexpr Bits NOT_A = 0xFEFEFEFEFEFEFEFEULL;
    constexpr Bits NOT_H = 0x7F7F7F7F7F7F7F7FULL;
    const Bits row = set | (set << 1 & NOT_A) | (set >> 1 & NOT_H);
    return (row | row << 8 | row >> 8) & ~set;
}

inline Index count_index(BoardCount count, Bits black, Bits white) {
    const auto capped = [](Bits set) {
        return std::min(static_cast<Index>(std::popcount(set)), MOST_COUNTED);
    };
    if (count == BoardCount::mobility) {
        return capped(legal_moves(black, white)) * (MOST_COUNTED + 1) +
               capped(legal_moves(white, black));
    }
    const Bits near_empty = neighbours(~(black | white));
    return capped(black & near_empty) * (MOST_COUNTED + 1) + capped(white & near_empty);
}

}  // namespace outflank
