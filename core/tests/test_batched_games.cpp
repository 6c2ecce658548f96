// Batched games are the games of a match: same numbers, same draws, same results, on any threads.
#include "check.hpp"
#include "playing/batched_games.hpp"

using namespace outflank;

namespace {

struct Buffers {
    std::vector<std::uint8_t> planes, masks, black_turn, over;
    std::vector<std::int8_t> differences;

    explicit Buffers(std::size_t size)
        : planes(128 * size), masks(64 * size), black_turn(size), over(size), differences(size) {}
    BatchView view() { return {planes, masks, black_turn}; }
    StepResults results() { return {over, differences}; }
    friend bool operator==(const Buffers&, const Buffers&) = default;
};

// Random moves of both sides, or of the first player against a random one.
void check_against_playouts(std::size_t size, bool with_opponent, double epsilon) {
    MatchRules rules;
    rules.epsilon = {epsilon, epsilon};
    rules.seed = 7;
    const auto random = std::make_shared<const Player>();
    constexpr std::size_t GAMES = 400;
    std::vector<std::int8_t> expected(GAMES);
    play_games(*random, *random, rules, {0, GAMES}, 1, {expected, {}});

    BatchedGames games(rules, size, with_opponent ? random : nullptr);
    Buffers buffers(size);
    std::vector<std::uint64_t> number(size);
    for (std::size_t i = 0; i < size; ++i) {
        number[i] = i;
    }
    std::vector<std::uint8_t> squares(size);
    std::size_t checked = 0;
    while (checked < GAMES / 2) {
        std::vector<bool> black_moved(size);
        games.observe(buffers.view());
        for (std::size_t i = 0; i < size; ++i) {
            black_moved[i] = buffers.black_turn[i] != 0;
        }
        games.draw_moves(squares);
        games.step(squares, 1, buffers.results(), buffers.view());
        for (std::size_t i = 0; i < size; ++i) {
            if (buffers.over[i] == 0) {
                CHECK(buffers.differences[i] == 0);
                continue;
            }
            if (number[i] < GAMES) {
                const bool first_moved = black_moved[i] == (number[i] % 2 == 0);
                const int first = first_moved ? buffers.differences[i] : -buffers.differences[i];
                CHECK(first == expected[number[i]]);
                ++checked;
            }
            number[i] += size;
        }
    }
}

void check_threads_do_not_matter() {
    MatchRules rules;
    rules.epsilon = {0.1, 0.1};
    constexpr std::size_t SIZE = 1000;
    BatchedGames one(rules, SIZE, nullptr);
    BatchedGames three(rules, SIZE, nullptr);
    Buffers first(SIZE);
    Buffers second(SIZE);
    std::vector<std::uint8_t> squares(SIZE);
    std::vector<std::uint8_t> same(SIZE);
    for (int step = 0; step < 100; ++step) {
        one.draw_moves(squares);
        three.draw_moves(same);
        CHECK(squares == same);
        one.step(squares, 1, first.results(), first.view());
        three.step(squares, 3, second.results(), second.view());
        CHECK(first == second);
    }
}

void check_the_view() {
    BatchedGames games(MatchRules{}, 2, nullptr);
    Buffers buffers(2);
    games.observe(buffers.view());
    for (std::size_t square = 0; square < 64; ++square) {
        const Position start = START.position();
        const int at = static_cast<int>(square);
        CHECK(buffers.planes[128 + square] == (start.mover >> at & 1));
        CHECK(buffers.planes[128 + 64 + square] == (start.opponent >> at & 1));
        CHECK(buffers.masks[64 + square] == (start.moves() >> at & 1));
    }
    std::vector<std::uint8_t> squares{37, 0};  // the second is not legal, so no move is made
    bool refused = false;
    try {
        games.step(squares, 1, buffers.results(), buffers.view());
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    CHECK(refused);
    CHECK(games.position(0) == START.position());
}

}  // namespace

int main() {
    check_against_playouts(1, false, 0.0);
    check_against_playouts(7, false, 0.1);
    check_against_playouts(64, true, 0.0);
    check_against_playouts(7, true, 0.3);
    check_threads_do_not_matter();
    check_the_view();
    return 0;
}
