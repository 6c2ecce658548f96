// The exact solver against plain negamax, stability against all continuations, several threads
// against one.
#include <set>

#include "boards.hpp"
#include "check.hpp"
#include "endgame/last_squares.hpp"
#include "endgame/solver.hpp"
#include "evaluators/piece_counter.hpp"
#include "rules/stability.hpp"

using namespace outflank;
using namespace outflank::endgame;
using namespace outflank::tests;

namespace {

int negamax(const Position& position, bool passed = false) {
    const Bits moves = position.moves();
    if (moves == 0) {
        return passed ? final_score(position.mover, position.opponent)
                      : -negamax(position.pass(), true);
    }
    int best = NO_SCORE;
    for (Bits rest = moves; rest != 0; rest = without_lowest(rest)) {
        best = std::max(best, -negamax(position.play(lowest_square(rest))));
    }
    return best;
}

// The final score of a line of play for the mover of its first position; the line must be legal and
// end the game.
int score_of_line(Position position, const std::vector<int>& line) {
    int sign = 1;
    for (const int square : line) {
        if (position.moves() == 0) {
            position = position.pass();
            sign = -sign;
        }
        CHECK((position.moves() & bit(square)) != 0);
        position = position.play(square);
        sign = -sign;
    }
    CHECK_EQUAL(position.moves() | position.pass().moves(), Bits{0});
    return sign * final_score(position.mover, position.opponent);
}

// Random discs with a given number of empty squares: positions that no game reaches.
Position random_with_empties(Generator& generator, int empties) {
    Bits empty = 0;
    while (std::popcount(empty) < empties) {
        empty |= bit(generator.below(64));
    }
    const Bits mover = generator.next() & ~empty;
    return {mover, ~(mover | empty)};
}

void last_flips_are_counted() {
    Generator generator(1, 1);
    for (int i = 0; i < tests::cases(20000); ++i) {
        const int square = generator.below(64);
        const Bits mover = generator.next() & ~bit(square);
        const Bits opponent = ~(mover | bit(square));
        const int slow = std::popcount(portable::flips(square, mover, opponent));
        CHECK_EQUAL(count_last_flips(square, mover), slow);
        CHECK_EQUAL(portable::count_last_flips(square, mover), slow);
    }
}

// The slow twin of stable_discs: visits every board that play can reach from one, and leaves the
// black discs that are black on all of them.
class AllContinuations {
  public:
    explicit AllContinuations(const Board& board) : never_flipped(board.black) { visit(board); }
    Bits never_flipped;

  private:
    void visit(const Board& board) {
        if (!visited_.emplace(board.black, board.white, board.mover).second) {
            return;
        }
        never_flipped &= board.black;
        const Position position = board.position();
        if (position.moves() == 0 && position.pass().moves() != 0) {
            visit(Board::of(position.pass(), other(board.mover)));
        }
        for (Bits rest = position.moves(); rest != 0; rest = without_lowest(rest)) {
            visit(Board::of(position.play(lowest_square(rest)), other(board.mover)));
        }
    }
    std::set<std::tuple<Bits, Bits, Colour>> visited_;
};

struct StableCounts {
    int found = 0;
    int never_flipped = 0;  // by all continuations: what an ideal stable_discs would find
    void add(const Board& board) {
        const Bits stable = stable_discs(board.black, board.white);
        const Bits truth = AllContinuations(board).never_flipped;
        CHECK_EQUAL(stable & ~truth, Bits{0});  // sound: nothing that is called stable is flipped
        found += std::popcount(stable);
        never_flipped += std::popcount(truth);
    }
};

// The counts are exact, so that a change which finds fewer discs, or a test of nothing, fails too.
void stable_discs_are_never_flipped() {
    StableCounts of_games;
    for (std::uint64_t number = 0; number < 200; ++number) {
        for (const Board& board : boards_of_a_random_game(number)) {
            if (64 - board.position().discs() <= 7) {
                of_games.add(board);
                of_games.add({board.white, board.black, other(board.mover)});
            }
        }
    }
    CHECK_EQUAL(of_games.found, 46330);  // 84 %
    CHECK_EQUAL(of_games.never_flipped, 55470);

    StableCounts of_any_discs;
    Generator generator(3, 1);
    for (int i = 0; i < 3000; ++i) {
        const Position position = random_with_empties(generator, i % 6);
        of_any_discs.add(Board::of(position, i % 2 == 0 ? Colour::black : Colour::white));
    }
    CHECK_EQUAL(of_any_discs.found, 62625);  // 89 %
    CHECK_EQUAL(of_any_discs.never_flipped, 70205);
}

// Early boards, where all continuations are too many: along one random game each.
void stable_discs_stay() {
    int found = 0;
    for (std::uint64_t number = 0; number < 300; ++number) {
        for (const Board& board : boards_of_a_random_game(number)) {
            const Bits stable = stable_discs(board.black, board.white);
            found += std::popcount(stable);
            OpenGame game(board, 3, number);
            for (Bits moves = game.settle(); moves != 0; moves = game.settle()) {
                CHECK_EQUAL(stable & ~game.board().black, Bits{0});
                game.play(game.random_choice(moves));
            }
            CHECK_EQUAL(stable & ~game.board().black, Bits{0});
        }
    }
    CHECK_EQUAL(found, 55728);
    CHECK_EQUAL(stable_discs(~Bits{1}, 0), ~Bits{1});  // one empty corner
    CHECK_EQUAL(stable_discs(~Bits{0}, 0), ~Bits{0});
    CHECK_EQUAL(stable_discs(~bit(27), bit(27)), ~bit(27));  // a full board
}

void small_positions_are_solved() {
    Generator generator(5, 1);
    EndgameSolver solver(12, {}, 1);
    for (int i = 0; i < tests::cases(3000); ++i) {
        const Position position = random_with_empties(generator, i % 9);
        const int score = negamax(position);
        const Solved solved = solver.solve(position);
        CHECK_EQUAL(solved.score, score);
        CHECK_EQUAL(score_of_line(position, solved.line), score);
        const Solved result = solver.solve(position, {-1, 1});
        CHECK_EQUAL((result.score > 0) - (result.score < 0), (score > 0) - (score < 0));
    }
}

// From games, as far as plain negamax goes.
void game_positions_are_solved() {
    EndgameSolver solver(12, {}, 1);
    int solved_positions = 0;
    for (std::uint64_t number = 0; number < 60; ++number) {
        for (const Board& board : boards_of_a_random_game(number)) {
            const Position position = board.position();
            if (64 - position.discs() <= 9) {
                const Solved solved = solver.solve(position);
                CHECK_EQUAL(solved.score, negamax(position));
                CHECK_EQUAL(score_of_line(position, solved.line), solved.score);
                ++solved_positions;
            }
        }
    }
    CHECK(solved_positions > 400);
}

// With up to 14 empty squares every technique but one is used; the solvers must agree.
void solvers_agree() {
    const auto network = std::make_shared<OrderingNetwork>(random_network());
    EndgameSolver plain(16, {}, 1);
    EndgameSolver ordered(8, {network, nullptr, 0}, 1);  // a table so small that it forgets
    EndgameSolver together(16, {network, nullptr, 0}, 3);
    for (std::uint64_t number = 0; number < 12; ++number) {
        for (const Board& board : boards_of_a_random_game(number)) {
            const Position position = board.position();
            if (64 - position.discs() <= 14) {
                const int score = plain.solve(position).score;
                CHECK_EQUAL(ordered.solve(position).score, score);
                for (const int alpha : {-64, -21, -1, 0, 9, 40}) {
                    const int found = ordered.solve(position, {alpha, alpha + 2}).score;
                    CHECK_EQUAL(std::clamp(found, alpha, alpha + 2),
                                std::clamp(score, alpha, alpha + 2));
                }
                const Solved shared = together.solve(position);
                CHECK_EQUAL(shared.score, score);
                CHECK_EQUAL(score_of_line(position, shared.line), score);
                // A search does not depend on earlier ones.
                const Solved again = ordered.solve(position);
                CHECK(again.line == ordered.solve(position).line);
                CHECK_EQUAL(again.nodes, ordered.solve(position).nodes);
            }
        }
    }
}

// Techniques begin at different numbers of empty squares: each is a root once.
void every_number_of_empty_squares_is_solved() {
    const auto network = std::make_shared<OrderingNetwork>(random_network());
    EndgameSolver plain(14, {}, 1);
    EndgameSolver ordered(14, {network, nullptr, 0}, 1);
    EndgameSolver together(14, {network, nullptr, 0}, 2);
    int solved = 0;
    for (std::uint64_t number = 0; number < 4; ++number) {
        for (const Board& board : boards_of_a_random_game(number)) {
            const Position position = board.position();
            if (64 - position.discs() <= 15) {
                const int score = plain.solve(position).score;
                CHECK_EQUAL(ordered.solve(position).score, score);
                CHECK_EQUAL(together.solve(position).score, score);
                ++solved;
            }
        }
    }
    CHECK(solved > 50);
}

// From 19 empty squares, a selective search comes first: its bounds must not leak into the score.
void a_selective_search_decides_nothing() {
    const auto network = std::make_shared<OrderingNetwork>(random_network());
    EndgameSolver plain(18, {}, 1);
    EndgameSolver selective(18, {network, nullptr, 0}, 2);
    for (std::uint64_t number = 0; number < 3; ++number) {
        const Position position = boards_of_a_random_game(number)[41].position();
        CHECK_EQUAL(64 - position.discs(), 19);
        const Solved solved = selective.solve(position);
        CHECK_EQUAL(solved.score, plain.solve(position).score);
        CHECK_EQUAL(score_of_line(position, solved.line), solved.score);
    }
}

// Of equally good moves, the first in the order of the root is played, whatever the search did.
void the_first_of_the_best_moves_is_played() {
    const std::array<double, 64> weights{1, -0.5, 0.25};
    const MoveOrdering ordering{std::make_shared<OrderingNetwork>(random_network()),
                                std::make_shared<PieceCounter>(weights), 4.0};
    EndgameSolver solver(12, ordering, 1);
    EndgameSolver plain(12, {}, 1);
    int ties = 0;
    for (std::uint64_t number = 0; number < 40; ++number) {
        for (const Board& board : boards_of_a_random_game(number)) {
            const Node node = Node::of(board.position());
            if (node.empties > 14 || node.empties % 3 != 2) {
                continue;
            }
            Moves moves;
            order_root(ordering, node, moves);
            int best = NO_SCORE;
            int square = 64;
            for (int i = 0; i < moves.count; ++i) {
                const Move& move = moves.take(i);
                const int score = -plain.solve(move.after()).score;
                ties += score == best ? 1 : 0;
                if (score > best) {
                    best = score;
                    square = move.square;
                }
            }
            CHECK_EQUAL(solver.best_move(board.position()), square);
        }
    }
    CHECK(ties > 20);
}

// The network's indices, move by move, against a fresh look; its values against plain sums.
void networks_are_updated(int copies) {
    const OrderingNetwork network = random_network(copies);
    AlignedVector<Index> indices(3 * network.width());
    Index* const before = indices.data();
    Index* const after = before + network.width();
    Index* const fresh = after + network.width();
    for (const Board& board : boards_of_a_random_game(2)) {
        const Position position = board.position();
        network.look(position, before);
        const MoveList moves(position, position.moves());
        OrderingNetwork::AfterMoves values(network, before, position.discs());
        for (std::size_t i = 0; i < static_cast<std::size_t>(moves.count); ++i) {
            network.play(before, moves.squares[i], moves.flipped[i], after);
            const Position next = position.play(moves.squares[i], moves.flipped[i]);
            network.look(next, fresh);
            CHECK(std::equal(after, after + network.width(), fresh));
            network.look(next.pass(), fresh);  // seen by the side that moved
            CHECK_EQUAL(values.value(moves.squares[i], moves.flipped[i]),
                        network.value(fresh, next.discs()));
            network.pass(after, after);
            CHECK(std::equal(after, after + network.width(), fresh));
        }
    }
}

void a_search_stops_when_asked() {
    StopFlag stop;
    stop.set();
    EndgameSolver solver(12, {}, 2);
    CHECK(!solver.solve(START.position(), {}, &stop).finished);
    const Position small{~Bits{0xFF}, 0};
    CHECK(solver.solve(small, {}, nullptr).finished);
}

}  // namespace

int main() {
    last_flips_are_counted();
    stable_discs_are_never_flipped();
    stable_discs_stay();
    small_positions_are_solved();
    game_positions_are_solved();
    solvers_agree();
    every_number_of_empty_squares_is_solved();
    a_selective_search_decides_nothing();
    the_first_of_the_best_moves_is_played();
    for (const int copies : {1, 5, 14}) {  // sets of slots of one word, of two, and of too many
        networks_are_updated(copies);
    }
    a_search_stops_when_asked();
    return 0;
}
