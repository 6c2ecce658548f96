// Games: threads, batches and the in-step way give the same records; records are legal games.
#include "boards.hpp"
#include "check.hpp"
#include "evaluators/ntuple_network.hpp"
#include "evaluators/piece_counter.hpp"
#include "playing/games_in_step.hpp"
#include "playing/tied_ranks.hpp"

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

// A network of `placements` slots with two game stages. Small whole weights times `unit`: many
// moves tie.
Player network(View view, int placements, double unit = 1) {
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
        weight = unit * (generator.below(9) - 4);
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

// Ranks of the kind that come up, with many ties, and the largest and smallest there are.
void test_tied_ranks() {
    Generator generator(3, 0);
    std::array<std::int32_t, 64 + 16> ranks{};
    for (const double largest : {0.0, 1e-9, 1.0, 9.0, 12474.0, 1e12}) {
        const RankScale scale(largest, 32);
        const TieLimits limits(scale);
        CHECK(limits.surely < limits.possibly);
        for (std::size_t count = 1; count <= 64; ++count) {
            for (std::int32_t& rank : ranks) {
                rank = scale.rank(largest * (generator.below(9) - 4) / 4) + generator.below(200);
            }
            CHECK(tied_ranks(ranks.data(), count, limits) ==
                  portable::tied_ranks({ranks.data(), count}, limits));
        }
    }
}

// Limits hold for values that are as far off as a scale allows.
void test_rank_scale() {
    for (const double largest : {1e-9, 1.0, 9.0, 12474.0, 1e12}) {
        const double error = 32;
        const RankScale scale(largest, error);
        const double unit = largest / 4 / scale.rank(largest / 4);
        const TieLimits limits(scale);
        CHECK((limits.possibly - 2 * error) * unit >= TIE);
        CHECK(limits.surely < 0 || (limits.surely + 2 * error) * unit <= TIE * (1 + 1e-6));
        CHECK(std::abs(scale.rank(largest)) <= 0x1.0p31 - limits.possibly - 2);
    }
}

}  // namespace

int main() {
    test_tied_ranks();
    test_rank_scale();
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
    // Differences around a tie, ranks too coarse to see one, and all values ties.
    for (const double unit : {1e-6, 0.3e-6, 1e9, 0x1.0p800, 1e-9, 0.0}) {
        check_all_ways(network(View::inversion, 9, unit), network(View::negation, 20, unit), rules);
    }
    rules.alternate_colours = false;
    rules.starts = tests::boards_of_a_random_game(3);
    check_all_ways(corner_lover(View::inversion), corner_lover(View::negation), rules);
    rules.epsilon = {1, 0};
    check_all_ways(corner_lover(View::inversion), random, rules);
    std::puts("playouts: passed");
}
