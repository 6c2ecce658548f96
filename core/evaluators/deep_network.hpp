// Deep n-tuple network: table entries are short vectors. Their sum over all placements, and a few
// counts of the whole board, are the inputs of one small layer of hidden nodes and of the output.
// The tables are the same all game long; each stage has layers of its own.
//
// Entries are whole numbers of 16 bits, so the sums are exact: which squares changed, and in which
// order, does not show. The layers are single precision, every sum in one fixed order: the same
// bits on every machine.
#pragma once

#include "evaluators/deep_layers.hpp"
#include "evaluators/ntuple_network.hpp"

namespace outflank {

class DeepNetwork final : public Evaluator {
  public:
    // `weights`: the tables one after another, shape.vector numbers for each entry; then the layers
    // of each stage, as DeepLayers reads them.
    DeepNetwork(std::span<const TupleTable> tables, const DeepShape& shape,
                std::span<const double> weights);

    std::unique_ptr<Accumulator> accumulator() const override;
    double value(Accumulator& seen, Bits black, Bits white) const override;
    void values_after(Accumulator& seen, const Board& board, const MoveList& moves, SeenAs seen_as,
                      std::span<double> values) const override;
    std::size_t bytes() const override;

  private:
    using Entry = std::int16_t;
    double value_at(const Index* indices, Bits black, Bits white) const;

    DeepShape shape_;
    TableReader reader_;
    std::size_t width_;             // numbers of an entry, rounded up to whole vectors
    AlignedVector<Entry> entries_;  // [entry][width_]
    float step_ = 1;                // the worth of one
    std::vector<DeepLayers> layers_;
};

}  // namespace outflank
