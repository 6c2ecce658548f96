#include "mlp.hpp"

#include <algorithm>

#include "hyperbolic.hpp"

namespace outflank {
namespace {

constexpr int MOST_NODES = 1 << 20;  // of a layer: 65 rows of the first one still fit an int

int whole_vectors(int nodes) { return (nodes + 7) / 8 * 8; }

// The largest possible sum of a node's inputs, if each is within -1..1. Throws on overflow.
double largest_sum_of(const DenseLayer& layer) {
    double largest = 0;
    const auto nodes = static_cast<std::size_t>(layer.nodes);
    for (std::size_t node = 0; node < nodes; ++node) {
        double sum = std::abs(layer.biases[node]);
        for (std::size_t i = node; i < layer.weights.size(); i += nodes) {
            sum += std::abs(layer.weights[i]);
        }
        largest = std::max(largest, sum);
    }
    const Grid refuses_overflow(largest);
    return largest;
}

// A layer's weights [from][nodes] widened to [rows][width] with zeros.
AlignedVector<double> widened(const DenseLayer& layer, int rows, int width) {
    AlignedVector<double> weights(static_cast<std::size_t>(rows) * static_cast<std::size_t>(width),
                                  0.0);
    for (int from = 0; from < layer.inputs; ++from) {
        std::copy_n(layer.weights.begin() + std::ptrdiff_t{from} * layer.nodes, layer.nodes,
                    weights.begin() + std::ptrdiff_t{from} * width);
    }
    return weights;
}

}  // namespace

struct Mlp::Seen final : Accumulator {
    Seen(const AlignedVector<double>& biases, int widest)
        : sums(biases), before(static_cast<std::size_t>(widest)), after(before.size()) {}
    AlignedVector<double> sums;    // first layer's weighted sums for the board last seen
    AlignedVector<double> before;  // one layer's outputs,
    AlignedVector<double> after;   // and the next one's
};

Mlp::Mlp(std::vector<DenseLayer> layers, bool add_disc_difference)
    : add_disc_difference_(add_disc_difference) {
    for (const DenseLayer& layer : layers) {
        if (layer.nodes > MOST_NODES) {
            throw std::invalid_argument("a layer has at most 1,048,576 nodes");
        }
    }
    const DenseLayer& first = layers.front();
    width_ = whole_vectors(first.nodes);
    const Grid grid(largest_sum_of(first));
    const auto on_grid = [&](double weight) { return grid.round(weight); };
    first_weights_ = widened(first, 65, width_);
    first_biases_ = first.biases;
    first_biases_.resize(static_cast<std::size_t>(width_), 0.0);
    std::transform(first_weights_.begin(), first_weights_.end(), first_weights_.begin(), on_grid);
    std::transform(first_biases_.begin(), first_biases_.end(), first_biases_.begin(), on_grid);

    widest_ = width_;
    for (std::size_t i = 1; i < layers.size(); ++i) {
        DenseLayer layer = std::move(layers[i]);
        largest_sum_of(layer);
        const int width = layer.nodes == 1 ? 1 : whole_vectors(layer.nodes);
        layer.weights = widened(layer, layer.inputs, width);
        layer.biases.resize(static_cast<std::size_t>(width), 0.0);
        layer.nodes = width;
        widest_ = std::max(widest_, width);
        layers_.push_back(std::move(layer));
    }
}

std::size_t Mlp::bytes() const {
    std::size_t numbers = first_weights_.size() + first_biases_.size();
    for (const DenseLayer& layer : layers_) {
        numbers += layer.weights.size() + layer.biases.size();
    }
    return numbers * sizeof(double);
}

std::unique_ptr<Evaluator::Accumulator> Mlp::accumulator() const {
    return std::make_unique<Seen>(first_biases_, widest_);
}

void Mlp::look(Seen& seen, Bits black, Bits white) const {
    double* sums = seen.sums.data();
    const int width = width_;
    for_each_change(seen, black, white, [&](int square, int digits) {
        const double* weights = square_weights(square);
        for (int k = 0; k < width; ++k) {
            sums[k] += digits * weights[k];
        }
    });
    seen.remember(black, white);
}

// From the first layer's sums (in seen.before) to the output. Each node adds its inputs in order,
// so the result does not depend on the width of the machine's vectors.
double Mlp::finish(Seen& seen) const {
    double* before = seen.before.data();
    double* after = seen.after.data();
    int nodes = width_;
    for (const DenseLayer& layer : layers_) {
        for (int k = 0; k < nodes; ++k) {
            before[k] = portable_tanh(before[k]);
        }
        if (layer.nodes == 1) {
            double sum = layer.biases[0];
            for (int from = 0; from < layer.inputs; ++from) {
                sum += before[from] * layer.weights[static_cast<std::size_t>(from)];
            }
            return sum;
        }
        nodes = layer.nodes;
        std::copy_n(layer.biases.data(), nodes, after);
        for (int from = 0; from < layer.inputs; ++from) {
            const double input = before[from];
            const double* weights =
                layer.weights.data() + static_cast<std::ptrdiff_t>(from) * nodes;
            for (int k = 0; k < nodes; ++k) {
                after[k] += input * weights[k];
            }
        }
        std::swap(before, after);
    }
    return before[0];
}

double Mlp::value(Accumulator& accumulator, Bits black, Bits white) const {
    auto& seen = static_cast<Seen&>(accumulator);
    look(seen, black, white);
    std::copy(seen.sums.begin(), seen.sums.end(), seen.before.begin());
    const double added = add_disc_difference_ ? std::popcount(black) - std::popcount(white) : 0;
    return finish(seen) + added;
}

void Mlp::values_after(Accumulator& accumulator, const Board& board, const MoveList& moves,
                       SeenAs seen_as, std::span<double> values) const {
    auto& seen = static_cast<Seen&>(accumulator);
    look(seen, board.black, board.white);
    const bool real_colours = (board.mover == Colour::black) == (seen_as == SeenAs::mover_is_black);
    const double colour = real_colours ? 1 : -1;  // of the board, as it is seen
    const double mover = seen_as == SeenAs::mover_is_black ? 1 : -1;
    const double* sums = seen.sums.data();
    const double* biases = first_biases_.data();
    const int width = width_;
    for (std::size_t i = 0; i < static_cast<std::size_t>(moves.count); ++i) {
        double* nodes = seen.before.data();
        const double* placed = square_weights(moves.squares[i]);
        for (int k = 0; k < width; ++k) {
            nodes[k] = biases[k] + (sums[k] - biases[k]) * colour + placed[k] * mover;
        }
        for_each_flipped(moves.flipped[i], [&](int square) {
            const double* weights = square_weights(square);
            for (int k = 0; k < width; ++k) {
                nodes[k] += weights[k] * (2 * mover);
            }
        });
        double added = 0;
        if (add_disc_difference_) {
            const Position now = board.position();
            added =
                mover * (now.disc_difference_for_mover() + 1 + 2 * std::popcount(moves.flipped[i]));
        }
        values[i] = finish(seen) + added;
    }
}

}  // namespace outflank
