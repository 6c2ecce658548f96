// Learning: batches do not change the weights, for every kind of evaluator and every variant of TD.
#include "../evaluators/piece_counter.hpp"
#include "../td_learning.hpp"
#include "check.hpp"

using namespace outflank;

namespace {

std::vector<std::unique_ptr<Learnable>> all_kinds(bool coherent) {
    std::array<int, 64> places{};
    for (std::size_t i = 0; i < 64; ++i) {
        places[i] = static_cast<int>(i);
    }
    const std::vector<TupleTable> tables{{2, {{0, 1}, {7, 6}, {56, 57}, {63, 62}}},
                                         {10, {{0, 1, 2, 3, 4, 5, 6, 7, 9, 14}}}};
    MlpShape shape{{64, 4, 1}, std::vector<int>(256), {256, 257, 258, 259}, 260, true};
    for (std::size_t i = 0; i < 256; ++i) {
        shape.first_layer[i] = i % 5 == 0 ? -1 : static_cast<int>(i);
    }
    std::vector<std::unique_ptr<Learnable>> kinds;
    kinds.push_back(learning_piece_counter(places, 64, coherent));
    kinds.push_back(learning_network(tables, 3, coherent));
    kinds.push_back(learning_mlp(std::move(shape), coherent));
    Generator generator(6, 0);
    for (const auto& kind : kinds) {
        std::vector<float> weights(kind->weight_count());
        for (float& weight : weights) {
            weight = static_cast<float>(0.1 * generator.uniform() - 0.05);
        }
        kind->set_weights(weights);
        CHECK(kind->weights() == weights);
    }
    return kinds;
}

std::vector<TdSettings> all_ways() {
    std::vector<TdSettings> ways(6);
    ways[1].successor = Successor::every_board;
    ways[1].view = View::negation;
    ways[1].output = Output::tanh;
    ways[1].expected_target = false;
    ways[2].lambda = 0.7;
    ways[2].random_plies = 12;
    ways[3].view = View::negation;
    ways[3].final_alpha = 0;
    ways[3].games = 60;
    ways[4] = ways[1];
    ways[4].final_board = false;
    ways[5].final_board = false;
    ways[5].lambda = 0.7;
    return ways;
}

void test_batches_do_not_matter() {
    const std::vector<std::shared_ptr<Player>> nobody;
    const std::vector<std::shared_ptr<Player>> somebody{nullptr, std::make_shared<Player>()};
    for (const bool coherent : {false, true}) {
        for (const TdSettings& settings : all_ways()) {
            const auto whole = all_kinds(coherent);
            const auto parts = all_kinds(coherent);
            for (std::size_t k = 0; k < whole.size(); ++k) {
                const auto& opponents =
                    settings.successor == Successor::own && k % 2 == 0 ? somebody : nobody;
                const auto before = whole[k]->weights();
                const auto once = td_learn(*whole[k], opponents, settings, {0, 60});
                double squared_error = 0;
                for (const GameSpan part : {GameSpan{0, 7}, GameSpan{7, 40}, GameSpan{47, 13}}) {
                    squared_error += td_learn(*parts[k], opponents, settings, part).squared_error;
                }
                CHECK(whole[k]->weights() == parts[k]->weights());
                CHECK(whole[k]->coherence() == parts[k]->coherence());
                CHECK(whole[k]->weights() != before);
                CHECK_EQUAL(once.squared_error, squared_error);
                CHECK_EQUAL(whole[k]->coherence().size(),
                            coherent ? 2 * whole[k]->weight_count() : std::size_t{0});
            }
        }
    }
}

// One disc is placed, and the game is over: with the final board nothing else learns, without it
// nothing at all.
void test_the_final_board_learns_only_if_it_is_to() {
    const std::vector<std::shared_ptr<Player>> nobody;
    const Bits white = Bits{1} << 1;
    const Bits black = ~white & ~Bits{1};  // Black takes a1; every other square is full
    for (const bool final_board : {true, false}) {
        TdSettings settings;
        settings.successor = Successor::every_board;
        settings.starts = {Board{black, white, Colour::black}};
        settings.final_board = final_board;
        for (const auto& kind : all_kinds(false)) {
            const auto before = kind->weights();
            const auto found = td_learn(*kind, nobody, settings, {0, 1});
            CHECK_EQUAL(found.updates, final_board ? std::uint64_t{1} : std::uint64_t{0});
            CHECK(final_board || kind->weights() == before);
        }
    }
}

// Two discs are placed: the boards after both learn, or only the first, from the result.
void test_the_board_before_it_learns_instead() {
    const std::vector<std::shared_ptr<Player>> nobody;
    const Bits white = Bits{1} << 1 | Bits{1} << 62;
    // Black takes a1 and, White having to pass, h8.
    const Bits black = ~white & ~(Bits{1} | Bits{1} << 63);
    TdSettings settings;
    settings.successor = Successor::every_board;
    settings.starts = {Board{black, white, Colour::black}};
    for (const bool final_board : {true, false}) {
        settings.final_board = final_board;
        for (const auto& kind : all_kinds(false)) {
            const auto found = td_learn(*kind, nobody, settings, {0, 1});
            CHECK_EQUAL(found.updates, final_board ? std::uint64_t{2} : std::uint64_t{1});
        }
    }
}

}  // namespace

int main() {
    test_batches_do_not_matter();
    test_the_final_board_learns_only_if_it_is_to();
    test_the_board_before_it_learns_instead();
    std::puts("td_learning: passed");
}
