// A splittable random number generator: stream(seed, number) gives each game its own numbers, so a
// game does not depend on the thread, the worker or the order in which it is played.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace outflank {

// The finaliser of splitmix64 (Vigna's constants).
constexpr std::uint64_t finalise(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

// xoroshiro128++ of Blackman and Vigna, seeded by splitmix64 of the seed and the stream's number.
class Generator {
  public:
    Generator(std::uint64_t seed, std::uint64_t stream) {
        const std::uint64_t mixed = splitmix(splitmix(seed) + stream);
        state_ = {mixed, splitmix(mixed) | 1};  // never all zero
    }

    std::uint64_t next() {
        const std::uint64_t a = state_[0];
        std::uint64_t b = state_[1];
        const std::uint64_t result = std::rotl(a + b, 17) + a;
        b ^= a;
        state_ = {std::rotl(a, 49) ^ b ^ (b << 21), std::rotl(b, 28)};
        return result;
    }

    // Uniform in [0, 1), 53 bits.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

    // Uniform in 0..count-1 by the multiply-shift of the high 32 bits: for the at most 64 moves of
    // a position the bias is below 2^-26.
    int below(int count) {
        return static_cast<int>(((next() >> 32) * static_cast<std::uint64_t>(count)) >> 32);
    }

  private:
    static constexpr std::uint64_t splitmix(std::uint64_t x) {
        return finalise(x + 0x9E3779B97F4A7C15ULL);
    }

    std::array<std::uint64_t, 2> state_{};
};

}  // namespace outflank
