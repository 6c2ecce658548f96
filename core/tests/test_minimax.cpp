// Fixed depth: alpha-beta by estimates chooses as plain minimax by exact values, ties included.
#include "boards.hpp"
#include "check.hpp"
#include "evaluators/mlp.hpp"
#include "evaluators/piece_counter.hpp"
#include "search/minimax.hpp"
#include "search/search.hpp"

using namespace outflank;
using namespace outflank::tests;

namespace {

// A piece counter whose estimates are wrong by up to `error`, as the board and the move have it.
class Vague final : public Evaluator {
  public:
    Vague(const std::array<double, 64>& weights, double error) : counter_(weights), error_(error) {}
    std::unique_ptr<Accumulator> accumulator() const override { return counter_.accumulator(); }
    double value(Accumulator& seen, Bits black, Bits white) const override {
        return counter_.value(seen, black, white);
    }
    void values_after(Accumulator& seen, const Board& board, const MoveList& moves, SeenAs seen_as,
                      std::span<double> values) const override {
        counter_.values_after(seen, board, moves, seen_as, values);
    }
    void estimates_after(Accumulator& seen, const Board& board, const MoveList& moves,
                         SeenAs seen_as, std::span<double> values) const override {
        values_after(seen, board, moves, seen_as, values);
        for (std::size_t i = 0; i < values.size(); ++i) {
            Generator noise(board.black ^ moves.flipped[i], board.white + moves.squares[i]);
            values[i] += error_ * (2 * noise.uniform() - 1);
        }
    }
    double estimate_error() const override { return error_; }
    std::size_t bytes() const override { return counter_.bytes(); }

  private:
    PieceCounter counter_;
    double error_;
};

// Few different weights make many ties, some of them only within TIE.
std::shared_ptr<const Evaluator> vague(std::uint64_t stream, int different, double error) {
    Generator generator(3, stream);
    std::array<double, 64> weights{};
    for (double& weight : weights) {
        weight = 0.25 * generator.below(different) + 1e-8 * generator.below(2);
    }
    return std::make_shared<Vague>(weights, error);
}

std::shared_ptr<const Evaluator> mlp(std::uint64_t stream, bool add_difference) {
    Generator generator(4, stream);
    const auto layer = [&](int inputs, int nodes) {
        DenseLayer made{inputs, nodes, {}, {}};
        made.weights.resize(static_cast<std::size_t>(inputs) * static_cast<std::size_t>(nodes));
        made.biases.resize(static_cast<std::size_t>(nodes));
        for (auto* numbers : {&made.weights, &made.biases}) {
            for (double& number : *numbers) {
                number = generator.uniform() - 0.5;
            }
        }
        return made;
    };
    return std::make_shared<Mlp>(std::vector{layer(64, 6), layer(6, 3), layer(3, 1)},
                                 add_difference);
}

// What a board is worth to its mover, `plies` deep, without any pruning.
double plain_value(OnePly& one_ply, const Board& board, int plies) {
    const Position position = board.position();
    const Bits legal = position.moves();
    if (legal == 0 && position.pass().moves() == 0) {
        return static_cast<double>(value_of_result(position.disc_difference_for_mover()));
    }
    if (legal == 0) {
        return -plain_value(one_ply, Board::of(position.pass(), other(board.mover)), plies);
    }
    const MoveList moves(position, legal);
    MoveValues values(moves.count);
    one_ply.judge(board, moves, values.span());
    for (std::size_t i = 0; plies > 1 && i < values.span().size(); ++i) {
        const Board next = Board::of(position.play(moves.squares[i]), other(board.mover));
        values.values[i] = -plain_value(one_ply, next, plies - 1);
    }
    return *std::ranges::max_element(values.span());
}

// Boards on which several moves were best.
int check_choices(const Judgement& judgement, int depth) {
    Minimax minimax(judgement, depth);
    OnePly one_ply(judgement);
    int with_ties = 0;
    for (std::uint64_t game = 0; game < 12; ++game) {
        const auto boards = boards_of_a_random_game(game);
        for (std::size_t i = game % 4; i < boards.size(); i += 4) {
            const Board& board = boards[i];
            const MoveList moves(board.position(), board.position().moves());
            MoveValues plain(moves.count);
            one_ply.judge(board, moves, plain.span());
            for (std::size_t k = 0; depth > 1 && k < plain.span().size(); ++k) {
                const Board next =
                    Board::of(board.position().play(moves.squares[k]), other(board.mover));
                plain.values[k] = -plain_value(one_ply, next, depth - 1);
            }
            CHECK_EQUAL(minimax.best_moves(board, moves), ties_for_best(plain.span()));
            MoveValues judged(moves.count);
            minimax.judge(board, moves, judged.span());
            CHECK(std::ranges::equal(judged.span(), plain.span()));
            with_ties += std::popcount(ties_for_best(plain.span())) > 1 ? 1 : 0;
        }
    }
    return with_ties;
}

}  // namespace

int main() {
    for (int depth = 1; depth <= 3; ++depth) {
        for (const double error : {0.0, 1e-7, 0.01, 0.3, 5.0}) {
            for (const int different : {1, 3, 100}) {
                const auto one = vague(1, different, error);
                const int ties = check_choices({one, one, View::inversion}, depth) +
                                 check_choices({one, one, View::negation}, depth);
                CHECK(ties > (different < 100 ? 20 : -1));
                check_choices({one, vague(2, different, error / 2), View::doubled}, depth);
            }
        }
        for (const bool add_difference : {false, true}) {
            const auto one = mlp(1, add_difference);
            CHECK(one->estimate_error() > 0);
            for (const View view : {View::inversion, View::negation}) {
                check_choices({one, one, view}, depth);
            }
            check_choices({one, mlp(2, add_difference), View::doubled}, depth);
        }
    }
    std::puts("minimax: passed");
}
