// The indices of a network's slots, sixteen at a time, and how a move changes them.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "evaluators/vectors.hpp"
#include "rules/bitboard.hpp"

namespace outflank {

// Sixteen indices, in as many vectors of the machine's own width as that takes, by a GCC and Clang
// extension. (GCC 12 passes wider vectors through memory.)
template <class Number>
class IndexVector {
  public:
    static constexpr std::size_t NUMBERS = 16;

    // Each of 16 bits, unsigned.
    static IndexVector widened(const IndexVector<std::uint16_t>& narrow) {
        IndexVector vector;
#if defined(__AVX2__)  // without a way through memory
        const auto all = std::bit_cast<__m256i>(narrow);
        const __m128i halves[2] = {_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1)};
        for (std::size_t i = 0; i < PIECES; ++i) {
            vector.pieces_[i] = std::bit_cast<Piece>(_mm256_cvtepu16_epi32(halves[i]));
        }
#else
        for (std::size_t i = 0; i < PIECES; ++i) {
            NarrowPiece piece;
            std::memcpy(&piece, reinterpret_cast<const std::uint16_t*>(&narrow) + i * IN_PIECE,
                        sizeof piece);
            vector.pieces_[i] = __builtin_convertvector(piece, Piece);
        }
#endif
        return vector;
    }
    static IndexVector load(const Number* from) {
        IndexVector vector;
        for (std::size_t i = 0; i < PIECES; ++i) {
            std::memcpy(&vector.pieces_[i], from + i * IN_PIECE, sizeof(Piece));
        }
        return vector;
    }
    void store(Number* to) const {
        for (std::size_t i = 0; i < PIECES; ++i) {
            std::memcpy(to + i * IN_PIECE, &pieces_[i], sizeof(Piece));
        }
    }
    IndexVector& operator+=(const IndexVector& other) {
        for (std::size_t i = 0; i < PIECES; ++i) {
            pieces_[i] += other.pieces_[i];
        }
        return *this;
    }
    IndexVector& operator-=(const IndexVector& other) {
        for (std::size_t i = 0; i < PIECES; ++i) {
            pieces_[i] -= other.pieces_[i];
        }
        return *this;
    }
    // Unsigned lanes wrap, so that a negative factor subtracts.
    IndexVector& operator*=(int factor) {
        for (std::size_t i = 0; i < PIECES; ++i) {
            pieces_[i] *= static_cast<Number>(factor);
        }
        return *this;
    }

  private:
#if defined(__AVX2__)
    // Not 64: while vectors of 64 bytes are under way an Intel core has one port less for others,
    // and FFO 20-39 takes 1.2 times as long.
    static constexpr std::size_t WIDEST = 32;
#else
    static constexpr std::size_t WIDEST = 16;  // AVX alone has no integers of 32 bytes
#endif
    static constexpr std::size_t BYTES =
        WIDEST < NUMBERS * sizeof(Number) ? WIDEST : NUMBERS * sizeof(Number);
    static constexpr std::size_t IN_PIECE = BYTES / sizeof(Number);
    static constexpr std::size_t PIECES = NUMBERS / IN_PIECE;
    using Piece [[gnu::vector_size(BYTES)]] = Number;
    using NarrowPiece [[gnu::vector_size(IN_PIECE * sizeof(std::uint16_t))]] = std::uint16_t;
    Piece pieces_[PIECES];  // NOLINT: GCC 12 keeps a std::array of vectors in memory
};

// How a move changes the indices, with the mover's discs as digit 2: by one step where it places a
// disc, by two steps for each disc that it flips. The first AT_ONCE are added without a branch: a
// mispredicted loop end costs more than a few additions of row 64, which is zero.
template <class Number, std::size_t AT_ONCE = 4>
class MoveSteps {
  public:
    MoveSteps(const Number* steps, std::size_t width, int square, Bits flipped)
        : steps_(steps), width_(width), placed_(row(square)) {
        for (const Number*& flipped_row : flipped_) {
            flipped_row = row(lowest_square(flipped));
            flipped = without_lowest(flipped);
        }
        more_flipped_ = flipped;
    }
    IndexVector<Number> at(std::size_t slot) const {
        using Vector = IndexVector<Number>;
        auto change = Vector::load(flipped_[0] + slot);
        for (std::size_t i = 1; i < flipped_.size(); ++i) {
            change += Vector::load(flipped_[i] + slot);
        }
        for (Bits rest = more_flipped_; rest != 0; rest = without_lowest(rest)) [[unlikely]] {
            change += Vector::load(row(lowest_square(rest)) + slot);
        }
        change += change;
        change += Vector::load(placed_ + slot);
        return change;
    }

  private:
    const Number* row(int square) const {
        return steps_ + static_cast<std::size_t>(square) * width_;
    }

    const Number* steps_;
    std::size_t width_;
    const Number* placed_;
    std::array<const Number*, AT_ONCE> flipped_;
    Bits more_flipped_;
};

}  // namespace outflank
