// Every evaluator, from scratch and incremental, folded and plain, against its definition.
#include "boards.hpp"
#include "check.hpp"
#include "evaluators/hyperbolic.hpp"
#include "evaluators/iago.hpp"
#include "evaluators/league_text.hpp"
#include "evaluators/mlp.hpp"
#include "evaluators/ntuple_network.hpp"
#include "evaluators/piece_counter.hpp"

using namespace outflank;

namespace {

double random_weight(Generator& generator) { return 200 * generator.uniform() - 100; }

std::vector<double> random_weights(Generator& generator, std::size_t count) {
    std::vector<double> weights(count);
    for (double& weight : weights) {
        weight = random_weight(generator);
    }
    return weights;
}

// White 0, empty 1, black 2.
std::uint32_t digit(const Board& board, int square) {
    return (board.black & bit(square)) != 0 ? 2 : (board.white & bit(square)) != 0 ? 0 : 1;
}

double ntuple_slow(std::span<const TupleTable> tables, std::span<const double> weights, int stages,
                   const Board& board) {
    std::size_t first = 0;
    const std::size_t stage_weights = weights.size() / static_cast<std::size_t>(stages);
    first += static_cast<std::size_t>(stage_of(std::popcount(board.black | board.white), stages)) *
             stage_weights;
    double sum = 0;
    for (const TupleTable& table : tables) {
        for (const auto& placement : table.placements) {
            std::uint32_t index = 0;
            for (const int square : placement) {
                index = 3 * index + digit(board, square);
            }
            sum += weights[first + index];
        }
        first += table.weight_count();
    }
    return sum;
}

Board seen(const Position& position, SeenAs seen_as) {
    return seen_as == SeenAs::mover_is_black
               ? Board{position.opponent, position.mover, Colour::white}  // after the move
               : Board{position.mover, position.opponent, Colour::white};
}

// values_after and value agree to the last bit, along games and between unrelated boards.
void check_consistent(const Evaluator& evaluator) {
    auto along = evaluator.accumulator();
    for (std::uint64_t game = 0; game < 20; ++game) {
        for (const Board& board : tests::boards_of_a_random_game(game)) {
            const Position position = board.position();
            const MoveList list(position, position.moves());
            for (const SeenAs seen_as : {SeenAs::mover_is_black, SeenAs::mover_is_white}) {
                std::array<double, 64> values{};
                evaluator.values_after(*along, board, list, seen_as,
                                       {values.data(), static_cast<std::size_t>(list.count)});
                for (std::size_t i = 0; i < static_cast<std::size_t>(list.count); ++i) {
                    const Board after = seen(position.play(list.squares[i]), seen_as);
                    auto fresh = evaluator.accumulator();
                    CHECK_EQUAL(values[i], evaluator.value(*fresh, after.black, after.white));
                }
            }
        }
    }
}

// Placements of random squares; `within` limits them to lines or 3x3 blocks so that they fold.
std::vector<TupleTable> random_tables(Generator& generator, int count, int length, bool straight) {
    std::vector<TupleTable> tables;
    for (int i = 0; i < count; ++i) {
        TupleTable table{length, {}};
        for (int placement = 0; placement < 4; ++placement) {
            std::vector<std::uint8_t> squares;
            const int row = generator.below(8);
            const int column = generator.below(9 - length);
            for (int k = 0; k < length; ++k) {
                const int square = straight ? 8 * row + column + k : generator.below(64);
                squares.push_back(static_cast<std::uint8_t>(square));
            }
            if (generator.below(2) == 0) {
                std::reverse(squares.begin(), squares.end());
            }
            table.placements.push_back(squares);
        }
        tables.push_back(table);
    }
    return tables;
}

void check_ntuple(Generator& generator, const std::vector<TupleTable>& tables, int stages) {
    std::size_t count = 0;
    for (const TupleTable& table : tables) {
        count += table.weight_count();
    }
    const auto weights = random_weights(generator, count * static_cast<std::size_t>(stages));
    const auto plain = plain_network(tables, weights, stages);
    const auto folded = folded_network(tables, weights, stages);
    auto plain_seen = plain->accumulator();
    auto folded_seen = folded->accumulator();
    for (int i = 0; i < 500; ++i) {
        const Board board = tests::random_discs(generator);
        const double value = plain->value(*plain_seen, board.black, board.white);
        CHECK_EQUAL(folded->value(*folded_seen, board.black, board.white), value);
        CHECK(std::abs(value - ntuple_slow(tables, weights, stages, board)) < 1e-9);
    }
    check_consistent(*plain);
    check_consistent(*folded);
}

void test_ntuple_networks() {
    Generator generator(2, 0);
    check_ntuple(generator, random_tables(generator, 10, 2, true), 1);
    check_ntuple(generator, random_tables(generator, 10, 5, true), 3);
    check_ntuple(generator, random_tables(generator, 8, 4, false), 2);
    check_ntuple(generator, random_tables(generator, 3, 8, false), 1);
    auto mixed = random_tables(generator, 6, 3, true);
    const auto longer = random_tables(generator, 2, 6, false);
    mixed.insert(mixed.end(), longer.begin(), longer.end());
    const TupleTable eleven{11, {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}};  // needs the wide index
    mixed.push_back(eleven);
    check_ntuple(generator, mixed, 1);
}

void test_cover() {
    // Every pair of neighbours in a row fits the 3x3 blocks; a row of five needs the lines.
    const std::vector<TupleTable> pairs{{2, {{0, 1}, {1, 2}, {62, 63}, {54, 63}}}};
    CHECK_EQUAL(covering_sets(pairs).size(), 2U);
    const std::vector<TupleTable> five{{5, {{0, 1, 2, 3, 4}, {3, 4, 5, 6, 7}}}};
    CHECK_EQUAL(covering_sets(five).size(), 1U);
}

template <class Make>
std::string refusal(Make make) {
    try {
        make();
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

// Shapes whose folded tables would wrap 32-bit offsets or take tens of gigabytes: the plain form is
// chosen, and its values are right (but for the grid's 2^-29, once per placement). A network that
// is too large in either form is refused before it is allocated.
void test_compile_limits() {
    Generator generator(11, 0);
    const auto set_of = [&](int length) {
        std::vector<std::uint8_t> squares;
        for (Bits taken = 0; static_cast<int>(squares.size()) < length;) {
            const int square = generator.below(64);
            if ((taken & bit(square)) == 0) {
                taken |= bit(square);
                squares.push_back(static_cast<std::uint8_t>(square));
            }
        }
        return squares;
    };
    TupleTable wide{13, {}};  // folded: 2,694 tables of 3^13 entries, which wrap 32 bits
    TupleTable narrow{1, {}};
    for (int i = 0; i < 2694; ++i) {
        wide.placements.push_back(set_of(13));
        narrow.placements.push_back({static_cast<std::uint8_t>(generator.below(64))});
    }
    const std::vector<TupleTable> tables{wide, narrow};
    const auto weights = random_weights(generator, weights_of_one_stage(tables));
    const auto compiled = compiled_network(tables, weights, 1);
    const auto plain = plain_network(tables, weights, 1);
    CHECK_EQUAL(compiled->bytes(), plain->bytes());
    CHECK(compiled->bytes() < CompileLimits{}.folded_bytes);
    auto seen = compiled->accumulator();
    for (int i = 0; i < 20; ++i) {
        const Board board = tests::random_discs(generator);
        CHECK(std::abs(compiled->value(*seen, board.black, board.white) -
                       ntuple_slow(tables, weights, 1, board)) < 1e-4);
    }
    CHECK_EQUAL(refusal([&] { folded_network(tables, weights, 1); }),
                std::string("this network is too large to be folded"));
    const CompileLimits small{.bytes = 1 << 20};
    CHECK_EQUAL(refusal([&] { plain_network(tables, weights, 1, small); }),
                std::string("this network would take 13 MB when compiled; the most is 1 MB"));

    // Placements that would join a large table one by one: too many additions to fold.
    const TupleTable row{8, {{0, 1, 2, 3, 4, 5, 6, 7}}};
    const TupleTable end{1, std::vector<std::vector<std::uint8_t>>(200'000, {7})};
    const std::vector<TupleTable> repeated{row, end};
    const auto few = random_weights(generator, weights_of_one_stage(repeated));
    CHECK_EQUAL(compiled_network(repeated, few, 1)->bytes(),
                plain_network(repeated, few, 1)->bytes());
    const CompileLimits patient{.folding_steps = SIZE_MAX};
    CHECK(compiled_network(repeated, few, 1, patient)->bytes() < 100'000);
}

// Many distinct sets: compiled in linear time, and equal to the definition.
void test_many_sets() {
    Generator generator(12, 0);
    TupleTable table{3, {}};
    for (int i = 0; i < 40'000; ++i) {
        std::vector<std::uint8_t> squares;
        for (int k = 0; k < 3; ++k) {
            squares.push_back(static_cast<std::uint8_t>(generator.below(64)));
        }
        table.placements.push_back(squares);
    }
    const std::vector<TupleTable> tables{table};
    const auto weights = random_weights(generator, 27);
    const auto compiled = compiled_network(tables, weights, 1);
    auto seen = compiled->accumulator();
    for (int i = 0; i < 5; ++i) {
        const Board board = tests::random_discs(generator);
        CHECK(std::abs(compiled->value(*seen, board.black, board.white) -
                       ntuple_slow(tables, weights, 1, board)) < 1e-4);
    }
    CHECK_EQUAL(refusal([] { Slots(Slots::MOST + 1, 0); }),
                std::string("a network has at most 4194304 placements, not 4194305"));
}

void test_league_text() {
    const LeagueText parsed = parse_league_text(
        "{ 2 { 2 1 {0, 9} {1 2 3 4 5 6 7 8 +9e0} }"
        "\n { 1 2 {5} {63} {-1 0 .5} } }");
    CHECK_EQUAL(parsed.tables.size(), 2U);
    CHECK_EQUAL(parsed.tables[1].placements.size(), 2U);
    CHECK_EQUAL(parsed.weights.size(), 12U);
    CHECK_EQUAL(parsed.weights[8], 9.0);
    CHECK_EQUAL(parsed.weights[11], 0.5);
    CHECK_EQUAL(refusal([] { parse_league_text("1 1 1\n 64"); }),
                std::string("line 2, column 2: table 1: a square should be within 0..63, got 64"));
}

void test_piece_counter() {
    Generator generator(3, 0);
    const auto weights = random_weights(generator, 64);
    const PieceCounter counter(std::span<const double, 64>(weights.data(), 64));
    auto seen = counter.accumulator();
    for (int i = 0; i < 500; ++i) {
        const Board board = tests::random_discs(generator);
        double sum = 0;
        for (int square = 0; square < 64; ++square) {
            sum += weights[static_cast<std::size_t>(square)] *
                   (static_cast<int>(digit(board, square)) - 1);
        }
        CHECK(std::abs(counter.value(*seen, board.black, board.white) - sum) < 1e-9);
    }
    check_consistent(counter);
}

// By walking from square to square. Empty squares that `own` may play, and those next to `other`.
std::pair<int, int> mobility_slow(const Board& board, std::uint32_t own, std::uint32_t other) {
    int moves = 0;
    int potential = 0;
    for (int square = 0; square < 64; ++square) {
        bool is_move = false;
        bool is_next_to_other = false;
        for (int direction = 0; direction < 9; ++direction) {
            const int down = direction / 3 - 1;
            const int right = direction % 3 - 1;
            int passed = 0;
            int row = square / 8 + down;
            int column = square % 8 + right;
            while (direction != 4 && row >= 0 && row < 8 && column >= 0 && column < 8) {
                const std::uint32_t found = digit(board, 8 * row + column);
                is_next_to_other |= passed == 0 && found == other;
                is_move |= passed > 0 && found == own;
                if (found != other) {
                    break;
                }
                ++passed;
                row += down;
                column += right;
            }
        }
        moves += digit(board, square) == 1 && is_move ? 1 : 0;
        potential += digit(board, square) == 1 && is_next_to_other ? 1 : 0;
    }
    return {moves, potential};
}

double iago_slow(std::span<const double> weights, const IagoCoefficients& c, const Board& board) {
    const auto [black_moves, black_potential] = mobility_slow(board, 2, 0);
    const auto [white_moves, white_potential] = mobility_slow(board, 0, 2);
    double sum = 0;
    double sizes = 0;
    int move = -4;
    for (int square = 0; square < 64; ++square) {
        const double weight = weights[static_cast<std::size_t>(square)];
        sum += weight * (static_cast<int>(digit(board, square)) - 1);
        sizes += std::abs(weight);
        move += digit(board, square) == 1 ? 0 : 1;
    }
    const auto share = [](int black, int white) {
        return double(black - white) / (black + white + 2);
    };
    const MoveCoefficient& mobility = move < 25 ? c.early_mobility : c.late_mobility;
    return (c.positional.base + c.positional.slope * move) * sum / sizes +
           (mobility.base + mobility.slope * move) * share(black_moves, white_moves) +
           (c.potential_mobility.base + c.potential_mobility.slope * move) *
               share(black_potential, white_potential);
}

void test_iago() {
    Generator generator(5, 0);
    const auto weights = random_weights(generator, 72);
    const std::span<const double, 64> squares(weights.data(), 64);
    const IagoCoefficients coefficients{{weights[64], weights[65]},
                                        {weights[66], weights[67]},
                                        {weights[68], weights[69]},
                                        {weights[70], weights[71]}};
    const Iago iago(squares, coefficients);
    auto seen = iago.accumulator();
    for (int i = 0; i < 500; ++i) {
        const Board board = tests::random_discs(generator);
        const double value = iago.value(*seen, board.black, board.white);
        CHECK(std::abs(value - iago_slow(squares, coefficients, board)) < 1e-9);
        CHECK_EQUAL(iago.value(*seen, board.white, board.black), -value);
    }
    for (const Board& board : tests::boards_of_a_random_game(3)) {
        const double value = iago.value(*seen, board.black, board.white);
        CHECK(std::abs(value - iago_slow(squares, coefficients, board)) < 1e-9);
    }
    check_consistent(iago);
    const std::array<double, 64> no_squares{};
    check_consistent(Iago(no_squares, coefficients));
}

DenseLayer random_layer(Generator& generator, int inputs, int nodes) {
    const auto weights = random_weights(
        generator, static_cast<std::size_t>(inputs) * static_cast<std::size_t>(nodes));
    const auto biases = random_weights(generator, static_cast<std::size_t>(nodes));
    DenseLayer layer{
        inputs, nodes, {weights.begin(), weights.end()}, {biases.begin(), biases.end()}};
    for (double& weight : layer.weights) {
        weight *= 0.005;
    }
    return layer;
}

double mlp_slow(const std::vector<DenseLayer>& layers, bool add_difference, const Board& board) {
    std::vector<double> inputs(64);
    for (int square = 0; square < 64; ++square) {
        inputs[static_cast<std::size_t>(square)] = static_cast<int>(digit(board, square)) - 1;
    }
    for (std::size_t l = 0; l < layers.size(); ++l) {
        std::vector<double> outputs(layers[l].biases.begin(), layers[l].biases.end());
        for (std::size_t from = 0; from < inputs.size(); ++from) {
            for (std::size_t to = 0; to < outputs.size(); ++to) {
                outputs[to] += inputs[from] * layers[l].weights[from * outputs.size() + to];
            }
        }
        if (l + 1 < layers.size()) {
            for (double& output : outputs) {
                output = std::tanh(output);
            }
        }
        inputs = outputs;
    }
    return inputs[0] +
           (add_difference ? std::popcount(board.black) - std::popcount(board.white) : 0);
}

void test_mlps() {
    Generator generator(4, 0);
    const std::vector<std::vector<int>> shapes{
        {64, 32, 1}, {64, 91, 40, 10, 1}, {64, 3, 1}, {64, 1}};
    for (const bool add_difference : {false, true}) {
        for (const auto& shape : shapes) {
            std::vector<DenseLayer> layers;
            for (std::size_t i = 0; i + 1 < shape.size(); ++i) {
                layers.push_back(random_layer(generator, shape[i], shape[i + 1]));
            }
            const Mlp mlp(layers, add_difference);
            auto seen = mlp.accumulator();
            for (int i = 0; i < 200; ++i) {
                const Board board = tests::random_discs(generator);
                const double value = mlp.value(*seen, board.black, board.white);
                CHECK(std::abs(value - mlp_slow(layers, add_difference, board)) < 1e-9);
            }
            check_consistent(mlp);
        }
    }
}

void test_tanh() {
    for (double x = -25; x <= 25; x += 0.000731) {
        CHECK(std::abs(portable_tanh(x) - std::tanh(x)) < 1e-15);
    }
    CHECK_EQUAL(portable_tanh(0.0), 0.0);
}

void test_grid_refuses_overflow() {
    const std::array<double, 64> huge = [] {
        std::array<double, 64> weights{};
        weights.fill(1e300);
        return weights;
    }();
    bool refused = false;
    try {
        const PieceCounter counter{std::span<const double, 64>(huge)};
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    CHECK(refused);
    refused = false;
    try {
        const std::array<double, 64> squares{};
        const Iago iago{squares, {{0, 1e300}, {}, {}, {}}};
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    CHECK(refused);
}

}  // namespace

int main() {
    test_tanh();
    test_piece_counter();
    test_iago();
    test_cover();
    test_compile_limits();
    test_many_sets();
    test_league_text();
    test_ntuple_networks();
    test_mlps();
    test_grid_refuses_overflow();
    std::puts("evaluators: passed");
}
