// Nodes of the solver's search: a position with its parity, and its moves in the order to try.
#pragma once

#include <algorithm>
#include <span>

#include "rules/position.hpp"

namespace outflank::endgame {

inline constexpr Bits CORNERS = 0x8100000000000081ULL;
inline constexpr std::array<Bits, 4> QUADRANTS{0x000000000F0F0F0FULL, 0x00000000F0F0F0F0ULL,
                                               0x0F0F0F0F00000000ULL, 0xF0F0F0F000000000ULL};

constexpr Bits quadrant_of(int square) {
    return QUADRANTS[static_cast<std::size_t>((square >> 4 & 2) | (square >> 2 & 1))];
}

// Parity: in a quadrant with an odd number of empty squares the mover can hope for the last move.
inline Bits odd_quadrants(Bits empty) {
    Bits odd = 0;
    for (const Bits quadrant : QUADRANTS) {
        odd |= (std::popcount(empty & quadrant) & 1) != 0 ? quadrant : 0;
    }
    return odd;
}

struct Node {
    Position position;
    Bits odd;
    int empties;

    static Node of(const Position& position) {
        const Bits empty = ~(position.mover | position.opponent);
        return {position, odd_quadrants(empty), std::popcount(empty)};
    }
    Node after(int square, const Position& next) const {
        return {next, odd ^ quadrant_of(square), empties - 1};
    }
    Node passed() const { return {position.pass(), odd, empties}; }
};

// Without initial values: a list of moves would spend more time on them than on its few moves.
struct Move {
    Bits mover, opponent;  // of the position after the move
    Bits flipped;
    int square;
    int key;

    Position after() const { return {mover, opponent}; }
    void set(const Position& before, int on, Bits turned) {
        const Position next = before.play(on, turned);
        mover = next.mover;
        opponent = next.opponent;
        flipped = turned;
        square = on;
    }
};

struct Moves {
    std::array<Move, 64> list;  // filled up to count
    int count;

    Moves() : count(0) {}

    std::span<Move> all() { return {list.data(), static_cast<std::size_t>(count)}; }
    // The best of the moves from index i on, moved to i: a selection sort, as far as it is needed.
    const Move& take(int i) {
        const auto rest = all().subspan(static_cast<std::size_t>(i));
        const auto best = std::max_element(
            rest.begin(), rest.end(), [](const Move& a, const Move& b) { return a.key < b.key; });
        std::swap(rest.front(), *best);
        return rest.front();
    }
};

}  // namespace outflank::endgame
