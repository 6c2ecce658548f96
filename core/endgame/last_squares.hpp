// The last four empty squares, one routine per number of them. Most of a solver's nodes are here.
#pragma once

#include "rules/position.hpp"

namespace outflank {

inline constexpr int NO_SCORE = -127;  // below every score

// The disc difference for the mover at the end of a game; empty squares go to the winner, as in
// tournaments and in the FFO test positions.
inline int final_score(Bits mover, Bits opponent) {
    const int own = std::popcount(mover);
    const int theirs = std::popcount(opponent);
    return own > theirs ? 64 - 2 * theirs : own < theirs ? 2 * own - 64 : 0;
}

namespace detail {

constexpr std::array<Bits, 64> all_neighbours() {
    std::array<Bits, 64> neighbours{};
    for (int square = 0; square < 64; ++square) {
        for (int other = 0; other < 64; ++other) {
            const int rows = square / 8 - other / 8;
            const int columns = square % 8 - other % 8;
            if (square != other && rows * rows <= 1 && columns * columns <= 1) {
                neighbours[static_cast<std::size_t>(square)] |= bit(other);
            }
        }
    }
    return neighbours;
}
inline constexpr std::array<Bits, 64> NEIGHBOURS = all_neighbours();

// FLIP_COUNTS[place][line]: how many discs a disc at `place` of a line of eight flips. The bits of
// `line` are its owner's discs; all other squares are the opponent's.
constexpr std::array<std::array<std::uint8_t, 256>, 8> all_flip_counts() {
    std::array<std::array<std::uint8_t, 256>, 8> counts{};
    for (int place = 0; place < 8; ++place) {
        for (int line = 0; line < 256; ++line) {
            int count = 0;
            for (const int step : {-1, 1}) {
                int at = place + step;
                int run = 0;
                while (at >= 0 && at < 8 && (line >> at & 1) == 0) {
                    at += step;
                    ++run;
                }
                count += at >= 0 && at < 8 ? run : 0;
            }
            counts[static_cast<std::size_t>(place)][static_cast<std::size_t>(line)] =
                static_cast<std::uint8_t>(count);
        }
    }
    return counts;
}
inline constexpr auto FLIP_COUNTS = all_flip_counts();

struct Lines {
    Bits column, up, down;        // the squares of the lines through a square
    std::uint8_t up_at, down_at;  // its place on the two diagonals
};
constexpr std::array<Lines, 64> all_lines() {
    std::array<Lines, 64> lines{};
    for (int square = 0; square < 64; ++square) {
        const auto below = [&](Bits line) {
            return static_cast<std::uint8_t>(std::popcount(line & (bit(square) - 1)));
        };
        Lines& l = lines[static_cast<std::size_t>(square)];
        l.column = bit(square) | ray(square, 1, 0) | ray(square, -1, 0);
        l.up = bit(square) | ray(square, 1, -1) | ray(square, -1, 1);
        l.down = bit(square) | ray(square, 1, 1) | ray(square, -1, -1);
        l.up_at = below(l.up);
        l.down_at = below(l.down);
    }
    return lines;
}
inline constexpr std::array<Lines, 64> LINES = all_lines();

}  // namespace detail

namespace portable {

// How many discs the mover flips with the last disc of the game.
constexpr int count_last_flips(int square, Bits mover) {
    return std::popcount(portable::flips(square, mover, ~(mover | bit(square))));
}

}  // namespace portable

#if defined(__BMI2__)
inline int count_last_flips(int square, Bits mover) {
    const detail::Lines& lines = detail::LINES[static_cast<std::size_t>(square)];
    const auto& counts = detail::FLIP_COUNTS;
    const auto column = static_cast<std::size_t>(square & 7);
    const auto row = static_cast<std::size_t>(square >> 3);
    return counts[column][mover >> (square & 56) & 0xFF] +
           counts[row][_pext_u64(mover, lines.column)] +
           counts[lines.up_at][_pext_u64(mover, lines.up)] +
           counts[lines.down_at][_pext_u64(mover, lines.down)];
}
#else
constexpr int count_last_flips(int square, Bits mover) {
    return portable::count_last_flips(square, mover);
}
#endif

// Exact search of up to four empty squares, fail soft. The squares are tried in the order given.
class LastSquares {
  public:
    explicit LastSquares(std::uint64_t& nodes) : nodes_(nodes) {}

    int one(Bits mover, int square) {
        ++nodes_;
        const int own = std::popcount(mover);
        if (const int turned = count_last_flips(square, mover)) {
            return 2 * (own + turned) - 62;
        }
        if (const int turned = count_last_flips(square, ~(mover | bit(square)))) {
            ++nodes_;
            return 2 * (own - turned) - 64;
        }
        return 2 * own - (own >= 32 ? 62 : 64);
    }

    int two(Bits mover, Bits opponent, int beta, int a, int b, bool passed = false) {
        ++nodes_;
        int best = NO_SCORE;
        if (const Bits turned = flips_at(a, mover, opponent)) {
            best = -one(opponent ^ turned, b);
            if (best >= beta) {
                return best;
            }
        }
        if (const Bits turned = flips_at(b, mover, opponent)) {
            best = std::max(best, -one(opponent ^ turned, a));
        }
        if (best != NO_SCORE) {
            return best;
        }
        return passed ? final_score(mover, opponent) : -two(opponent, mover, 65, a, b, true);
    }

    int three(Bits mover, Bits opponent, int alpha, int beta, std::array<int, 3> squares,
              bool passed = false) {
        ++nodes_;
        const auto [a, b, c] = squares;
        int best = NO_SCORE;
        if (const Bits turned = flips_at(a, mover, opponent)) {
            best = -two(opponent ^ turned, mover | turned | bit(a), -alpha, b, c);
            if (best >= beta) {
                return best;
            }
            alpha = std::max(alpha, best);
        }
        if (const Bits turned = flips_at(b, mover, opponent)) {
            best = std::max(best, -two(opponent ^ turned, mover | turned | bit(b), -alpha, a, c));
            if (best >= beta) {
                return best;
            }
            alpha = std::max(alpha, best);
        }
        if (const Bits turned = flips_at(c, mover, opponent)) {
            best = std::max(best, -two(opponent ^ turned, mover | turned | bit(c), -alpha, a, b));
        }
        if (best != NO_SCORE) {
            return best;
        }
        return passed ? final_score(mover, opponent)
                      : -three(opponent, mover, -beta, -alpha, squares, true);
    }

    // `pairs`: the first two squares lie in one quadrant and the other two in another. A move in
    // one of a pair leaves an odd quadrant, which is tried first.
    int four(Bits mover, Bits opponent, int alpha, int beta, std::array<int, 4> squares, bool pairs,
             bool passed = false) {
        ++nodes_;
        const auto [a, b, c, d] = squares;
        int best = NO_SCORE;
        // Whether the move causes a cut-off.
        const auto try_move = [&](int square, std::array<int, 3> rest) {
            if (const Bits turned = flips_at(square, mover, opponent)) {
                best = std::max(best, -three(opponent ^ turned, mover | turned | bit(square), -beta,
                                             -alpha, rest));
                alpha = std::max(alpha, best);
            }
            return best >= beta;
        };
        if (try_move(a, {b, c, d}) || try_move(b, {a, c, d}) ||
            try_move(c, pairs ? std::array{d, a, b} : std::array{a, b, d}) ||
            try_move(d, pairs ? std::array{c, a, b} : std::array{a, b, c})) {
            return best;
        }
        if (best != NO_SCORE) {
            return best;
        }
        return passed ? final_score(mover, opponent)
                      : -four(opponent, mover, -beta, -alpha, squares, pairs, true);
    }

    // A cheap look at the neighbours rules out most moves that flip nothing.
    static Bits flips_at(int square, Bits mover, Bits opponent) {
        return (detail::NEIGHBOURS[static_cast<std::size_t>(square)] & opponent) == 0
                   ? 0
                   : flips(square, mover, opponent);
    }

  private:
    std::uint64_t& nodes_;
};

}  // namespace outflank
