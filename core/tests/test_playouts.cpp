// Games: threads, batches and the in-step way give the same records; records are legal games.
#include "../evaluators/ntuple_network.hpp"
#include "../evaluators/piece_counter.hpp"
#include "../games_in_step.hpp"
#include "boards.hpp"
#include "check.hpp"

using namespace outflank;

namespace {

constexpr std::size_t GAMES = 200;

struct Played {
    std::vector<std::int8_t> differences;
    std::vector<std::uint8_t> moves;
    bool operator==(const Played&) const = default;
    friend std::ostream& operator<<(std::ostream& out, const Played& played) {
        return out << played.differences.size() << " games";
    }
};

Player corner_lover(View view) {
    std::array<double, 64> weights{};
    for (std::size_t i = 0; i < 64; ++i) {
        weights[i] = 0.01 * static_cast<double>(i % 5);
    }
    weights[0] = weights[7] = weights[56] = weights[63] = 1;
    const auto counter = std::make_shared<PieceCounter>(std::span<const double, 64>(weights));
    Player player;
    player.judgement = {counter, counter, view};
    return player;
}

// A network of `placements` slots with two game stages. Small whole weights: many moves tie.
Player network(View view, int placements) {
    TupleTable table{4, {}};
    for (int i = 0; i < placements; ++i) {
        const int corner = i % 5 + 8 * (i / 5 % 6);
        const std::array<int, 4> squares{corner, corner + 1, corner + 9,
                                         (corner + 18 + i / 30) % 64};
        table.placements.emplace_back(squares.begin(), squares.end());
    }
    std::vector<double> weights(162);
    Generator generator(11, 0);
    for (double& weight : weights) {
        weight = generator.below(9) - 4;
    }
    const std::shared_ptr<const Evaluator> sum = plain_network(std::span(&table, 1), weights, 2);
    Player player;
    player.judgement = {sum, sum, view};
    return player;
}

// A piece counter with every kind of search and knowledge on top, at little depth.
Player thinker(View view) {
    Player player = corner_lover(view);
    player.depth = 2;
    player.solve_from = 6;
    return player;
}

Player counter_of_nodes(View view) {
    Player player = corner_lover(view);
    player.depth = 60;
    player.nodes = 60;
    player.search.prob_cuts = {{{3, 1, 1, 0, 0.1F}, {4, 2, 1, 0, 0.1F}}};
    return player;
}

Played play(const Player& a, const Player& b, const MatchRules& rules, std::uint64_t first,
            std::size_t count, int threads) {
    Played played{std::vector<std::int8_t>(count), std::vector<std::uint8_t>(count * LONGEST_GAME)};
    play_games(a, b, rules, {first, count}, threads, {played.differences, played.moves});
    return played;
}

Played play_in_step(const Player& a, const Player& b, const MatchRules& rules, bool by_values) {
    GamesInStep games(rules, {0, GAMES}, true);
    SeatedPlayer seated(a);
    const auto first = std::make_shared<Player>(a);
    const auto second = std::make_shared<Player>(b);
    while (!games.over()) {
        games.gather(0);
        if (by_values) {
            std::vector<double> values;
            for (const Board& board : games.waiting_boards()) {
                const MoveList list(board.position(), board.position().moves());
                const auto count = static_cast<std::size_t>(list.count);
                values.resize(values.size() + count);
                seated.judge(board, list, std::span(values).last(count));
            }
            CHECK_EQUAL(values.size(), games.afterstates().black.size());
            games.answer_values(values);
        } else {
            games.answer_by(first);
        }
        games.gather(1);
        games.answer_by(second);
    }
    return {{games.disc_differences().begin(), games.disc_differences().end()},
            {games.moves().begin(), games.moves().end()}};
}

void check_records(const Played& played, const MatchRules& rules) {
    for (std::size_t i = 0; i < GAMES; ++i) {
        OpenGame game = rules.open(i);
        std::size_t ply = 0;
        for (Bits moves = game.settle(); moves != 0; moves = game.settle()) {
            const int square = played.moves[i * LONGEST_GAME + ply++];
            CHECK((moves & bit(square)) != 0);
            game.play(game.choice(square));
        }
        CHECK(ply == LONGEST_GAME || played.moves[i * LONGEST_GAME + ply] == NO_MOVE);
        CHECK_EQUAL(static_cast<int>(played.differences[i]),
                    rules.disc_difference_for_first(i, game));
    }
}

void check_all_ways(const Player& a, const Player& b, const MatchRules& rules) {
    const Played one = play(a, b, rules, 0, GAMES, 1);
    CHECK_EQUAL(play(a, b, rules, 0, GAMES, 2), one);
    CHECK_EQUAL(play(a, b, rules, 0, GAMES, 8), one);
    const Played tail = play(a, b, rules, 150, 50, 2);
    CHECK(
        std::equal(tail.moves.begin(), tail.moves.end(), one.moves.begin() + 150L * LONGEST_GAME));
    CHECK_EQUAL(play_in_step(a, b, rules, false), one);
    if (!a.judgement.is_random() && a.depth == 1) {
        CHECK_EQUAL(play_in_step(a, b, rules, true), one);
    }
    check_records(one, rules);
}

}  // namespace

int main() {
    const Player random{};
    MatchRules rules;
    check_all_ways(random, random, rules);
    rules.epsilon = {0.1, 0.3};
    rules.seed = 5;
    check_all_ways(corner_lover(View::negation), corner_lover(View::inversion), rules);
    check_all_ways(corner_lover(View::doubled), random, rules);
    check_all_ways(thinker(View::negation), thinker(View::inversion), rules);
    check_all_ways(counter_of_nodes(View::inversion), random, rules);
    for (const int slots :
         {9, 20, 40, 70}) {  // of every width that is known at compile time, and another
        check_all_ways(network(View::inversion, slots), corner_lover(View::inversion), rules);
        check_all_ways(network(View::negation, slots), random, rules);
    }
    rules.alternate_colours = false;
    rules.starts = tests::boards_of_a_random_game(3);
    check_all_ways(corner_lover(View::inversion), corner_lover(View::negation), rules);
    rules.epsilon = {1, 0};
    check_all_ways(corner_lover(View::inversion), random, rules);
    std::puts("playouts: passed");
}
