// MLPs: blocked layers against layers one number at a time, estimates against values.
#include "boards.hpp"
#include "check.hpp"
#include "evaluators/mlp.hpp"

using namespace outflank;

namespace {

DenseLayer random_layer(Generator& generator, int inputs, int nodes, double largest) {
    const auto weights = [&](int count) {
        AlignedVector<double> numbers(static_cast<std::size_t>(count));
        for (double& number : numbers) {
            number = largest * (2 * generator.uniform() - 1);
        }
        return numbers;
    };
    return {inputs, nodes, weights(inputs * nodes), weights(nodes)};
}

std::vector<DenseLayer> random_layers(Generator& generator, const std::vector<int>& shape,
                                      double largest) {
    std::vector<DenseLayer> layers;
    for (std::size_t i = 0; i + 1 < shape.size(); ++i) {
        layers.push_back(random_layer(generator, shape[i], shape[i + 1], largest));
    }
    return layers;
}

const std::vector<std::vector<int>> SHAPES{
    {64, 32, 1}, {64, 91, 40, 10, 1}, {64, 4, 1},           {64, 9, 1, 1},
    {64, 1},     {64, 7, 100, 1},     {64, 5, 17, 33, 3, 1}};

// Every node adds its bias and its inputs in order. The first layer is exact in any order.
double value_in_order(const std::vector<DenseLayer>& layers, const Board& board) {
    AlignedVector<double> inputs(64);
    for (int square = 0; square < 64; ++square) {
        inputs[static_cast<std::size_t>(square)] = static_cast<double>(board.black >> square & 1) -
                                                   static_cast<double>(board.white >> square & 1);
    }
    for (const DenseLayer& layer : layers) {
        AlignedVector<double> outputs = layer.biases;
        for (std::size_t from = 0; from < inputs.size(); ++from) {
            for (std::size_t to = 0; to < outputs.size(); ++to) {
                outputs[to] += inputs[from] * layer.weights[from * outputs.size() + to];
            }
        }
        if (&layer != &layers.back()) {
            std::ranges::transform(outputs, outputs.begin(), portable_tanh);
        }
        inputs = outputs;
    }
    return inputs[0];
}

// With first layers on a coarse grid, so that this test's own sums are exact too.
void test_blocks_keep_the_order() {
    Generator generator(11, 0);
    for (const auto& shape : SHAPES) {
        auto layers = random_layers(generator, shape, 0.5);
        for (auto* numbers : {&layers[0].weights, &layers[0].biases}) {
            for (double& number : *numbers) {
                number = std::nearbyint(number * 0x1.0p30) * 0x1.0p-30;
            }
        }
        const Mlp mlp(layers, false);
        const auto seen = mlp.accumulator();
        for (int i = 0; i < 100; ++i) {
            const Board board = tests::random_discs(generator);
            CHECK_EQUAL(mlp.value(*seen, board.black, board.white), value_in_order(layers, board));
        }
    }
}

double error_of_estimated_tanh(float x) {
    std::array<float, LANES<float>> lanes;
    store(lanes.data(), estimated_tanh(x - Floats{}));
    return std::abs(static_cast<double>(lanes[0]) - std::tanh(static_cast<double>(x)));
}

void test_estimated_tanh() {
    double largest = 0;
    for (float x = -9; x <= 9; x += 0.0000371F) {
        largest = std::max(largest, error_of_estimated_tanh(x));
    }
    CHECK(largest < 0.9 * ESTIMATED_TANH_ERROR);
    for (const float x : {1e-30F, -1e-10F, 7.2F, 7.3F, 1e20F, -1e20F}) {
        CHECK(error_of_estimated_tanh(x) < 0.9 * ESTIMATED_TANH_ERROR);
    }
}

// The largest difference between estimates and values along some games.
double largest_error(const Mlp& mlp) {
    const auto exact = mlp.accumulator();
    const auto rough = mlp.accumulator();
    double largest = 0;
    for (std::uint64_t game = 0; game < 10; ++game) {
        for (const Board& board : tests::boards_of_a_random_game(game)) {
            const MoveList moves(board.position(), board.position().moves());
            for (const SeenAs seen_as : {SeenAs::mover_is_black, SeenAs::mover_is_white}) {
                MoveValues values(moves.count);
                MoveValues estimates(moves.count);
                mlp.values_after(*exact, board, moves, seen_as, values.span());
                mlp.estimates_after(*rough, board, moves, seen_as, estimates.span());
                for (std::size_t i = 0; i < values.span().size(); ++i) {
                    largest = std::max(largest, std::abs(values.values[i] - estimates.values[i]));
                }
            }
        }
    }
    return largest;
}

void test_estimates() {
    Generator generator(12, 0);
    for (const bool add_difference : {false, true}) {
        for (const auto& shape : SHAPES) {
            for (const double largest : {0.01, 0.2, 1.0}) {
                const Mlp mlp(random_layers(generator, shape, largest), add_difference);
                CHECK(largest_error(mlp) <= mlp.estimate_error());
            }
        }
    }
    // Those of the papers' networks are worth having.
    CHECK(Mlp(random_layers(generator, SHAPES[0], 0.2), false).estimate_error() < 1e-4);
    const double spatial = Mlp(random_layers(generator, SHAPES[1], 0.2), true).estimate_error();
    CHECK(spatial > 0 && spatial < 1e-3);
}

// Weights beyond floats, or layers that enlarge errors beyond use: there is no estimate then.
void test_no_estimates() {
    Generator generator(13, 0);
    for (const double largest : {0.0, 1e-200, 1e-30, 1e30, 1e200}) {
        const Mlp mlp(random_layers(generator, SHAPES[1], largest), true);
        CHECK_EQUAL(mlp.estimate_error(), 0.0);
        CHECK_EQUAL(largest_error(mlp), 0.0);
    }
    const Mlp steep(random_layers(generator, {64, 60, 60, 60, 60, 1}, 10), false);
    CHECK_EQUAL(steep.estimate_error(), 0.0);
}

// Values keep their distance from the disc difference, and saturated nodes come close to it.
void test_distance_from_disc_difference() {
    Generator generator(14, 0);
    const auto layers = random_layers(generator, {64, 3, 1}, 5);
    CHECK(std::isinf(Mlp(layers, false).distance_from_disc_difference()));
    const Mlp mlp(layers, true);
    const auto seen = mlp.accumulator();
    double largest = 0;
    for (int i = 0; i < 1000; ++i) {
        const Board board = tests::random_discs(generator);
        const int difference = std::popcount(board.black) - std::popcount(board.white);
        const double value = mlp.value(*seen, board.black, board.white);
        largest = std::max(largest, std::abs(value - difference));
    }
    CHECK(largest <= mlp.distance_from_disc_difference());
    CHECK(largest > 0.9 * mlp.distance_from_disc_difference());
}

}  // namespace

int main() {
    test_blocks_keep_the_order();
    test_estimated_tanh();
    test_estimates();
    test_no_estimates();
    test_distance_from_disc_difference();
    std::puts("mlp: passed");
}
