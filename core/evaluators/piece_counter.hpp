// Weighted piece counter: one weight per square, added for black discs, subtracted for white ones
// (Lucas 2007, section 2; Jaskowski 2014, section II-B).
#pragma once

#include <algorithm>

#include "evaluator.hpp"

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
        return std::make_unique<SeenInBatch>(*this);
    }

    std::size_t bytes() const override { return sizeof *this; }

  private:
    // Exchanging the colours changes the sign, so both ways of seeing White's boards are one.
    class SeenInBatch final : public BatchAccumulator {
      public:
        explicit SeenInBatch(const PieceCounter& counter) : counter_(counter) {}

        void open(std::size_t game, const Board& board) override {
            Seen seen;
            sums_[game] = counter_.look(seen, board.black, board.white);
        }
        void values_after(std::span<const BatchMove> moves, bool /*white_as_white*/,
                          std::span<double> values) override {
            for (std::size_t i = 0; i < moves.size(); ++i) {
                const double sum = sums_[moves[i].game];
                const double sum_for_mover = moves[i].mover == Colour::black ? sum : -sum;
                values[i] = sum_for_mover + counter_.gain(moves[i].square, moves[i].flipped);
            }
        }
        void follow(std::span<const BatchMove> moves) override {
            for (const BatchMove& move : moves) {
                const double gain = counter_.gain(move.square, move.flipped);
                sums_[move.game] += move.mover == Colour::black ? gain : -gain;
            }
        }

      private:
        const PieceCounter& counter_;
        std::array<double, GAMES_IN_BATCH> sums_{};  // for Black
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
};

}  // namespace outflank
