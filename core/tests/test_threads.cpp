// Work on several threads: all of it is done, and exceptions reach the caller.
#include <array>
#include <climits>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>

#if defined(_WIN32)
#include <malloc.h>
#endif

#include "boards.hpp"
#include "check.hpp"
#include "endgame/solver.hpp"
#include "evaluators/piece_counter.hpp"
#include "playing/playouts.hpp"
#include "search/work_sharing.hpp"

using namespace outflank;

namespace {

std::atomic<int> aligned_allocations_left{INT_MAX};

#if defined(_WIN32)  // whose library has no std::aligned_alloc
void* allocated(std::size_t multiple, std::size_t bytes) {
    return _aligned_malloc(bytes, multiple);
}
void release(void* memory) { _aligned_free(memory); }
#else
void* allocated(std::size_t multiple, std::size_t bytes) {
    return std::aligned_alloc(multiple, bytes);
}
void release(void* memory) { std::free(memory); }
#endif

}  // namespace

// Tables and other vectors are allocated by these (support/aligned.hpp).
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    const auto multiple = static_cast<std::size_t>(alignment);
    const std::size_t rounded = (bytes + multiple - 1) / multiple * multiple;
    void* memory =
        aligned_allocations_left.fetch_sub(1) > 0 ? allocated(multiple, rounded) : nullptr;
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }

namespace {

// A piece counter that runs out of memory after a number of accumulators.
class RunsOut final : public Evaluator {
  public:
    explicit RunsOut(int accumulators) : left_(accumulators) {}
    std::unique_ptr<Accumulator> accumulator() const override {
        if (left_.fetch_sub(1) <= 0) {
            throw std::bad_alloc();
        }
        return counter_.accumulator();
    }
    double value(Accumulator& seen, Bits black, Bits white) const override {
        return counter_.value(seen, black, white);
    }
    void values_after(Accumulator& seen, const Board& board, const MoveList& moves, SeenAs seen_as,
                      std::span<double> values) const override {
        counter_.values_after(seen, board, moves, seen_as, values);
    }
    std::size_t bytes() const override { return sizeof *this; }

  private:
    static constexpr std::array<double, 64> WEIGHTS{1, -0.25, 0.1};
    PieceCounter counter_{WEIGHTS};
    mutable std::atomic<int> left_;
};

template <class Error, class Run>
bool throws(Run run) {
    try {
        run();
    } catch (const Error&) {
        return true;
    }
    return false;
}

void test_every_piece_is_done_once() {
    for (const int threads : {1, 2, 7}) {
        for (const std::size_t chunk : {std::size_t{1}, std::size_t{32}, SIZE_MAX}) {
            std::vector<std::atomic<int>> done(1000);
            share_work(done.size(), chunk, threads,
                       [&] { return [&](std::size_t i) { ++done[i]; }; });
            for (const auto& times : done) {
                CHECK_EQUAL(times.load(), 1);
            }
        }
    }
}

void test_errors_reach_the_caller() {
    for (const int threads : {1, 2, 8}) {
        std::atomic<std::size_t> begun{0};
        CHECK(throws<std::runtime_error>([&] {
            share_work(1'000'000, 1, threads, [&] {
                return [&](std::size_t i) {
                    ++begun;
                    if (i == 100) {
                        throw std::runtime_error("piece 100");
                    }
                };
            });
        }));
        CHECK(begun < 1'000'000);  // the others have stopped
        CHECK(throws<std::bad_alloc>([&] {
            share_work(1000, 1, threads,
                       [&]() -> std::function<void(std::size_t)> { throw std::bad_alloc(); });
        }));
    }
}

void test_players_that_run_out_of_memory() {
    const auto judge = std::make_shared<RunsOut>(5);
    Player player;
    player.judgement = {judge, judge, View::inversion};
    std::array<std::int8_t, 64> differences{};
    CHECK(throws<std::bad_alloc>(
        [&] { play_games(player, player, MatchRules{}, {0, 64}, 8, {differences, {}}); }));

    const auto searching = std::make_shared<RunsOut>(3);
    SearchSettings settings;
    settings.table_bits = 10;
    settings.threads = 4;
    Searcher searcher({searching, searching, View::inversion}, settings);
    CHECK(throws<std::bad_alloc>([&] { searcher.search(START, {.depth = 8}); }));
}

// Nested nodes, as the solver opens them, where any of them may throw.
void test_a_team_survives_errors() {
    Team team(3);
    for (int round = 0; round < 200; ++round) {
        SharedNode outer;
        std::atomic<int> next{0};
        outer.work = [&](SharedNode& on, int thread) {
            for (int i = next++; i < 20 && !on.is_cut(); i = next++) {
                SharedNode inner;
                inner.parent = &on;
                std::atomic<int> step{0};
                inner.work = [&](SharedNode&, int) {
                    for (int k = step++; k < 5; k = step++) {
                        if (i == round % 25 && k == 3) {
                            throw std::runtime_error("node " + std::to_string(i));
                        }
                    }
                };
                team.share(inner, thread);
            }
        };
        const bool expected = round % 25 < 20;
        CHECK_EQUAL(throws<std::runtime_error>([&] { team.share(outer, 0); }), expected);
    }
}

// A solver whose threads run out of memory throws, and can solve the next position.
void test_a_solver_survives_errors() {
    Position position{};
    for (const Board& board : tests::boards_of_a_random_game(3)) {
        if (board.position().discs() == 64 - 18) {
            position = board.position();
        }
    }
    CHECK_EQUAL(64 - position.discs(), 18);
    const int expected = EndgameSolver(16, {}, 1).solve(position).score;
    const auto network = std::make_shared<OrderingNetwork>(tests::random_network());
    EndgameSolver solver(16, {network, nullptr, 0}, 4);
    CHECK_EQUAL(solver.solve(position).score, expected);  // all tables are allocated
    int failed = 0;
    for (int allocations = 0; allocations < 20; ++allocations) {
        aligned_allocations_left = allocations;
        try {
            CHECK_EQUAL(solver.solve(position).score, expected);
        } catch (const std::bad_alloc&) {
            ++failed;
        }
        aligned_allocations_left = INT_MAX;
        CHECK_EQUAL(solver.solve(position).score, expected);
    }
    CHECK(failed >= 1);
}

// Threads that overwrite each other's entries: an entry that is found is complete and belongs to
// its position.
void test_a_shared_transposition_table() {
    TranspositionTable<ExactBounds, 2, 2> table(4);
    const auto known_of = [](const Position& position) {
        ExactBounds known;
        known.lower = static_cast<std::int8_t>(position.mover % 64);
        known.upper = static_cast<std::int8_t>(position.opponent % 64);
        known.best = static_cast<std::uint8_t>((position.mover ^ position.opponent) % 64);
        known.empties = static_cast<std::uint8_t>(position.mover % 60);
        return known;
    };
    std::atomic<int> found{0};
    share_work(100'000, 100, 4, [&] {
        return [&](std::size_t i) {
            Generator generator(5, i % 64);
            const Bits mover = generator.next();
            const Position position{mover, generator.next() & ~mover};
            if (const auto known = table.find(position)) {
                const ExactBounds expected = known_of(position);
                CHECK(known->lower == expected.lower && known->upper == expected.upper &&
                      known->best == expected.best && known->empties == expected.empties);
                ++found;
            }
            table.store(position, known_of(position));
        };
    });
    CHECK(found > 1000);
}

}  // namespace

int main() {
    test_a_shared_transposition_table();
    test_every_piece_is_done_once();
    test_errors_reach_the_caller();
    test_players_that_run_out_of_memory();
    test_a_team_survives_errors();
    test_a_solver_survives_errors();
    std::cout << "threads: passed\n";
}
