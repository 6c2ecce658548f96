// Iago's evaluation, simplified: square weights, mobility and potential mobility (Rosenbloom 1982;
// Norvig 1992, section 18.12; docs/computer-players.md says how it is interpreted here).
#pragma once

#include "evaluators/piece_counter.hpp"

namespace outflank {

// All squares next to a square of the set.
constexpr Bits next_to(Bits set) {
    constexpr Bits NOT_A = 0xFEFEFEFEFEFEFEFEULL;
    constexpr Bits NOT_H = 0x7F7F7F7F7F7F7F7FULL;
    const Bits beside = (set << 1 & NOT_A) | (set >> 1 & NOT_H);
    const Bits row = set | beside;
    return beside | row << 8 | row >> 8;
}

// A coefficient that changes with the number of moves made: base + slope * move.
struct MoveCoefficient {
    double base = 0;
    double slope = 0;
    double at(int move) const { return base + slope * move; }
    double largest() const { return std::abs(base) + 60 * std::abs(slope); }
};

struct IagoCoefficients {
    MoveCoefficient positional;
    MoveCoefficient early_mobility;
    MoveCoefficient late_mobility;
    MoveCoefficient potential_mobility;
    static constexpr int FIRST_LATE_MOVE = 25;
};

// positional * (sum of square weights) / (sum of their sizes) + mobility * share(legal moves)
// + potential * share(empty squares next to the other side's discs), where share(n) = (black's n -
// white's n) / (both + 2). Exchanging the colours changes only the sign, to the last bit.
class Iago final : public Evaluator {
  public:
    Iago(std::span<const double, 64> square_weights, const IagoCoefficients& coefficients)
        : squares_(square_weights) {
        for (const double weight : square_weights) {
            largest_sum_ += std::abs(weight);
        }
        const auto& [positional, early, late, potential] = coefficients;
        const Grid refuses_overflow(positional.largest() + early.largest() + late.largest() +
                                    potential.largest());
        for (int discs = 0; discs <= 64; ++discs) {
            const int move = discs - 4;
            const bool is_late = move >= IagoCoefficients::FIRST_LATE_MOVE;
            at_discs_[static_cast<std::size_t>(discs)] = {
                positional.at(move), (is_late ? late : early).at(move), potential.at(move)};
        }
    }

    std::unique_ptr<Accumulator> accumulator() const override { return squares_.accumulator(); }

    std::size_t bytes() const override { return sizeof *this; }

    double value(Accumulator& seen, Bits black, Bits white) const override {
        return judge(squares_.value(seen, black, white), black, white);
    }

    void values_after(Accumulator& seen, const Board& board, const MoveList& moves, SeenAs seen_as,
                      std::span<double> values) const override {
        squares_.values_after(seen, board, moves, seen_as, values);
        const Position position = board.position();
        for (std::size_t i = 0; i < static_cast<std::size_t>(moves.count); ++i) {
            const auto [next, last] = position.play(moves.squares[i], moves.flipped[i]);
            values[i] = seen_as == SeenAs::mover_is_black ? judge(values[i], last, next)
                                                          : judge(values[i], next, last);
        }
    }

  private:
    struct Coefficients {
        double positional = 0;
        double mobility = 0;
        double potential = 0;
    };

    static double share(Bits black, Bits white) {
        const int blacks = std::popcount(black);
        const int whites = std::popcount(white);
        return static_cast<double>(blacks - whites) / (blacks + whites + 2);
    }

    double judge(double sum, Bits black, Bits white) const {
        const Bits empty = ~(black | white);
        const Coefficients& now = at_discs_[static_cast<std::size_t>(std::popcount(black | white))];
        const double held = largest_sum_ > 0 ? sum / largest_sum_ : 0;
        return now.positional * held +
               now.mobility * share(legal_moves(black, white), legal_moves(white, black)) +
               now.potential * share(next_to(white) & empty, next_to(black) & empty);
    }

    PieceCounter squares_;
    double largest_sum_ = 0;
    std::array<Coefficients, 65> at_discs_{};
};

}  // namespace outflank
