// The search against plain minimax; several threads; limits.
#include "boards.hpp"
#include "check.hpp"
#include "evaluators/piece_counter.hpp"
#include "search/search.hpp"

using namespace outflank;
using namespace outflank::tests;

namespace {

std::shared_ptr<const Evaluator> counter(std::uint64_t stream) {
    Generator generator(2, stream);
    std::array<double, 64> weights{};
    for (double& weight : weights) {
        weight = generator.uniform() - 0.3;
    }
    return std::make_shared<PieceCounter>(weights);
}

// What a move that led here is worth to whoever made it, with `plies` still to come.
double plain_value(const Judgement& judgement, const Board& before, int square, int plies) {
    const Board after = Board::of(before.position().play(square), other(before.mover));
    if (plies == 0) {
        OnePly one_ply(judgement);
        const MoveList list(before.position(), bit(square));
        double value = 0;
        one_ply.judge(before, list, {&value, 1});
        return value;
    }
    Board next = after;
    double sign = -1;
    if (next.position().moves() == 0) {
        next = Board::of(next.position().pass(), before.mover);
        sign = 1;
    }
    if (next.position().moves() == 0) {
        const int difference = before.position().play(square).pass().disc_difference_for_mover();
        return difference + static_cast<double>(WON_GAME) * ((difference > 0) - (difference < 0));
    }
    double best = -1e30;
    for (Bits rest = next.position().moves(); rest != 0; rest = without_lowest(rest)) {
        best = std::max(best, plain_value(judgement, next, lowest_square(rest), plies - 1));
    }
    return sign * best;
}

void finds_the_values_of_minimax(const Judgement& judgement) {
    Searcher searcher(judgement, {.table_bits = 10, .prob_cuts = {}});
    Searcher together(judgement, {.table_bits = 10, .threads = 3, .prob_cuts = {}});
    for (std::uint64_t number = 0; number < 8; ++number) {
        const auto boards = boards_of_a_random_game(number);
        for (std::size_t i = number; i + 4 < boards.size(); i += 8) {
            const Board& board = boards[i];
            for (int depth = 1; depth <= 3; ++depth) {
                const auto report = searcher.search(board, {.depth = depth, .all_moves = true});
                CHECK_EQUAL(report.moves.size(),
                            static_cast<std::size_t>(std::popcount(board.position().moves())));
                for (const SearchedMove& move : report.moves) {
                    const double plain = plain_value(judgement, board, move.square, depth - 1);
                    CHECK_EQUAL(move.value_for_mover, static_cast<Value>(plain));
                    CHECK_EQUAL(move.line.front(), move.square);
                }
                const auto best = searcher.search(board, {.depth = depth});
                CHECK_EQUAL(best.moves.size(), std::size_t{1});
                CHECK_EQUAL(best.moves.front().value_for_mover,
                            report.moves.front().value_for_mover);
                CHECK_EQUAL(together.search(board, {.depth = depth}).moves.front().value_for_mover,
                            report.moves.front().value_for_mover);
            }
        }
    }
}

void keeps_its_limits(const Judgement& judgement) {
    Searcher searcher(judgement, {.table_bits = 12, .prob_cuts = {}});
    const auto few = searcher.search(START, {.nodes = 3000});
    CHECK(few.nodes < 4000);
    CHECK(few.depth > 2);
    CHECK_EQUAL(searcher.search(START, {.nodes = 3000}).nodes, few.nodes);
    StopFlag stop;
    stop.set();
    const auto stopped = searcher.search(START, {.stop = &stop});
    CHECK_EQUAL(stopped.moves.size(), std::size_t{1});
    CHECK(stopped.depth <= 2);
}

void prunes_forward(const Judgement& judgement) {
    const std::vector<ProbCut> cuts{{3, 1, 1, 0, 0.5F}, {4, 2, 1, 0, 0.5F}, {5, 1, 1, 0, 0.5F}};
    Searcher plain(judgement, {.table_bits = 14, .prob_cuts = {}});
    Searcher pruning(judgement, {.table_bits = 14, .prob_cuts = {cuts, cuts}});
    const Board board = boards_of_a_random_game(1)[20];
    CHECK(pruning.search(board, {.depth = 6}).nodes < plain.search(board, {.depth = 6}).nodes);
}

}  // namespace

int main() {
    const auto one = counter(1);
    finds_the_values_of_minimax({one, one, View::inversion});
    finds_the_values_of_minimax({one, one, View::negation});
    finds_the_values_of_minimax({one, counter(2), View::doubled});
    keeps_its_limits({one, one, View::inversion});
    prunes_forward({one, one, View::inversion});
    return 0;
}
