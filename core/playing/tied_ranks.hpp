// Which moves are best, by their ranks (RankScale in evaluators/move_batch.hpp).
#pragma once

#include <algorithm>
#include <limits>
#include <span>

#include "evaluators/move_batch.hpp"
#include "rules/epsilon_othello.hpp"

namespace outflank {

// How far behind the highest rank a move surely ties for best, and how far it possibly does.
struct TieLimits {
    std::int32_t surely;
    std::int32_t possibly;

    explicit TieLimits(const RankScale& scale)
        : surely(scale.surely_within(TIE)), possibly(scale.surely_beyond(TIE)) {}
};

// Sets of moves. Where both are the same, or only one move is possible, ranks are enough.
struct TiedRanks {
    Bits surely = 0;
    Bits possibly = 0;
    friend bool operator==(const TiedRanks&, const TiedRanks&) = default;
};

namespace portable {

inline TiedRanks tied_ranks(std::span<const std::int32_t> ranks, const TieLimits& limits) {
    const std::int32_t highest = *std::ranges::max_element(ranks);
    TiedRanks tied;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        tied.surely |= Bits{ranks[i] >= highest - limits.surely} << i;
        tied.possibly |= Bits{ranks[i] >= highest - limits.possibly} << i;
    }
    return tied;
}

}  // namespace portable

// Up to sixteen ranks without a branch: in a batch of games, how many moves there are is what a
// processor mispredicts. Reads sixteen, whatever the count.
#if defined(__AVX2__)
inline TiedRanks tied_ranks(const std::int32_t* ranks, std::size_t count, const TieLimits& limits) {
    if (count > 16) [[unlikely]] {
        return portable::tied_ranks({ranks, count}, limits);
    }
    const __m256i counts = _mm256_set1_epi32(static_cast<int>(count));
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i least = _mm256_set1_epi32(std::numeric_limits<std::int32_t>::min());
    const auto load = [&](int from) {
        const auto* at = reinterpret_cast<const __m256i*>(ranks + from);
        const __m256i in_use =
            _mm256_cmpgt_epi32(counts, _mm256_add_epi32(lanes, _mm256_set1_epi32(from)));
        return _mm256_blendv_epi8(least, _mm256_loadu_si256(at), in_use);
    };
    const __m256i first = load(0);
    const __m256i second = load(8);
    // In all lanes: neighbours exchanged, then pairs, then halves.
    __m256i highest = _mm256_max_epi32(first, second);
    highest = _mm256_max_epi32(highest, _mm256_shuffle_epi32(highest, 0b10110001));
    highest = _mm256_max_epi32(highest, _mm256_shuffle_epi32(highest, 0b01001110));
    highest = _mm256_max_epi32(highest, _mm256_permute2x128_si256(highest, highest, 1));
    const auto within = [&](std::int32_t limit) {
        const __m256i too_low = _mm256_sub_epi32(highest, _mm256_set1_epi32(limit + 1));
        const auto bits = [&](__m256i some) {
            return static_cast<Bits>(static_cast<unsigned>(
                _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(some, too_low)))));
        };
        return bits(first) | bits(second) << 8;
    };
    return {within(limits.surely), within(limits.possibly)};
}
#else
inline TiedRanks tied_ranks(const std::int32_t* ranks, std::size_t count, const TieLimits& limits) {
    return portable::tied_ranks({ranks, count}, limits);
}
#endif

}  // namespace outflank
