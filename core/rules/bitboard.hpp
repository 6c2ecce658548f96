// Sets of squares as 64-bit masks: legal moves, flips, the eight symmetries.
//
// Square i is bit i; a1 = 0, b1 = 1, ..., h8 = 63, row by row.
// Each tuned routine has a portable twin (namespace portable); tests prove them equal.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#if defined(__AVX2__) || defined(__BMI__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace outflank {

using Bits = std::uint64_t;

constexpr Bits bit(int square) { return Bits{1} << square; }
// 64 for the empty set. (GCC 12 compiles std::countr_zero to a branch on the empty set.)
inline int lowest_square(Bits set) {
#if defined(__BMI__)
    return static_cast<int>(_tzcnt_u64(set));
#else
    return std::countr_zero(set);
#endif
}
constexpr Bits without_lowest(Bits set) { return set & (set - 1); }

namespace detail {

inline constexpr Bits INNER_COLUMNS = 0x7E7E7E7E7E7E7E7EULL;

// The squares seen from each square in the eight directions, nearest first in bit order:
// four directions towards higher bits (`up`), four towards lower bits (`down`).
struct alignas(64) Rays {
    std::array<Bits, 4> up{};
    std::array<Bits, 4> down{};
};

constexpr Bits ray(int square, int row_step, int column_step) {
    Bits squares = 0;
    int row = square / 8 + row_step;
    int column = square % 8 + column_step;
    while (row >= 0 && row < 8 && column >= 0 && column < 8) {
        squares |= bit(8 * row + column);
        row += row_step;
        column += column_step;
    }
    return squares;
}

constexpr std::array<Rays, 64> all_rays() {
    constexpr std::array<std::array<int, 2>, 4> steps{{{0, 1}, {1, -1}, {1, 0}, {1, 1}}};
    std::array<Rays, 64> rays{};
    for (int square = 0; square < 64; ++square) {
        for (std::size_t d = 0; d < 4; ++d) {
            rays[static_cast<std::size_t>(square)].up[d] = ray(square, steps[d][0], steps[d][1]);
            rays[static_cast<std::size_t>(square)].down[d] =
                ray(square, -steps[d][0], -steps[d][1]);
        }
    }
    return rays;
}

inline constexpr std::array<Rays, 64> RAYS = all_rays();

}  // namespace detail

namespace portable {

// The squares behind runs of opponent discs that begin next to the mover's, both ways along one
// axis; by parallel prefix, so six discs take three steps. `through`: the opponent's discs that a
// run may pass over.
constexpr Bits ends_along(Bits mover, Bits through, int shift) {
    Bits left = through & (mover << shift);
    Bits right = through & (mover >> shift);
    left |= through & (left << shift);
    right |= through & (right >> shift);
    const Bits pairs_left = through & (through << shift);
    const Bits pairs_right = through & (through >> shift);
    left |= pairs_left & (left << 2 * shift);
    right |= pairs_right & (right >> 2 * shift);
    left |= pairs_left & (left << 2 * shift);
    right |= pairs_right & (right >> 2 * shift);
    return (left << shift) | (right >> shift);
}

constexpr Bits legal_moves(Bits mover, Bits opponent) {
    const Bits inner = opponent & detail::INNER_COLUMNS;
    const Bits ends = ends_along(mover, inner, 1) | ends_along(mover, opponent, 8) |
                      ends_along(mover, inner, 7) | ends_along(mover, inner, 9);
    return ends & ~(mover | opponent);
}

// The discs that the mover flips from `square`. On each ray the nearest square without an
// opponent's disc decides: if it holds a disc of the mover, everything before it flips.
constexpr Bits flips(int square, Bits mover, Bits opponent) {
    const detail::Rays& rays = detail::RAYS[static_cast<std::size_t>(square)];
    Bits turned = 0;
    for (const Bits ray : rays.up) {
        const Bits stops = ray & ~opponent;
        const Bits nearest = stops & (~stops + 1);
        turned |= (nearest & mover) != 0 ? ray & (nearest - 1) : 0;
    }
    for (const Bits ray : rays.down) {
        const Bits stops = ray & ~opponent;
        const Bits nearest = std::bit_floor(stops);
        turned |= (nearest & mover) != 0 ? ray & ~(2 * nearest - 1) : 0;
    }
    return turned;
}

constexpr int nth_square(Bits set, int n) {
    while (n-- > 0) {
        set = without_lowest(set);
    }
    return std::countr_zero(set);
}

}  // namespace portable

#if defined(__AVX2__)
inline Bits legal_moves(Bits mover, Bits opponent) {
    const __m256i shift = _mm256_set_epi64x(7, 9, 8, 1);
    const __m256i twice = _mm256_set_epi64x(14, 18, 16, 2);
    const auto inner = static_cast<long long>(detail::INNER_COLUMNS);
    const __m256i passable = _mm256_set_epi64x(inner, inner, -1, inner);
    const __m256i own = _mm256_set1_epi64x(static_cast<long long>(mover));
    const __m256i through =
        _mm256_and_si256(_mm256_set1_epi64x(static_cast<long long>(opponent)), passable);
    __m256i left = _mm256_and_si256(through, _mm256_sllv_epi64(own, shift));
    __m256i right = _mm256_and_si256(through, _mm256_srlv_epi64(own, shift));
    left = _mm256_or_si256(left, _mm256_and_si256(through, _mm256_sllv_epi64(left, shift)));
    right = _mm256_or_si256(right, _mm256_and_si256(through, _mm256_srlv_epi64(right, shift)));
    const __m256i pairs_left = _mm256_and_si256(through, _mm256_sllv_epi64(through, shift));
    const __m256i pairs_right = _mm256_and_si256(through, _mm256_srlv_epi64(through, shift));
    for (int step = 0; step < 2; ++step) {
        left = _mm256_or_si256(left, _mm256_and_si256(pairs_left, _mm256_sllv_epi64(left, twice)));
        right =
            _mm256_or_si256(right, _mm256_and_si256(pairs_right, _mm256_srlv_epi64(right, twice)));
    }
    const __m256i ends =
        _mm256_or_si256(_mm256_sllv_epi64(left, shift), _mm256_srlv_epi64(right, shift));
    const __m128i halves =
        _mm_or_si128(_mm256_castsi256_si128(ends), _mm256_extracti128_si256(ends, 1));
    const auto all = static_cast<Bits>(_mm_cvtsi128_si64(halves)) |
                     static_cast<Bits>(_mm_extract_epi64(halves, 1));
    return all & ~(mover | opponent);
}
#else
constexpr Bits legal_moves(Bits mover, Bits opponent) {
    return portable::legal_moves(mover, opponent);
}
#endif

#if defined(__AVX512VL__) && defined(__AVX512CD__)
// The portable rule on four rays at a time; the nearest stop below is found by leading zeros.
inline Bits flips(int square, Bits mover, Bits opponent) {
    const detail::Rays& rays = detail::RAYS[static_cast<std::size_t>(square)];
    const __m256i own = _mm256_set1_epi64x(static_cast<long long>(mover));
    const __m256i theirs = _mm256_set1_epi64x(static_cast<long long>(opponent));
    const __m256i up = _mm256_load_si256(reinterpret_cast<const __m256i*>(rays.up.data()));
    const __m256i down = _mm256_load_si256(reinterpret_cast<const __m256i*>(rays.down.data()));

    const __m256i stops_up = _mm256_andnot_si256(theirs, up);
    const __m256i less_one = _mm256_add_epi64(stops_up, _mm256_set1_epi64x(-1));
    const __m256i nearest_up = _mm256_andnot_si256(less_one, stops_up);
    const __mmask8 closed_up = _mm256_test_epi64_mask(nearest_up, own);
    const __m256i turned_up =
        _mm256_maskz_and_epi64(closed_up, _mm256_andnot_si256(stops_up, less_one), up);

    const __m256i stops_down = _mm256_andnot_si256(theirs, down);
    const __m256i top = _mm256_set1_epi64x(std::numeric_limits<long long>::min());
    const __m256i nearest_down = _mm256_srlv_epi64(top, _mm256_lzcnt_epi64(stops_down));
    const __mmask8 closed_down = _mm256_test_epi64_mask(nearest_down, own);
    const __m256i beyond =
        _mm256_sub_epi64(_mm256_setzero_si256(), _mm256_add_epi64(nearest_down, nearest_down));
    const __m256i turned_down = _mm256_maskz_and_epi64(closed_down, beyond, down);

    const __m256i turned = _mm256_or_si256(turned_up, turned_down);
    const __m128i halves =
        _mm_or_si128(_mm256_castsi256_si128(turned), _mm256_extracti128_si256(turned, 1));
    return static_cast<Bits>(_mm_cvtsi128_si64(halves)) |
           static_cast<Bits>(_mm_extract_epi64(halves, 1));
}
#elif defined(__AVX2__)
// The portable rule on four rays at a time. There is no count of leading zeros here, so the nearest
// stop below is found by a parallel prefix: three steps set every bit of a ray from it on.
inline Bits flips(int square, Bits mover, Bits opponent) {
    const detail::Rays& rays = detail::RAYS[static_cast<std::size_t>(square)];
    const __m256i own = _mm256_set1_epi64x(static_cast<long long>(mover));
    const __m256i theirs = _mm256_set1_epi64x(static_cast<long long>(opponent));
    const __m256i up = _mm256_load_si256(reinterpret_cast<const __m256i*>(rays.up.data()));
    const __m256i down = _mm256_load_si256(reinterpret_cast<const __m256i*>(rays.down.data()));
    const __m256i zero = _mm256_setzero_si256();

    const __m256i stops_up = _mm256_andnot_si256(theirs, up);
    const __m256i less_one = _mm256_add_epi64(stops_up, _mm256_set1_epi64x(-1));
    const __m256i closing_up = _mm256_and_si256(_mm256_andnot_si256(less_one, stops_up), own);
    // closing - 1, or 0 where no disc of the mover closes the run
    const __m256i before = _mm256_sub_epi64(_mm256_add_epi64(closing_up, _mm256_set1_epi64x(-1)),
                                            _mm256_cmpeq_epi64(closing_up, zero));
    const __m256i turned_up = _mm256_and_si256(before, up);

    const __m256i shift = _mm256_set_epi64x(9, 8, 7, 1);
    __m256i from_stop = _mm256_andnot_si256(theirs, down);
    from_stop = _mm256_or_si256(from_stop, _mm256_srlv_epi64(from_stop, shift));
    from_stop =
        _mm256_or_si256(from_stop, _mm256_srlv_epi64(from_stop, _mm256_set_epi64x(18, 16, 14, 2)));
    from_stop =
        _mm256_or_si256(from_stop, _mm256_srlv_epi64(from_stop, _mm256_set_epi64x(36, 32, 28, 4)));
    const __m256i nearest_down =
        _mm256_andnot_si256(_mm256_srlv_epi64(from_stop, shift), from_stop);
    const __m256i open_down = _mm256_cmpeq_epi64(_mm256_and_si256(nearest_down, own), zero);
    const __m256i turned_down = _mm256_andnot_si256(_mm256_or_si256(from_stop, open_down), down);

    const __m256i turned = _mm256_or_si256(turned_up, turned_down);
    const __m128i halves =
        _mm_or_si128(_mm256_castsi256_si128(turned), _mm256_extracti128_si256(turned, 1));
    return static_cast<Bits>(_mm_cvtsi128_si64(halves)) |
           static_cast<Bits>(_mm_extract_epi64(halves, 1));
}
#elif defined(__SSE2__)
namespace detail {

// A board in one half and the board with its rows swapped top to bottom in the other: what goes
// down the board in one goes up in the other, so that one borrow serves both.
inline __m128i with_rows_swapped(Bits set) {
    return _mm_set_epi64x(static_cast<long long>(__builtin_bswap64(set)),
                          static_cast<long long>(set));
}
inline Bits both_halves(__m128i sets) {
    return static_cast<Bits>(_mm_cvtsi128_si64(sets)) |
           __builtin_bswap64(static_cast<Bits>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(sets, sets))));
}

}  // namespace detail

// The portable rule on two rays at a time: one up the board, and one down it, which goes up on the
// board with its rows swapped. Along the row the nearest stop below is found by a parallel prefix.
inline Bits flips(int square, Bits mover, Bits opponent) {
    const detail::Rays& rays = detail::RAYS[static_cast<std::size_t>(square)];
    const detail::Rays& swapped = detail::RAYS[static_cast<std::size_t>(square ^ 56)];
    const __m128i own = detail::with_rows_swapped(mover);
    const __m128i theirs = detail::with_rows_swapped(opponent);
    const __m128i zero = _mm_setzero_si128();
    __m128i turned = zero;
    for (std::size_t d = 1; d < 4; ++d) {
        const __m128i ray = _mm_set_epi64x(static_cast<long long>(swapped.up[d]),
                                           static_cast<long long>(rays.up[d]));
        const __m128i stops = _mm_andnot_si128(theirs, ray);
        const __m128i nearest = _mm_and_si128(stops, _mm_sub_epi64(zero, stops));
        const __m128i closing = _mm_and_si128(nearest, own);
        // Both halves of 32 bits are 0: no disc of the mover closes the run.
        const __m128i empty = _mm_cmpeq_epi32(closing, zero);
        const __m128i open = _mm_and_si128(empty, _mm_shuffle_epi32(empty, 0b10110001));
        const __m128i before = _mm_add_epi64(closing, _mm_set1_epi64x(-1));
        turned = _mm_or_si128(turned, _mm_and_si128(_mm_andnot_si128(open, before), ray));
    }

    const Bits right = rays.up[0];
    const Bits stops_right = right & ~opponent;
    const Bits closing_right = stops_right & (~stops_right + 1) & mover;
    const Bits turned_right = right & (closing_right - Bits{closing_right != 0});

    const Bits left = rays.down[0];
    Bits from_stop = left & ~opponent;
    from_stop |= from_stop >> 1;
    from_stop |= from_stop >> 2;
    from_stop |= from_stop >> 4;
    const Bits closing_left = from_stop & ~(from_stop >> 1) & mover;
    const Bits turned_left = left & ~from_stop & (Bits{0} - Bits{closing_left != 0});
    return detail::both_halves(turned) | turned_right | turned_left;
}
#else
constexpr Bits flips(int square, Bits mover, Bits opponent) {
    return portable::flips(square, mover, opponent);
}
#endif

#if defined(__BMI2__)
inline int nth_square(Bits set, int n) { return lowest_square(_pdep_u64(bit(n), set)); }
#else
constexpr int nth_square(Bits set, int n) { return portable::nth_square(set, n); }
#endif

// Rows swapped top to bottom.
constexpr Bits flip_rows(Bits b) {
    b = ((b >> 8) & 0x00FF00FF00FF00FFULL) | ((b & 0x00FF00FF00FF00FFULL) << 8);
    b = ((b >> 16) & 0x0000FFFF0000FFFFULL) | ((b & 0x0000FFFF0000FFFFULL) << 16);
    return (b >> 32) | (b << 32);
}

// Columns swapped left to right.
constexpr Bits flip_columns(Bits b) {
    b = ((b >> 1) & 0x5555555555555555ULL) | ((b & 0x5555555555555555ULL) << 1);
    b = ((b >> 2) & 0x3333333333333333ULL) | ((b & 0x3333333333333333ULL) << 2);
    return ((b >> 4) & 0x0F0F0F0F0F0F0F0FULL) | ((b & 0x0F0F0F0F0F0F0F0FULL) << 4);
}

// Rows and columns exchanged.
constexpr Bits transpose(Bits b) {
    Bits t = (b ^ (b >> 7)) & 0x00AA00AA00AA00AAULL;
    b ^= t ^ (t << 7);
    t = (b ^ (b >> 14)) & 0x0000CCCC0000CCCCULL;
    b ^= t ^ (t << 14);
    t = (b ^ (b >> 28)) & 0x00000000F0F0F0F0ULL;
    return b ^ t ^ (t << 28);
}

// Symmetry number 0..7: bit 0 swaps columns, bit 1 swaps rows, bit 2 then transposes; 0 is
// identity.
constexpr Bits symmetric(Bits b, int symmetry) {
    b = (symmetry & 1) != 0 ? flip_columns(b) : b;
    b = (symmetry & 2) != 0 ? flip_rows(b) : b;
    return (symmetry & 4) != 0 ? transpose(b) : b;
}

}  // namespace outflank
