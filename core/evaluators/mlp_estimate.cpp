#include "evaluators/mlp_estimate.hpp"

#include <cmath>

namespace outflank {
namespace {

constexpr double FLOAT_ROUNDING = 0x1.0p-24;  // relative error of one operation

// Sums of 29 bits: two more are for partial sums, which count flipped discs twice.
double fixed_point_step(double largest_sum) {
    int exponent = 0;
    std::frexp(largest_sum, &exponent);
    return std::ldexp(1.0, exponent - 29);
}

// How far each node of a layer may be off, from how far its inputs are: those errors times the
// weights, a rounding of every weight and product, and one of every partial sum. The last layer
// adds in a tree of its own: up to six more roundings.
std::vector<double> errors_of_sums(const DenseLayer& layer, const std::vector<double>& errors) {
    std::vector<double> result(static_cast<std::size_t>(layer.nodes));
    std::vector<double> parts(static_cast<std::size_t>(layer.inputs));
    for (std::size_t node = 0; node < result.size(); ++node) {
        double carried = 0;
        for (std::size_t from = 0; from < parts.size(); ++from) {
            const double weight = std::abs(layer.weights[from * result.size() + node]);
            carried += weight * errors[from];
            parts[from] = weight * (1 + errors[from]);
        }
        double partial = std::abs(layer.biases[node]);
        double rounded = partial;
        for (const double part : parts) {
            partial += part;
            rounded += 2 * part + partial;
        }
        result[node] = carried + FLOAT_ROUNDING * (rounded + 6 * partial);
    }
    return result;
}

// The bound for the output. tanh carries an error on without enlarging it and adds its own. A
// hundredth on top covers the roundings of the exact values, of doubles, and of this sum.
double error_of_output(std::span<const DenseLayer> layers, double largest_sum, double step) {
    const double of_first = 65 * step / 2 + FLOAT_ROUNDING * largest_sum;
    std::vector<double> errors(static_cast<std::size_t>(layers[0].nodes), of_first);
    for (const DenseLayer& layer : layers.subspan(1)) {
        for (double& error : errors) {
            error += ESTIMATED_TANH_ERROR;
        }
        errors = errors_of_sums(layer, errors);
    }
    return 1.01 * errors[0];
}

double largest_output(const DenseLayer& last) {
    double sum = 0;
    for (const double weight : last.weights) {
        sum += std::abs(weight);
    }
    return sum;
}

// Calls block<VECTORS>(first) for all numbers of a row, four vectors at a time.
template <class Block>
void in_blocks(int width, Block block) {
    int first = 0;
    for (; first + 4 * LANES<float> <= width; first += 4 * LANES<float>) {
        block.template operator()<4>(first);
    }
    for (; first < width; first += LANES<float>) {
        block.template operator()<1>(first);
    }
}

struct Change {
    const std::int32_t* weights;
    int digits;
};

template <int VECTORS>
void add_changes(std::span<const Change> changes, int first, std::int32_t* sums) {
    Ints sum[VECTORS];
    std::memcpy(sum, sums, sizeof sum);
    for (const Change& change : changes) {
        for (std::ptrdiff_t v = 0; v < VECTORS; ++v) {
            sum[v] += load(change.weights + first + v * LANES<float>) * change.digits;
        }
    }
    std::memcpy(sums, sum, sizeof sum);
}

// Some moves of a list, and where the sums after each of them go, [move][width].
struct Moves {
    std::span<const std::uint8_t> squares;
    std::span<const Bits> flipped;
    std::int32_t* sums;
};

// The sums of VECTORS vectors of nodes after each move: those before it, the disc placed, the discs
// flipped. `weights` is [65][width].
template <int VECTORS>
void add_moves(const std::int32_t* before, const std::int32_t* weights, int width, int first,
               const Moves& moves) {
    const auto row = [&](int square) { return weights + std::ptrdiff_t{square} * width + first; };
    std::int32_t* sums = moves.sums + first;
    for (std::size_t i = 0; i < moves.squares.size(); ++i, sums += width) {
        Ints turned[VECTORS]{};
        for_each_flipped(moves.flipped[i], [&](int square) {
            for (std::ptrdiff_t v = 0; v < VECTORS; ++v) {
                turned[v] += load(row(square) + v * LANES<float>);
            }
        });
        for (std::ptrdiff_t v = 0; v < VECTORS; ++v) {
            store(sums + v * LANES<float>, turned[v] + turned[v] +
                                               load(before + first + v * LANES<float>) +
                                               load(row(moves.squares[i]) + v * LANES<float>));
        }
    }
}

}  // namespace

MlpEstimate::MlpEstimate(std::span<const DenseLayer> layers, double largest_sum)
    : step_(fixed_point_step(largest_sum)),
      error_(error_of_output(layers, largest_sum, step_)),
      width_(whole_vectors<float>(layers[0].nodes)) {
    const DenseLayer& first = layers[0];
    const double range = largest_output(layers.back());
    // Far from the ends of what a float holds, and an error below a hundredth of the output's
    // range.
    const auto is_ordinary = [](double number) { return number > 0x1.0p-60 && number < 0x1.0p60; };
    useful_ = is_ordinary(largest_sum) && is_ordinary(range) && error_ < 0.1 * range;
    if (!useful_) {
        return;
    }
    const auto in_steps = [&](double weight) {
        return static_cast<std::int32_t>(std::lround(weight / step_));
    };
    weights_.resize(65 * static_cast<std::size_t>(width_));
    for (int square = 0; square < 64; ++square) {
        std::transform(first.weights.begin() + std::ptrdiff_t{square} * first.nodes,
                       first.weights.begin() + std::ptrdiff_t{square + 1} * first.nodes,
                       weights_.begin() + std::ptrdiff_t{square} * width_, in_steps);
    }
    biases_.resize(static_cast<std::size_t>(width_));
    std::transform(first.biases.begin(), first.biases.end(), biases_.begin(), in_steps);
    later_ = {layers.subspan(1), width_};
}

MlpEstimate::Seen MlpEstimate::seen() const {
    Seen seen;
    seen.sums.resize(biases_.size());
    seen.base.resize(biases_.size());
    seen.moved.resize(biases_.size() * DenseLayers<float>::BATCH);
    seen.nodes = later_.nodes();
    return seen;
}

std::size_t MlpEstimate::bytes() const {
    return (weights_.size() + biases_.size()) * sizeof(std::int32_t) + later_.bytes();
}

void MlpEstimate::look(Seen& seen, Bits black, Bits white) const {
    std::array<Change, 64> list;
    std::size_t count = 0;
    for_each_change(seen, black, white, [&](int square, int digits) {
        list[count++] = {square_weights(square), digits};
    });
    seen.remember(black, white);
    const std::span changes(list.data(), count);
    in_blocks(width_,
              [&]<int VECTORS>(int k) { add_changes<VECTORS>(changes, k, seen.sums.data() + k); });
}

// The sums before a move with the sign that makes the mover's discs count as black.
void MlpEstimate::prepare(Seen& seen, int colour, int mover) const {
    for (std::size_t k = 0; k < biases_.size(); ++k) {
        seen.base[k] = mover * (biases_[k] + colour * seen.sums[k]);
    }
}

void MlpEstimate::outputs_after(Seen& seen, const Board& board, const MoveList& moves,
                                SeenAs seen_as, std::span<double> outputs) const {
    look(seen, board.black, board.white);
    const bool real_colours = (board.mover == Colour::black) == (seen_as == SeenAs::mover_is_black);
    const int mover = seen_as == SeenAs::mover_is_black ? 1 : -1;
    prepare(seen, real_colours ? 1 : -1, mover);
    const auto scale = static_cast<float>(mover * step_);
    constexpr std::size_t BATCH = DenseLayers<float>::BATCH;
    for (std::size_t begin = 0; begin < outputs.size(); begin += BATCH) {
        const auto batch = outputs.subspan(begin, std::min(BATCH, outputs.size() - begin));
        const Moves some{std::span(moves.squares).subspan(begin, batch.size()),
                         std::span(moves.flipped).subspan(begin, batch.size()), seen.moved.data()};
        in_blocks(width_, [&]<int VECTORS>(int first) {
            add_moves<VECTORS>(seen.base.data(), weights_.data(), width_, first, some);
        });
        const std::int32_t* moved = seen.moved.data();
        float* nodes = seen.nodes.before.data();
        for (int k = 0; k < static_cast<int>(batch.size()) * width_; k += LANES<float>) {
            const Floats sums = __builtin_convertvector(load(moved + k), Floats) * scale;
            store(nodes + k, estimated_tanh(sums));
        }
        later_.outputs(seen.nodes, batch);
    }
}

}  // namespace outflank
