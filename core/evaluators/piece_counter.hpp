// Weighted piece counter: one weight per square, added for black discs, subtracted for white ones
// (Lucas 2007, section 2; Jaskowski 2014, section II-B).
#pragma once

#include <algorithm>

#include "evaluators/evaluator.hpp"

namespace outflank {

class PieceCounter final : public Evaluator {
  public:
    explicit PieceCounter(std::span<const double, 64> weights) {
        double total = 0;
        for (const double weight : weights) {
            total += std::abs(weight);
        }
        const Grid grid(total);
        std::transform(weights.begin(), weights.end(), weights_.begin(),
                       [&](double weight) { return grid.round(weight); });
        scale_ = RankScale(2 * total, 0.5 * 64);  // a move gains twice the total at most
        std::transform(weights_.begin(), weights_.end(), ranks_.begin(),
                       [&](double weight) { return scale_.rank(weight); });
    }

    std::unique_ptr<Accumulator> accumulator() const override { return std::make_unique<Seen>(); }

    double value(Accumulator& seen, Bits black, Bits white) const override {
        return look(seen, black, white);
    }

    void values_after(Accumulator& seen, const Board& board, const MoveList& moves, SeenAs seen_as,
                      std::span<double> values) const override {
        const double sum = look(seen, board.black, board.white);
        const double sum_for_mover = board.mover == Colour::black ? sum : -sum;
        const double sign = seen_as == SeenAs::mover_is_black ? 1 : -1;
        for (std::size_t i = 0; i < static_cast<std::size_t>(moves.count); ++i) {
            values[i] = sign * (sum_for_mover + gain(moves.squares[i], moves.flipped[i]));
        }
    }

    bool values_batches() const override { return true; }
    std::unique_ptr<BatchAccumulator> batch_accumulator() const override {
        return std::make_unique<Ranks>(*this);
    }

    std::size_t bytes() const override { return sizeof *this; }

  private:
    // What the moves of one position gain is in the order of their values, for both colours: there
    // is nothing to remember.
    class Ranks final : public BatchAccumulator {
      public:
        explicit Ranks(const PieceCounter& counter) : counter_(counter) {}
        RankScale scale() const override { return counter_.scale_; }
        void open(std::size_t /*game*/, const Board& /*board*/) override {}
        void ranks_after(std::span<const BatchMove> moves, bool /*white_as_white*/,
                         std::span<std::int32_t> ranks) override {
            const auto& of_square = counter_.ranks_;
            for (std::size_t i = 0; i < moves.size(); ++i) {
                std::int32_t turned = 0;
                for_each_flipped(moves[i].flipped, [&](int other) {
                    turned += of_square[static_cast<std::size_t>(other)];
                });
                ranks[i] = of_square[moves[i].square] + 2 * turned;
            }
        }
        void follow(std::span<const BatchMove> /*moves*/) override {}

      private:
        const PieceCounter& counter_;
    };

    // What a move adds to the mover's sum.
    double gain(int square, Bits flipped) const {
        double turned = 0;
        for_each_flipped(flipped, [&](int other) { turned += weight(other); });
        return weight(square) + 2 * turned;
    }

    struct Seen final : Accumulator {
        double sum = 0;
    };

    double weight(int square) const { return weights_[static_cast<std::size_t>(square)]; }

    double look(Accumulator& accumulator, Bits black, Bits white) const {
        auto& seen = static_cast<Seen&>(accumulator);
        double sum = seen.sum;
        for_each_change(seen, black, white,
                        [&](int square, int digits) { sum += digits * weight(square); });
        seen.remember(black, white);
        return seen.sum = sum;
    }

    std::array<double, 65> weights_{};  // weights_[64] = 0: no square
    RankScale scale_{0, 0};
    std::array<std::int32_t, 65> ranks_{};  // of the weights
};

}  // namespace outflank
