// Fully connected layers of tanh nodes, for several boards at a time: each layer is one matrix
// product, blocked so that its sums stay in registers and a weight that is loaded serves several
// boards.
//
// Every node adds its bias and then its inputs in order, whatever the blocks, so doubles give the
// same bits on every machine. Floats are for estimates and may round differently (fused
// multiply-add where the machine has it).
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "evaluators/hyperbolic.hpp"
#include "support/aligned.hpp"

namespace outflank {

// weights[from][to], then one bias per node.
struct DenseLayer {
    int inputs = 0;
    int nodes = 0;
    AlignedVector<double> weights;
    AlignedVector<double> biases;
};

// Makes outputs of hidden nodes out of their sums.
inline void hidden_nodes(double* sums, int count) {
    for (int k = 0; k < count; ++k) {
        sums[k] = portable_tanh(sums[k]);
    }
}
inline void hidden_nodes(float* sums, int count) {
    for (int k = 0; k < count; k += LANES<float>) {
        store(sums + k, estimated_tanh(load(sums + k)));
    }
}

// The layers after the first, in doubles or floats.
template <class Number>
class DenseLayers {
  public:
    static constexpr int BATCH = 8;  // boards at a time

    // Outputs of one layer for a batch, [board][node], and of the next one.
    struct Nodes {
        AlignedVector<Number> before;
        AlignedVector<Number> after;
    };

    DenseLayers() = default;

    // `first_width`: numbers per board that the first layer gives, padding included.
    DenseLayers(std::span<const DenseLayer> layers, int first_width) : first_width_(first_width) {
        widest_ = first_width;
        for (const DenseLayer& layer : layers) {
            layers_.emplace_back(layer, &layer == &layers.back());
            widest_ = std::max(widest_, layers_.back().width);
        }
    }

    Nodes nodes() const {
        const auto size = static_cast<std::size_t>(BATCH) * static_cast<std::size_t>(widest_);
        return {AlignedVector<Number>(size), AlignedVector<Number>(size)};
    }

    // The last node's sum for each board, from the first layer's outputs in nodes.before.
    void outputs(Nodes& nodes, std::span<double> outputs) const {
        const int boards = static_cast<int>(outputs.size());
        Number* before = nodes.before.data();
        Number* after = nodes.after.data();
        int width = first_width_;
        for (std::size_t i = 0; i + 1 < layers_.size(); ++i) {
            multiply(layers_[i], before, width, boards, after);
            width = layers_[i].width;
            hidden_nodes(after, boards * width);
            std::swap(before, after);
        }
        last_node(layers_.back(), before, width, outputs);
    }

    std::size_t bytes() const {
        std::size_t numbers = 0;
        for (const Layer& layer : layers_) {
            numbers += layer.weights.size() + layer.biases.size();
        }
        return numbers * sizeof(Number);
    }

  private:
    using Vector = VectorOf<Number>;

    struct Layer {
        int inputs;
        int width;                      // nodes, rounded up to whole vectors
        AlignedVector<Number> weights;  // [inputs][width]; of the last one [inputs], then zeros
        AlignedVector<Number> biases;

        Layer(const DenseLayer& layer, bool last) : inputs(layer.inputs) {
            const auto number = [](double weight) { return static_cast<Number>(weight); };
            width = last ? 1 : whole_vectors<Number>(layer.nodes);
            const int rows = last ? whole_vectors<Number>(inputs) : inputs;
            weights.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(width));
            for (int from = 0; from < inputs; ++from) {
                std::transform(layer.weights.begin() + std::ptrdiff_t{from} * layer.nodes,
                               layer.weights.begin() + std::ptrdiff_t{from + 1} * layer.nodes,
                               weights.begin() + std::ptrdiff_t{from} * width, number);
            }
            biases.resize(static_cast<std::size_t>(width));
            std::transform(layer.biases.begin(), layer.biases.end(), biases.begin(), number);
        }
    };

    // Boards of a block: as many as leave registers for their inputs and a vector of weights.
    template <int VECTORS>
    static constexpr int BLOCK = 4 * VECTORS + 5 <= VECTOR_REGISTERS ? 4 : 2;

    // The sums of VECTORS vectors of nodes for a block of boards.
    template <int VECTORS>
    static void multiply_block(const Layer& layer, int first_node, const Number* inputs,
                               int input_width, Number* sums) {
        constexpr int BOARDS = BLOCK<VECTORS>;
        constexpr int LANE = LANES<Number>;
        Vector sum[BOARDS][VECTORS];
        for (int v = 0; v < VECTORS; ++v) {
            const Vector bias = load(layer.biases.data() + first_node + v * LANE);
            for (int board = 0; board < BOARDS; ++board) {
                sum[board][v] = bias;
            }
        }
        const Number* weights = layer.weights.data() + first_node;
        for (int from = 0; from < layer.inputs; ++from, weights += layer.width) {
            for (int v = 0; v < VECTORS; ++v) {
                const Vector weight = load(weights + v * LANE);
                for (int board = 0; board < BOARDS; ++board) {
                    const Vector input = inputs[board * input_width + from] - Vector{};
                    sum[board][v] = multiply_add(input, weight, sum[board][v]);
                }
            }
        }
        for (int board = 0; board < BOARDS; ++board) {
            for (int v = 0; v < VECTORS; ++v) {
                store(sums + board * layer.width + first_node + v * LANE, sum[board][v]);
            }
        }
    }

    template <int VECTORS>
    static void multiply_columns(const Layer& layer, int first_node, const Number* inputs,
                                 int input_width, int boards, Number* sums) {
        for (int board = 0; board < boards; board += BLOCK<VECTORS>) {
            multiply_block<VECTORS>(layer, first_node, inputs + board * input_width, input_width,
                                    sums + board * layer.width);
        }
    }

    // A layer's sums for all boards. The last block may go on into boards that nobody asked for.
    static void multiply(const Layer& layer, const Number* inputs, int input_width, int boards,
                         Number* sums) {
        int vectors = 0;
        for (int node = 0; node < layer.width; node += vectors * LANES<Number>) {
            vectors = std::min(5, (layer.width - node) / LANES<Number>);
            constexpr auto COLUMNS =
                std::array{&multiply_columns<1>, &multiply_columns<2>, &multiply_columns<3>,
                           &multiply_columns<4>, &multiply_columns<5>};
            COLUMNS[static_cast<std::size_t>(vectors - 1)](layer, node, inputs, input_width, boards,
                                                           sums);
        }
    }

    // Doubles in the order of the inputs; the boards' sums side by side, because each is a chain.
    static void last_node(const Layer& layer, const double* inputs, int input_width,
                          std::span<double> outputs) {
        std::ranges::fill(outputs, layer.biases[0]);
        for (int from = 0; from < layer.inputs; ++from) {
            const double weight = layer.weights[static_cast<std::size_t>(from)];
            for (std::size_t board = 0; board < outputs.size(); ++board) {
                outputs[board] += inputs[static_cast<int>(board) * input_width + from] * weight;
            }
        }
    }

    static void last_node(const Layer& layer, const float* inputs, int input_width,
                          std::span<double> outputs) {
        for (double& output : outputs) {
            Floats sum{};
            for (int from = 0; from < layer.inputs; from += LANES<float>) {
                sum = multiply_add(load(inputs + from), load(layer.weights.data() + from), sum);
            }
            std::array<float, LANES<float>> lanes;
            std::memcpy(lanes.data(), &sum, sizeof sum);
            for (std::size_t half = lanes.size() / 2; half > 0; half /= 2) {
                for (std::size_t lane = 0; lane < half; ++lane) {
                    lanes[lane] += lanes[lane + half];
                }
            }
            output = static_cast<double>(lanes[0] + layer.biases[0]);
            inputs += input_width;
        }
    }

    std::vector<Layer> layers_;
    int first_width_ = 0;
    int widest_ = 0;
};

}  // namespace outflank
