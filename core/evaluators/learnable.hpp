// Evaluators whose weights change while they play: piece counter, n-tuple network, MLP.
//
// Weights are floats: large networks are limited by memory. nudge() moves every weight along the
// value's gradient, each by its own learning rate.
#pragma once

#include "mlp.hpp"
#include "ntuple_network.hpp"

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
            return;
        }
        float& sum = coherence[2 * i];
        float& sizes = coherence[2 * i + 1];
        const float rate = sizes > 0 ? std::abs(sum) / sizes : 1.0F;
        weights[i] += alpha * rate * asked;
        sum += asked;
        sizes += std::abs(asked);
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
};

class Learnable : public Evaluator {
  public:
    // Changes the weights so that the board that value() last saw through `seen` is worth more
    // (asked > 0) or less.
    virtual void nudge(Accumulator& seen, float asked, float alpha) = 0;
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
