// The layers behind the tables of a deep n-tuple network, for one stage of the game.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>

#include "evaluators/board_counts.hpp"
#include "support/aligned.hpp"

namespace outflank {

inline constexpr int LONGEST_ENTRY = 32;
inline constexpr int MOST_HIDDEN = 64;
inline constexpr int BOARD_INPUTS = 8;

// What the layers see beside the tables' sums, each about 1 at most; Black moved last. For both
// sides: legal moves, empty squares beside the other side's discs (potential mobility), discs
// beside an empty square (frontier). Then the disc difference, and whether White must pass.
inline void board_inputs(Bits black, Bits white, float* inputs) {
    const Bits empty = ~(black | white);
    const Bits near_empty = neighbours(empty);
    const auto count = [](Bits set, float unit) {
        return static_cast<float>(std::popcount(set)) * unit;
    };
    const Bits replies = legal_moves(white, black);
    inputs[0] = count(legal_moves(black, white), 0x1p-3F);
    inputs[1] = count(replies, 0x1p-3F);
    inputs[2] = count(neighbours(white) & empty, 0x1p-4F);
    inputs[3] = count(neighbours(black) & empty, 0x1p-4F);
    inputs[4] = count(near_empty & black, 0x1p-4F);
    inputs[5] = count(near_empty & white, 0x1p-4F);
    inputs[6] = count(black, 0x1p-5F) - count(white, 0x1p-5F);
    inputs[7] = replies == 0 ? 1.0F : 0.0F;
}

struct DeepShape {
    int vector = 8;  // numbers of an entry
    int hidden = 16;
    int stages = 1;

    int inputs() const { return vector + BOARD_INPUTS; }
    // Biases of the tables' sums; hidden nodes: weights [input][node], biases; output: weights of
    // the inputs, weights of the hidden nodes, bias.
    std::size_t weights_of_one_stage() const {
        const auto entry = static_cast<std::size_t>(vector);
        const auto nodes = static_cast<std::size_t>(hidden);
        const std::size_t seen = entry + BOARD_INPUTS;
        return entry + (seen + 1) * nodes + seen + nodes + 1;
    }
};

// Hidden nodes that are not active pass on a little: they go on learning.
inline constexpr float LEAK = 0x1p-4F;

class DeepLayers {
  public:
    static constexpr std::size_t LANES = 16;
    static constexpr std::size_t MOST_INPUTS = 48;
    static_assert(MOST_INPUTS % LANES == 0 && LONGEST_ENTRY + BOARD_INPUTS <= MOST_INPUTS);
    using Inputs = std::array<float, MOST_INPUTS>;

    // `weights`: of one stage, as in DeepShape.
    DeepLayers(const DeepShape& shape, std::span<const double> weights)
        : count_(static_cast<std::size_t>(shape.inputs())),
          hidden_(whole(static_cast<std::size_t>(shape.hidden))),
          direct_(whole(count_)),
          into_hidden_((count_ + 1) * hidden_),
          out_of_hidden_(hidden_) {
        const double* from = weights.data();
        const auto take = [&](float* to, int count) {
            std::transform(from, from + count, to, [](double w) { return static_cast<float>(w); });
            from += count;
        };
        sums_.resize(static_cast<std::size_t>(shape.vector));
        take(sums_.data(), shape.vector);
        for (std::size_t row = 0; row <= count_; ++row) {  // the last one: biases
            take(into_hidden_.data() + row * hidden_, shape.hidden);
        }
        take(direct_.data(), shape.inputs());
        take(out_of_hidden_.data(), shape.hidden);
        take(&bias_, 1);
    }

    // What is added to the tables' sums.
    std::span<const float> biases() const { return sums_; }

    // The output. Inputs behind the last one are zero.
    float output(const Inputs& inputs) const {
        alignas(64) std::array<float, MOST_HIDDEN> nodes;
        std::copy_n(into_hidden_.data() + count_ * hidden_, hidden_, nodes.data());
        const float* row = into_hidden_.data();
        for (std::size_t i = 0; i < count_; ++i, row += hidden_) {
            for (std::size_t j = 0; j < hidden_; ++j) {
                nodes[j] += inputs[i] * row[j];
            }
        }
        alignas(64) std::array<float, LANES> lanes{};
        for (std::size_t j = 0; j < hidden_; ++j) {
            const float active = nodes[j] > 0 ? nodes[j] : LEAK * nodes[j];
            lanes[j % LANES] += active * out_of_hidden_[j];
        }
        for (std::size_t i = 0; i < direct_.size(); ++i) {
            lanes[i % LANES] += inputs[i] * direct_[i];
        }
        for (std::size_t half = LANES / 2; half > 0; half /= 2) {
            for (std::size_t lane = 0; lane < half; ++lane) {
                lanes[lane] += lanes[lane + half];
            }
        }
        return lanes[0] + bias_;
    }

    std::size_t bytes() const {
        return (sums_.size() + into_hidden_.size() + direct_.size() + out_of_hidden_.size()) *
               sizeof(float);
    }

  private:
    static std::size_t whole(std::size_t count) { return (count + LANES - 1) / LANES * LANES; }

    std::size_t count_;   // inputs
    std::size_t hidden_;  // nodes, rounded up to whole vectors: the others are zero
    AlignedVector<float> sums_;
    AlignedVector<float> direct_;
    AlignedVector<float> into_hidden_;  // [count_ + 1][hidden_]
    AlignedVector<float> out_of_hidden_;
    float bias_ = 0;
};

}  // namespace outflank
