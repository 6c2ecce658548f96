// Fully connected layers whose weights are learned by back-propagation: weights [from][to], then
// biases, at some place of a flat vector.
#pragma once

#include <algorithm>

#include "evaluators/hyperbolic.hpp"
#include "learning/learnable.hpp"

namespace outflank {

// What the nodes of each layer put out, and the gradient of the network's value by their sums.
struct LayerValues {
    explicit LayerValues(const std::vector<int>& nodes) {
        for (const int count : nodes) {
            outputs.emplace_back(static_cast<std::size_t>(count));
            errors.emplace_back(static_cast<std::size_t>(count));
        }
    }
    std::vector<std::vector<float>> outputs;
    std::vector<std::vector<float>> errors;
};

inline void squash(std::vector<float>& nodes) {
    for (float& node : nodes) {
        node = static_cast<float>(portable_tanh(static_cast<double>(node)));
    }
}

// One layer after the other; the last one is not squashed.
inline void dense_forward(const LearningWeights& learning, LayerValues& layers, std::size_t first,
                          std::size_t at) {
    for (std::size_t layer = first; layer < layers.outputs.size(); ++layer) {
        const auto& from = layers.outputs[layer - 1];
        auto& to = layers.outputs[layer];
        const std::size_t nodes = to.size();
        const float* weights = learning.weights.data() + at;
        std::copy_n(weights + from.size() * nodes, nodes, to.begin());
        for (std::size_t i = 0; i < from.size(); ++i) {
            for (std::size_t k = 0; k < nodes; ++k) {
                to[k] += from[i] * weights[i * nodes + k];
            }
        }
        if (layer + 1 < layers.outputs.size()) {
            squash(to);
        }
        at += (from.size() + 1) * nodes;
    }
}

// The other way: from the last layer's error to that of layer first - 1, changing all weights on
// the way. The layers' weights end where the vector ends.
inline void dense_backward(LearningWeights& learning, LayerValues& layers, std::size_t first,
                           float alpha) {
    std::size_t at = learning.weights.size();
    for (std::size_t layer = layers.outputs.size() - 1; layer >= first; --layer) {
        const auto& from = layers.outputs[layer - 1];
        const auto& errors = layers.errors[layer];
        auto& before = layers.errors[layer - 1];
        const std::size_t nodes = errors.size();
        at -= (from.size() + 1) * nodes;
        for (std::size_t i = 0; i < from.size(); ++i) {
            float error = 0;
            for (std::size_t k = 0; k < nodes; ++k) {
                error += errors[k] * learning.weights[at + i * nodes + k];
                learning.change(at + i * nodes + k, errors[k] * from[i], alpha);
            }
            before[i] = error * (1 - from[i] * from[i]);
        }
        for (std::size_t k = 0; k < nodes; ++k) {
            learning.change(at + from.size() * nodes + k, errors[k], alpha);
        }
    }
}

}  // namespace outflank
