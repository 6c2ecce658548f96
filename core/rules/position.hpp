// Who has which discs, and what a move does to them.
#pragma once

#include "rules/bitboard.hpp"

namespace outflank {

enum class Colour : std::uint8_t { black, white };

constexpr Colour other(Colour colour) {
    return colour == Colour::black ? Colour::white : Colour::black;
}

// A position as its mover sees it. Immutable: play and pass return the next one.
struct Position {
    Bits mover = 0;
    Bits opponent = 0;

    Bits moves() const { return legal_moves(mover, opponent); }
    Position pass() const { return {opponent, mover}; }
    Position play(int square, Bits flipped) const {
        return {opponent ^ flipped, mover | flipped | bit(square)};
    }
    Position play(int square) const { return play(square, flips(square, mover, opponent)); }
    int discs() const { return std::popcount(mover | opponent); }
    int disc_difference_for_mover() const { return std::popcount(mover) - std::popcount(opponent); }
    friend bool operator==(const Position&, const Position&) = default;
};

// The same position with its colours named.
struct Board {
    Bits black = 0;
    Bits white = 0;
    Colour mover = Colour::black;

    Position position() const {
        return mover == Colour::black ? Position{black, white} : Position{white, black};
    }
    static Board of(const Position& position, Colour mover) {
        return mover == Colour::black ? Board{position.mover, position.opponent, mover}
                                      : Board{position.opponent, position.mover, mover};
    }
};

// Black on e4 and d5, White on d4 and e5; Black moves first.
inline constexpr Board START{bit(28) | bit(35), bit(27) | bit(36), Colour::black};

// The legal moves of a position with the discs that each flips. Room for every square: positions
// that no game reaches may have more moves than the 33 known from play.
struct MoveList {
    int count = 0;
    std::array<std::uint8_t, 64> squares;  // filled up to count
    std::array<Bits, 64> flipped;

    MoveList(const Position& position, Bits moves) {
        for (; moves != 0; moves = without_lowest(moves)) {
            const int square = lowest_square(moves);
            squares[static_cast<std::size_t>(count)] = static_cast<std::uint8_t>(square);
            flipped[static_cast<std::size_t>(count)] =
                flips(square, position.mover, position.opponent);
            ++count;
        }
    }

    // Those of another list whose squares are in a set.
    MoveList(const MoveList& all, Bits some) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(all.count); ++i) {
            squares[static_cast<std::size_t>(count)] = all.squares[i];
            flipped[static_cast<std::size_t>(count)] = all.flipped[i];
            count += static_cast<int>(some >> all.squares[i] & 1);
        }
    }
};

// Paths of exactly `depth` plies; a pass is a ply, a finished game ends its path early and counts.
inline std::uint64_t perft(const Position& position, int depth) {
    if (depth == 0) {
        return 1;
    }
    const Bits moves = position.moves();
    if (moves == 0) {
        const Position passed = position.pass();
        return passed.moves() == 0 ? 1 : perft(passed, depth - 1);
    }
    if (depth == 1) {
        return static_cast<std::uint64_t>(std::popcount(moves));
    }
    std::uint64_t paths = 0;
    for (Bits rest = moves; rest != 0; rest = without_lowest(rest)) {
        paths += perft(position.play(lowest_square(rest)), depth - 1);
    }
    return paths;
}

}  // namespace outflank
