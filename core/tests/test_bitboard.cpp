// Legal moves, flips and symmetries against slow twins that go square by square.
#include "boards.hpp"
#include "check.hpp"

using namespace outflank;

namespace {

bool on_board(int row, int column) { return row >= 0 && row < 8 && column >= 0 && column < 8; }

Bits flips_slow(int square, Bits mover, Bits opponent) {
    Bits turned = 0;
    for (int dr = -1; dr <= 1; ++dr) {
        for (int dc = -1; dc <= 1; ++dc) {
            if (dr == 0 && dc == 0) {
                continue;
            }
            Bits run = 0;
            int row = square / 8 + dr;
            int column = square % 8 + dc;
            while (on_board(row, column) && (opponent & bit(8 * row + column)) != 0) {
                run |= bit(8 * row + column);
                row += dr;
                column += dc;
            }
            if (on_board(row, column) && (mover & bit(8 * row + column)) != 0) {
                turned |= run;
            }
        }
    }
    return turned;
}

Bits legal_moves_slow(Bits mover, Bits opponent) {
    Bits moves = 0;
    for (int square = 0; square < 64; ++square) {
        if (((mover | opponent) & bit(square)) == 0 && flips_slow(square, mover, opponent) != 0) {
            moves |= bit(square);
        }
    }
    return moves;
}

Bits symmetric_slow(Bits set, int symmetry) {
    Bits image = 0;
    for (int square = 0; square < 64; ++square) {
        if ((set & bit(square)) == 0) {
            continue;
        }
        int row = square / 8;
        int column = square % 8;
        column = (symmetry & 1) != 0 ? 7 - column : column;
        row = (symmetry & 2) != 0 ? 7 - row : row;
        if ((symmetry & 4) != 0) {
            std::swap(row, column);
        }
        image |= bit(8 * row + column);
    }
    return image;
}

void check_board(const Position& p) {
    const Bits moves = legal_moves_slow(p.mover, p.opponent);
    CHECK_EQUAL(legal_moves(p.mover, p.opponent), moves);
    CHECK_EQUAL(portable::legal_moves(p.mover, p.opponent), moves);
    for (int square = 0; square < 64; ++square) {
        if (((p.mover | p.opponent) & bit(square)) != 0) {
            continue;
        }
        const Bits turned = flips_slow(square, p.mover, p.opponent);
        CHECK_EQUAL(flips(square, p.mover, p.opponent), turned);
        CHECK_EQUAL(portable::flips(square, p.mover, p.opponent), turned);
    }
    for (int n = 0; n < std::popcount(moves); ++n) {
        CHECK_EQUAL(nth_square(moves, n), portable::nth_square(moves, n));
    }
    for (int symmetry = 0; symmetry < 8; ++symmetry) {
        CHECK_EQUAL(symmetric(p.mover, symmetry), symmetric_slow(p.mover, symmetry));
    }
}

void test_perft() {
    // Published counts; the ninth depth is the first in which a game can end.
    constexpr std::array<std::uint64_t, 10> expected{1,    4,    12,    56,     244,
                                                     1396, 8200, 55092, 390216, 3005288};
    for (int depth = 0; depth < 10; ++depth) {
        CHECK_EQUAL(perft(START.position(), depth), expected[static_cast<std::size_t>(depth)]);
    }
}

}  // namespace

int main() {
    Generator generator(1, 0);
    for (int i = 0; i < 20000; ++i) {
        check_board(tests::random_discs(generator).position());
    }
    for (std::uint64_t game = 0; game < 100; ++game) {
        for (const Board& board : tests::boards_of_a_random_game(game)) {
            check_board(board.position());
        }
    }
    test_perft();
    std::puts("bitboard: passed");
}
