#include "evaluators/mlp.hpp"

#include <algorithm>

namespace outflank {
namespace {

constexpr int MOST_NODES = 1 << 20;  // of a layer: 65 rows of the first one still fit an int

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
    AlignedVector<double> sums;  // first layer's weighted sums for the board last seen
    DenseLayers<double>::Nodes nodes;
    MlpEstimate::Seen estimate;
};

Mlp::Mlp(std::vector<DenseLayer> layers, bool add_disc_difference)
    : first_is_last_(layers.size() == 1), add_disc_difference_(add_disc_difference) {
    for (const DenseLayer& layer : layers) {
        if (layer.nodes > MOST_NODES) {
            fail("a layer has at most 1,048,576 nodes");
        }
    }
    const DenseLayer& first = layers.front();
    const double largest_sum = largest_sum_of(first);
    std::for_each(layers.begin() + 1, layers.end(), largest_sum_of);

    width_ = whole_vectors<double>(first.nodes);
    const Grid grid(largest_sum);
    const auto on_grid = [&](double weight) { return grid.round(weight); };
    first_weights_ = widened(first, 65, width_);
    first_biases_ = first.biases;
    first_biases_.resize(static_cast<std::size_t>(width_), 0.0);
    std::transform(first_weights_.begin(), first_weights_.end(), first_weights_.begin(), on_grid);
    std::transform(first_biases_.begin(), first_biases_.end(), first_biases_.begin(), on_grid);

    later_ = {std::span(layers).subspan(1), width_};
    if (!first_is_last_) {
        auto estimate = std::make_unique<const MlpEstimate>(layers, largest_sum);
        if (estimate->is_useful()) {
            estimate_ = std::move(estimate);
        }
    }
    if (add_disc_difference) {  // a millionth for the roundings of doubles
        distance_ = 1.000001 * (largest_sum_of(layers.back()) + estimate_error());
    }
}

std::size_t Mlp::bytes() const {
    return (first_weights_.size() + first_biases_.size()) * sizeof(double) + later_.bytes() +
           (estimate_ ? estimate_->bytes() : 0);
}

std::unique_ptr<Evaluator::Accumulator> Mlp::accumulator() const {
    auto seen = std::make_unique<Seen>();
    seen->sums = first_biases_;
    seen->nodes = later_.nodes();
    if (estimate_) {
        seen->estimate = estimate_->seen();
    }
    return seen;
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

// From the first layer's sums of some boards (in seen.nodes.before) to their outputs.
void Mlp::outputs(Seen& seen, std::span<double> values) const {
    double* nodes = seen.nodes.before.data();
    if (first_is_last_) {
        for (double& value : values) {
            value = *nodes;
            nodes += width_;
        }
        return;
    }
    hidden_nodes(nodes, static_cast<int>(values.size()) * width_);
    later_.outputs(seen.nodes, values);
}

double Mlp::value(Accumulator& accumulator, Bits black, Bits white) const {
    auto& seen = static_cast<Seen&>(accumulator);
    look(seen, black, white);
    std::copy(seen.sums.begin(), seen.sums.end(), seen.nodes.before.begin());
    double value = 0;
    outputs(seen, {&value, 1});
    return value + (add_disc_difference_ ? std::popcount(black) - std::popcount(white) : 0);
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
    constexpr std::size_t BATCH = DenseLayers<double>::BATCH;
    for (std::size_t begin = 0; begin < values.size(); begin += BATCH) {
        const auto batch = values.subspan(begin, std::min(BATCH, values.size() - begin));
        double* nodes = seen.nodes.before.data();
        for (std::size_t i = begin; i < begin + batch.size(); ++i, nodes += width) {
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
        }
        outputs(seen, batch);
    }
    add_disc_differences(board, moves, seen_as, values);
}

void Mlp::estimates_after(Accumulator& accumulator, const Board& board, const MoveList& moves,
                          SeenAs seen_as, std::span<double> values) const {
    if (!estimate_) {
        values_after(accumulator, board, moves, seen_as, values);
        return;
    }
    estimate_->outputs_after(static_cast<Seen&>(accumulator).estimate, board, moves, seen_as,
                             values);
    add_disc_differences(board, moves, seen_as, values);
}

void Mlp::add_disc_differences(const Board& board, const MoveList& moves, SeenAs seen_as,
                               std::span<double> values) const {
    if (!add_disc_difference_) {
        return;
    }
    const int mover = seen_as == SeenAs::mover_is_black ? 1 : -1;
    const int now = board.position().disc_difference_for_mover();
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] += mover * (now + 1 + 2 * std::popcount(moves.flipped[i]));
    }
}

}  // namespace outflank
