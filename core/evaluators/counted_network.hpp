// N-tuple network with tables of whole-board counts: what the tuples' tables give, plus an entry
// for the legal moves of both sides, or for their discs beside empty squares (board_counts.hpp).
#pragma once

#include "evaluators/board_counts.hpp"
#include "evaluators/ntuple_network.hpp"

namespace outflank {

class CountedNetwork final : public Evaluator {
  public:
    // `network`: the tuples. `weights`: for each stage, the entries of each count's table.
    CountedNetwork(std::unique_ptr<Evaluator> network, std::vector<BoardCount> counts,
                   std::span<const double> weights, int stages)
        : network_(std::move(network)),
          counts_(std::move(counts)),
          weights_(weights.begin(), weights.end()),
          stages_(stages) {
        double largest = 0;
        for (const double weight : weights_) {
            largest = std::max(largest, std::abs(weight));
        }
        const Grid refuses_overflow(largest * static_cast<double>(counts_.size()));
    }

    std::unique_ptr<Accumulator> accumulator() const override { return network_->accumulator(); }
    double value(Accumulator& seen, Bits black, Bits white) const override {
        return network_->value(seen, black, white) + counted(black, white);
    }
    void values_after(Accumulator& seen, const Board& board, const MoveList& moves, SeenAs seen_as,
                      std::span<double> values) const override {
        network_->values_after(seen, board, moves, seen_as, values);
        const Position position = board.position();
        for (std::size_t i = 0; i < values.size(); ++i) {
            const Position after = position.play(moves.squares[i], moves.flipped[i]);
            values[i] += seen_as == SeenAs::mover_is_black ? counted(after.opponent, after.mover)
                                                           : counted(after.mover, after.opponent);
        }
    }
    std::size_t bytes() const override {
        return network_->bytes() + weights_.size() * sizeof(double);
    }

  private:
    double counted(Bits black, Bits white) const {
        const auto stage =
            static_cast<std::size_t>(stage_of(std::popcount(black | white), stages_));
        const double* table = weights_.data() + stage * counts_.size() * COUNT_ENTRIES;
        double sum = 0;
        for (const BoardCount count : counts_) {
            sum += table[count_index(count, black, white)];
            table += COUNT_ENTRIES;
        }
        return sum;
    }

    std::unique_ptr<Evaluator> network_;
    std::vector<BoardCount> counts_;
    std::vector<double> weights_;
    int stages_;
};

}  // namespace outflank
