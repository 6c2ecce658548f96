// Learning: batches do not change the weights, for every kind of evaluator and every variant of TD.
#include "boards.hpp"
#include "check.hpp"
#include "evaluators/piece_counter.hpp"
#include "learning/mirror_images.hpp"
#include "learning/td_learning.hpp"

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
    std::vector<TdSettings> ways(9);
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
    ways[6].output = Output::discs;
    ways[6].solved = 4;
    ways[7] = ways[6];
    ways[7].target_epsilon = 0;
    ways[7].depth = 2;
    ways[8].view = View::negation;
    ways[8].depth = 2;
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

void test_threads_do_not_matter_in_batches() {
    const std::vector<std::shared_ptr<Player>> somebody{nullptr, std::make_shared<Player>()};
    for (TdSettings settings : all_ways()) {
        settings.batch = 16;
        settings.solved = 5;
        const auto alone = all_kinds(true);
        const auto together = all_kinds(true);
        for (std::size_t k = 0; k < alone.size(); ++k) {
            const std::span opponents(somebody.data(),
                                      settings.successor == Successor::own ? 2 : 0);
            const auto once = td_learn(*alone[k], opponents, settings, {0, 40}, 1);
            const auto parts = td_learn(*together[k], opponents, settings, {0, 16}, 3);
            const auto rest = td_learn(*together[k], opponents, settings, {16, 24}, 2);
            CHECK(alone[k]->weights() == together[k]->weights());
            CHECK(alone[k]->coherence() == together[k]->coherence());
            CHECK_EQUAL(once.updates, parts.updates + rest.updates);
            CHECK_EQUAL(once.squared_error, parts.squared_error + rest.squared_error);
            CHECK_EQUAL(once.points, parts.points + rest.points);
        }
    }
}

// The entry that a placement finds on a board of digits.
Index entry_of(const std::vector<std::uint8_t>& placement, const std::array<int, 64>& digits) {
    Index entry = 0;
    for (const std::uint8_t square : placement) {
        entry = 3 * entry + static_cast<Index>(digits[square]);
    }
    return entry;
}

// A network as slow as it is plain: entries by placement, sums and changes one by one.
class SlowTwin {
  public:
    explicit SlowTwin(std::vector<TupleTable> tables, std::vector<float> weights)
        : tables_(std::move(tables)), weights_(std::move(weights)), sums_(2 * weights_.size()) {}

    std::vector<std::size_t> entries(Bits black, Bits white) const {
        std::array<int, 64> digits{};
        for (int square = 0; square < 64; ++square) {
            digits[static_cast<std::size_t>(square)] =
                1 + static_cast<int>(black >> square & 1) - static_cast<int>(white >> square & 1);
        }
        std::vector<std::size_t> found;
        std::size_t first = 0;
        for (const TupleTable& table : tables_) {
            for (const auto& placement : table.placements) {
                found.push_back(first + entry_of(placement, digits));
            }
            first += table.weight_count();
        }
        return found;
    }
    double value(Bits black, Bits white) const {
        std::array<double, 4> chains{};
        std::size_t k = 0;
        for (const std::size_t entry : entries(black, white)) {
            chains[k++ % 4] += static_cast<double>(weights_[entry]);
        }
        return (chains[0] + chains[1]) + (chains[2] + chains[3]);
    }
    void nudge(Bits black, Bits white, float asked, float alpha, bool coherent) {
        for (const std::size_t entry : entries(black, white)) {
            float& sum = sums_[2 * entry];
            float& sizes = sums_[2 * entry + 1];
            const float rate = coherent && sizes > 0 ? std::abs(sum) / sizes : 1.0F;
            weights_[entry] += alpha * rate * asked;
            sum += asked;
            sizes += std::abs(asked);
        }
    }
    const std::vector<float>& weights() const { return weights_; }
    const std::vector<float>& coherence() const { return sums_; }

  private:
    std::vector<TupleTable> tables_;
    std::vector<float> weights_;
    std::vector<float> sums_;
};

// Values and weights bit by bit, of networks with 20, 40 and 80 slots and few or many tables; the
// board after a move is seen by follow, or not at all.
void test_tables_learn_like_their_slow_twin(int copies, bool coherent) {
    std::vector<TupleTable> tables;
    for (int i = 0; i < copies; ++i) {
        const auto some = tests::lines_and_corners();
        tables.insert(tables.end(), some.begin(), some.end());
    }
    const auto network = learning_network(tables, 1, coherent);
    Generator generator(3, static_cast<std::uint64_t>(copies));
    std::vector<float> weights(network->weight_count());
    for (float& weight : weights) {
        weight = static_cast<float>(generator.uniform() - 0.5);
    }
    network->set_weights(weights);
    SlowTwin twin(tables, weights);
    const auto seen = network->accumulator();
    const auto after = network->accumulator();
    for (const Board& board : tests::boards_of_a_random_game(static_cast<std::uint64_t>(copies))) {
        const MoveList moves(board.position(), board.position().moves());
        for (const SeenAs seen_as : {SeenAs::mover_is_black, SeenAs::mover_is_white}) {
            MoveValues values(moves.count);
            network->values_after(*seen, board, moves, seen_as, values.span());
            for (std::size_t i = 0; i < static_cast<std::size_t>(moves.count); ++i) {
                const Position next = board.position().play(moves.squares[i], moves.flipped[i]);
                const auto [black, white] = seen_as == SeenAs::mover_is_black ? next.pass() : next;
                CHECK_EQUAL(values.values[i], twin.value(black, white));
                CHECK_EQUAL(network->value(*after, black, white), twin.value(black, white));
            }
            const auto chosen = static_cast<std::size_t>(generator.below(moves.count));
            const Position next =
                board.position().play(moves.squares[chosen], moves.flipped[chosen]);
            const auto [black, white] = seen_as == SeenAs::mover_is_black ? next.pass() : next;
            if (generator.below(2) == 0) {
                network->follow(*seen, board, moves, chosen, seen_as, *after);
                const Board now = Board::of(next, other(board.mover));
                CHECK_EQUAL(network->value(*seen, now.black, now.white),
                            twin.value(now.black, now.white));
            }
            CHECK_EQUAL(network->value(*after, black, white), twin.value(black, white));
            const auto asked = static_cast<float>(generator.uniform() - 0.5);
            network->nudge(*after, asked, 0.3F);
            twin.nudge(after->black, after->white, asked, 0.3F, coherent);
        }
    }
    CHECK(network->weights() == twin.weights());
    CHECK(!coherent || network->coherence() == twin.coherence());
}

// Random boards and their images find entries of the same rings, in any order.
void test_mirror_images() {
    // The middle of an edge, the middle of the board, a corner: groups of 2, 8 and 2 orders.
    const std::vector<TupleTable> tables{{2, {{3, 4}, {24, 32}, {31, 39}, {59, 60}}},
                                         {4, {{27, 28, 35, 36}}},
                                         {3, {{0, 1, 8}, {7, 6, 15}, {56, 57, 48}, {63, 62, 55}}}};
    const std::vector<Index> ring = mirror_images(tables);
    const auto first_of_ring = [&](Index entry) {
        Index first = entry;
        for (Index i = ring[entry]; i != entry; i = ring[i]) {
            first = std::min(first, i);
        }
        return first;
    };
    Generator generator(1, 2);
    for (int trial = 0; trial < 200; ++trial) {
        std::array<int, 64> digits{};
        for (int& digit : digits) {
            digit = generator.below(3);
        }
        std::vector<Index> of_board;
        for (int symmetry = 0; symmetry < 8; ++symmetry) {
            std::array<int, 64> image{};
            for (int square = 0; square < 64; ++square) {
                image[static_cast<std::size_t>(lowest_square(symmetric(bit(square), symmetry)))] =
                    digits[static_cast<std::size_t>(square)];
            }
            std::vector<Index> found;
            Index first = 0;
            for (const TupleTable& table : tables) {
                for (const auto& placement : table.placements) {
                    found.push_back(first_of_ring(first + entry_of(placement, image)));
                }
                first += table.weight_count();
            }
            std::ranges::sort(found);
            CHECK(symmetry == 0 || found == of_board);
            of_board = found;
        }
    }
    const std::vector<TupleTable> lopsided{{2, {{0, 1}, {7, 6}}}};
    bool refused = false;
    try {
        mirror_images(lopsided);
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    CHECK(refused);
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
    test_threads_do_not_matter_in_batches();
    for (const bool coherent : {false, true}) {
        for (const int copies : {1, 2, 4}) {
            test_tables_learn_like_their_slow_twin(copies, coherent);
        }
    }
    test_mirror_images();
    test_the_final_board_learns_only_if_it_is_to();
    test_the_board_before_it_learns_instead();
    std::puts("td_learning: passed");
}
