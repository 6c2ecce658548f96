// An MLP in single precision, with a bound of its error: fast enough to rule out most moves, so
// that only those whose order it leaves open need the exact values.
//
// The first layer adds weights in fixed point, which is exact in any order, as the doubles of Grid
// are: however long the accumulator is carried on, its error is that of the rounded weights.
#pragma once

#include <cstdint>

#include "evaluators/dense_layers.hpp"
#include "evaluators/evaluator.hpp"

namespace outflank {

class MlpEstimate {
  public:
    struct Seen final : Evaluator::Accumulator {
        AlignedVector<std::int32_t> sums;   // of the first layer, without biases
        AlignedVector<std::int32_t> base;   // the same in the mover's colours, with biases
        AlignedVector<std::int32_t> moved;  // after each move of a batch, [move][width]
        DenseLayers<float>::Nodes nodes;
    };

    // `layers` has at least two. `largest_sum` bounds the first layer's sums.
    MlpEstimate(std::span<const DenseLayer> layers, double largest_sum);

    // How far an output may be off.
    double error() const { return error_; }
    // Whether that is little enough to tell the outputs of this network apart.
    bool is_useful() const { return useful_; }

    Seen seen() const;
    void outputs_after(Seen& seen, const Board& board, const MoveList& moves, SeenAs seen_as,
                       std::span<double> outputs) const;
    std::size_t bytes() const;

  private:
    void look(Seen& seen, Bits black, Bits white) const;
    void prepare(Seen& seen, int colour, int mover) const;
    const std::int32_t* square_weights(int square) const {
        return weights_.data() + static_cast<std::ptrdiff_t>(square) * width_;
    }

    AlignedVector<std::int32_t>
        weights_;  // of the first layer, [65][width_], in steps; row 64 is zero
    AlignedVector<std::int32_t> biases_;
    DenseLayers<float> later_;
    double step_ = 1;
    double error_ = 0;
    bool useful_ = false;
    int width_ = 0;
};

}  // namespace outflank
