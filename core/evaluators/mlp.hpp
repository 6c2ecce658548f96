// Multi-layer perceptron on the 64 squares (black +1, white -1, empty 0): Kim 2007's 64-32-1
// network, and, with most of its first layer's weights left out, the spatial network of Chong 2003.
//
// tanh at every hidden node. The output node has none: tanh is increasing, so it would change no
// choice; a learner that needs it applies it.
#pragma once

#include "evaluators/mlp_estimate.hpp"

namespace outflank {

class Mlp final : public Evaluator {
  public:
    // The first layer reads the squares, the last one has a single node. With `add_disc_difference`
    // the output adds black discs minus white discs (Chong 2003, section 4).
    Mlp(std::vector<DenseLayer> layers, bool add_disc_difference);
    std::unique_ptr<Accumulator> accumulator() const override;
    double value(Accumulator& seen, Bits black, Bits white) const override;
    void values_after(Accumulator& seen, const Board& board, const MoveList& moves, SeenAs seen_as,
                      std::span<double> values) const override;
    void estimates_after(Accumulator& seen, const Board& board, const MoveList& moves,
                         SeenAs seen_as, std::span<double> values) const override;
    double estimate_error() const override { return estimate_ ? estimate_->error() : 0; }
    double distance_from_disc_difference() const override { return distance_; }
    std::size_t bytes() const override;

  private:
    struct Seen;
    void look(Seen& seen, Bits black, Bits white) const;
    void outputs(Seen& seen, std::span<double> values) const;
    void add_disc_differences(const Board& board, const MoveList& moves, SeenAs seen_as,
                              std::span<double> values) const;
    const double* square_weights(int square) const {
        return first_weights_.data() + static_cast<std::ptrdiff_t>(square) * width_;
    }

    AlignedVector<double> first_weights_;  // [65][width_], on the grid; row 64 is zero
    AlignedVector<double> first_biases_;   // [width_]
    int width_ = 0;                        // nodes of the first layer, rounded up to whole vectors
    bool first_is_last_ = false;
    DenseLayers<double> later_;
    std::unique_ptr<const MlpEstimate> estimate_;  // null if it would be too rough
    bool add_disc_difference_ = false;
    double distance_ = std::numeric_limits<double>::infinity();  // from the disc difference
};

}  // namespace outflank
