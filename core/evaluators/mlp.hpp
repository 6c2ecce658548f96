// Multi-layer perceptron on the 64 squares (black +1, white -1, empty 0): Kim 2007's 64-32-1
// network, and, with most of its first layer's weights left out, the spatial network of Chong 2003.
//
// tanh at every hidden node. The output node has none: tanh is increasing, so it would change no
// choice; a learner that needs it applies it.
#pragma once

#include "../aligned.hpp"
#include "evaluator.hpp"

namespace outflank {

// weights[from][to], then one bias per node.
struct DenseLayer {
    int inputs = 0;
    int nodes = 0;
    AlignedVector<double> weights;
    AlignedVector<double> biases;
};

class Mlp final : public Evaluator {
  public:
    // The first layer reads the squares, the last one has a single node. With `add_disc_difference`
    // the output adds black discs minus white discs (Chong 2003, section 4).
    Mlp(std::vector<DenseLayer> layers, bool add_disc_difference);
    std::unique_ptr<Accumulator> accumulator() const override;
    double value(Accumulator& seen, Bits black, Bits white) const override;
    void values_after(Accumulator& seen, const Board& board, const MoveList& moves, SeenAs seen_as,
                      std::span<double> values) const override;
    std::size_t bytes() const override;

  private:
    struct Seen;
    void look(Seen& seen, Bits black, Bits white) const;
    double finish(Seen& seen) const;
    const double* square_weights(int square) const {
        return first_weights_.data() + static_cast<std::ptrdiff_t>(square) * width_;
    }

    std::vector<DenseLayer> layers_;       // the layers after the first
    AlignedVector<double> first_weights_;  // [65][width_], on the grid; row 64 is zero
    AlignedVector<double> first_biases_;   // [width_]
    int width_ = 0;                        // nodes of the first layer, rounded up to whole vectors
    int widest_ = 0;
    bool add_disc_difference_ = false;
};

}  // namespace outflank
