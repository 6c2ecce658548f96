// Evaluators whose weights change while they play: piece counter, n-tuple network, MLP.
//
// Weights are floats: large networks are limited by memory. nudge() moves every weight along the
// value's gradient, each by its own learning rate.
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "evaluators/mlp.hpp"
#include "evaluators/ntuple_network.hpp"
#include "rules/epsilon_othello.hpp"

namespace outflank {

// Weights with their learning rates.
//
// Temporal coherence (Beal and Smith 1999): for each weight, the sum E of the changes asked for and
// the sum A of their sizes give the rate alpha |E| / A: full while the changes agree, lower as they
// cancel out.
class LearningWeights {
  public:
    explicit LearningWeights(std::size_t count, bool coherent)
        : weights(count, 0.0F), coherence(coherent ? 2 * count : 0, 0.0F) {}

    void change(std::size_t i, float asked, float alpha) {
        if (coherence.empty()) {
            weights[i] += alpha * asked;
        } else {
            change_coherently(weights[i], &coherence[2 * i], asked, alpha);
        }
    }

    // Keeps a weight that is shared with another one equal to it.
    void copy(std::size_t from, std::size_t to) {
        weights[to] = weights[from];
        if (!coherence.empty()) {
            coherence[2 * to] = coherence[2 * from];
            coherence[2 * to + 1] = coherence[2 * from + 1];
        }
    }

    std::size_t bytes() const { return (weights.size() + coherence.size()) * sizeof(float); }

    AlignedVector<float> weights;
    AlignedVector<float> coherence;  // E and A in turn; empty with one rate for all weights

    // Four different weights, as change() would.
    void change_four(const std::array<std::size_t, 4>& at, float asked, float alpha) {
#if defined(__SSE2__)
        if (!coherence.empty()) {
            change_four_coherently(at, _mm_set1_ps(asked), alpha);
            return;
        }
#endif
        for (const std::size_t i : at) {
            change(i, asked, alpha);
        }
    }

  private:
    // `sums`: E and A.
    static void change_coherently(float& weight, float* sums, float asked, float alpha) {
        const float rate = sums[1] > 0 ? std::abs(sums[0]) / sums[1] : 1.0F;
        weight += alpha * rate * asked;
        sums[0] += asked;
        sums[1] += std::abs(asked);
    }

#if defined(__SSE2__)
    // The same without a branch: which weights are new is unpredictable.
    void change_four_coherently(const std::array<std::size_t, 4>& at, __m128 asked, float alpha) {
        const auto sums = [&](std::size_t i) {
            return reinterpret_cast<__m64*>(coherence.data() + 2 * at[i]);
        };
        const __m128 sign = _mm_set1_ps(-0.0F);
        const __m128 one = _mm_set1_ps(1.0F);
        const __m128 low = _mm_loadh_pi(_mm_loadl_pi(one, sums(0)), sums(1));
        const __m128 high = _mm_loadh_pi(_mm_loadl_pi(one, sums(2)), sums(3));
        const __m128 sum = _mm_shuffle_ps(low, high, 0x88);    // E of each
        const __m128 sizes = _mm_shuffle_ps(low, high, 0xDD);  // A of each
        const __m128 known = _mm_cmpgt_ps(sizes, _mm_setzero_ps());
        const __m128 instead = _mm_andnot_ps(known, one);  // 1 / 1 of a new weight
        const __m128 agreed = _mm_or_ps(_mm_and_ps(known, _mm_andnot_ps(sign, sum)), instead);
        const __m128 rate = _mm_div_ps(agreed, _mm_or_ps(_mm_and_ps(known, sizes), instead));
        alignas(16) std::array<float, 4> steps;
        _mm_store_ps(steps.data(), _mm_mul_ps(_mm_mul_ps(_mm_set1_ps(alpha), rate), asked));
        const __m128 sum_now = _mm_add_ps(sum, asked);
        const __m128 sizes_now = _mm_add_ps(sizes, _mm_andnot_ps(sign, asked));
        const __m128 low_now = _mm_unpacklo_ps(sum_now, sizes_now);
        const __m128 high_now = _mm_unpackhi_ps(sum_now, sizes_now);
        _mm_storel_pi(sums(0), low_now);
        _mm_storeh_pi(sums(1), low_now);
        _mm_storel_pi(sums(2), high_now);
        _mm_storeh_pi(sums(3), high_now);
        for (std::size_t i = 0; i < 4; ++i) {
            weights[at[i]] += steps[i];
        }
    }
#endif
};

class Learnable : public Evaluator {
  public:
    // Changes the weights so that the board that value() last saw through `seen` is worth more
    // (asked > 0) or less.
    virtual void nudge(Accumulator& seen, float asked, float alpha) = 0;
    // Makes both accumulators see the board after one of the moves that values_after() last valued
    // through `before`: that one as colours are on the board, `after` as values_after() saw it.
    // value() and nudge() of the board and the next values_after() then have less to do. Evaluators
    // that gain nothing do nothing.
    virtual void follow(Accumulator& /*before*/, const Board& /*board*/, const MoveList& /*moves*/,
                        std::size_t /*chosen*/, SeenAs /*seen_as*/, Accumulator& /*after*/) const {}
    // Boards of different parts have no weight in common, so that threads may learn them at once.
    virtual int parts() const { return 1; }
    virtual int part_of(int /*discs*/) const { return 0; }

    virtual std::size_t weight_count() const = 0;
    // All weights in the order of the evaluator's flat vector; coherence() likewise, two per
    // weight.
    virtual std::vector<float> weights() const = 0;
    virtual void set_weights(std::span<const float> weights) = 0;
    virtual std::vector<float> coherence() const = 0;
    virtual void set_coherence(std::span<const float> coherence) = 0;
};

std::unique_ptr<Learnable> learning_piece_counter(std::span<const int, 64> weight_of_square,
                                                  std::size_t weights, bool coherent);
// `symmetric`: mirror-image entries share one weight (mirror_images.hpp).
std::unique_ptr<Learnable> learning_network(std::span<const TupleTable> tables, int stages,
                                            bool coherent, bool symmetric = false);

// An MLP by its layers' sizes. `first_layer[square * nodes + node]` is the index of a weight in the
// flat vector, or -1 where there is no connection (Chong 2003); `first_biases[node]` likewise.
struct MlpShape {
    std::vector<int> nodes;  // 64, ..., 1
    std::vector<int> first_layer;
    std::vector<int> first_biases;
    std::size_t first_layer_weights = 0;
    bool add_disc_difference = false;
};
std::unique_ptr<Learnable> learning_mlp(MlpShape shape, bool coherent);

}  // namespace outflank
