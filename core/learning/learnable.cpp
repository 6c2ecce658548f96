#include "learning/learnable.hpp"

#include <algorithm>

#include "learning/dense_learning.hpp"

namespace outflank {
namespace {

// A flat vector of weights without padding.
class FlatLearnable : public Learnable {
  public:
    FlatLearnable(std::size_t count, bool coherent) : learning_(count, coherent) {}
    std::size_t weight_count() const override { return learning_.weights.size(); }
    std::size_t bytes() const override { return learning_.bytes(); }
    std::vector<float> weights() const override {
        return {learning_.weights.begin(), learning_.weights.end()};
    }
    void set_weights(std::span<const float> weights) override {
        std::ranges::copy(weights, learning_.weights.begin());
    }
    std::vector<float> coherence() const override {
        return {learning_.coherence.begin(), learning_.coherence.end()};
    }
    void set_coherence(std::span<const float> coherence) override {
        std::ranges::copy(coherence, learning_.coherence.begin());
    }

    // Weights change between calls, so every board is evaluated from scratch.
    void values_after(Accumulator& seen, const Board& board, const MoveList& moves, SeenAs seen_as,
                      std::span<double> values) const override {
        const Position position = board.position();
        for (std::size_t i = 0; i < static_cast<std::size_t>(moves.count); ++i) {
            const Position after = position.play(moves.squares[i], moves.flipped[i]);
            values[i] = seen_as == SeenAs::mover_is_black
                            ? value(seen, after.opponent, after.mover)
                            : value(seen, after.mover, after.opponent);
        }
    }

  protected:
    LearningWeights learning_;
};

class LearningPieceCounter final : public FlatLearnable {
  public:
    LearningPieceCounter(std::span<const int, 64> weight_of_square, std::size_t count,
                         bool coherent)
        : FlatLearnable(count, coherent) {
        std::ranges::copy(weight_of_square, weight_of_square_.begin());
    }
    std::unique_ptr<Accumulator> accumulator() const override {
        return std::make_unique<Accumulator>();
    }
    double value(Accumulator& seen, Bits black, Bits white) const override {
        seen.remember(black, white);
        double sum = 0;
        for (Bits rest = black; rest != 0; rest = without_lowest(rest)) {
            sum += static_cast<double>(learning_.weights[place(lowest_square(rest))]);
        }
        for (Bits rest = white; rest != 0; rest = without_lowest(rest)) {
            sum -= static_cast<double>(learning_.weights[place(lowest_square(rest))]);
        }
        return sum;
    }
    void nudge(Accumulator& seen, float asked, float alpha) override {
        for (Bits rest = seen.black; rest != 0; rest = without_lowest(rest)) {
            learning_.change(place(lowest_square(rest)), asked, alpha);
        }
        for (Bits rest = seen.white; rest != 0; rest = without_lowest(rest)) {
            learning_.change(place(lowest_square(rest)), -asked, alpha);
        }
    }

  private:
    std::size_t place(int square) const {
        return static_cast<std::size_t>(weight_of_square_[static_cast<std::size_t>(square)]);
    }
    std::array<int, 64> weight_of_square_{};
};

class LearningMlp final : public FlatLearnable {
  public:
    LearningMlp(MlpShape shape, std::size_t count, bool coherent)
        : FlatLearnable(count, coherent), shape_(std::move(shape)) {}

    struct Seen final : Accumulator {
        explicit Seen(const std::vector<int>& nodes) : layers(nodes) {}
        LayerValues layers;  // the inputs are layer 0
    };

    std::unique_ptr<Accumulator> accumulator() const override {
        return std::make_unique<Seen>(shape_.nodes);
    }

    double value(Accumulator& accumulator, Bits black, Bits white) const override {
        auto& seen = static_cast<Seen&>(accumulator);
        seen.remember(black, white);
        for (int square = 0; square < 64; ++square) {
            seen.layers.outputs[0][static_cast<std::size_t>(square)] =
                static_cast<float>(black >> square & 1) - static_cast<float>(white >> square & 1);
        }
        first_layer_forward(seen.layers);
        dense_forward(learning_, seen.layers, 2, shape_.first_layer_weights);
        const int difference = std::popcount(black) - std::popcount(white);
        return static_cast<double>(seen.layers.outputs.back()[0]) +
               (shape_.add_disc_difference ? difference : 0);
    }

    // Back-propagation of the value's gradient.
    void nudge(Accumulator& accumulator, float asked, float alpha) override {
        auto& seen = static_cast<Seen&>(accumulator);
        seen.layers.errors.back()[0] = asked;
        dense_backward(learning_, seen.layers, 2, alpha);
        first_layer_backward(seen.layers, alpha);
    }

  private:
    void first_layer_forward(LayerValues& layers) const {
        const std::size_t nodes = layers.outputs[1].size();
        for (std::size_t node = 0; node < nodes; ++node) {
            layers.outputs[1][node] = weight(shape_.first_biases[node]);
        }
        for (std::size_t square = 0; square < 64; ++square) {
            const float input = layers.outputs[0][square];
            if (input == 0) {
                continue;
            }
            for (std::size_t node = 0; node < nodes; ++node) {
                layers.outputs[1][node] +=
                    input * weight(shape_.first_layer[square * nodes + node]);
            }
        }
        squash(layers.outputs[1]);
    }

    void first_layer_backward(const LayerValues& layers, float alpha) {
        const std::size_t nodes = layers.outputs[1].size();
        for (std::size_t node = 0; node < nodes; ++node) {
            change(shape_.first_biases[node], layers.errors[1][node], alpha);
        }
        for (std::size_t square = 0; square < 64; ++square) {
            const float input = layers.outputs[0][square];
            for (std::size_t node = 0; input != 0 && node < nodes; ++node) {
                change(shape_.first_layer[square * nodes + node], layers.errors[1][node] * input,
                       alpha);
            }
        }
    }

    float weight(int place) const {
        return place < 0 ? 0.0F : learning_.weights[static_cast<std::size_t>(place)];
    }
    void change(int place, float asked, float alpha) {
        if (place >= 0) {
            learning_.change(static_cast<std::size_t>(place), asked, alpha);
        }
    }

    MlpShape shape_;
};

}  // namespace

std::unique_ptr<Learnable> learning_piece_counter(std::span<const int, 64> weight_of_square,
                                                  std::size_t weights, bool coherent) {
    return std::make_unique<LearningPieceCounter>(weight_of_square, weights, coherent);
}

std::unique_ptr<Learnable> learning_mlp(MlpShape shape, bool coherent) {
    std::size_t count = shape.first_layer_weights;
    for (std::size_t layer = 2; layer < shape.nodes.size(); ++layer) {
        count += static_cast<std::size_t>((shape.nodes[layer - 1] + 1) * shape.nodes[layer]);
    }
    return std::make_unique<LearningMlp>(std::move(shape), count, coherent);
}

}  // namespace outflank
