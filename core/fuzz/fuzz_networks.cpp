// Fuzz target: from the bytes of an untrusted file to values of boards and a game.
//
// An input that begins with 's' describes the shape of a network, with 'm' that of a perceptron;
// any other is text in the League's format. What is not refused by std::invalid_argument must
// compile within its limits, give the same values in every form, and play.
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../tests/boards.hpp"
#include "evaluators/league_text.hpp"
#include "evaluators/mlp.hpp"
#include "playing/playouts.hpp"

namespace {

using namespace outflank;

// Small, so that thousands of inputs take seconds.
constexpr CompileLimits LIMITS{.folded_bytes = std::size_t{1} << 20,
                               .folding_steps = std::size_t{1} << 16,
                               .bytes = std::size_t{4} << 20};
constexpr std::size_t MOST_WEIGHTS = std::size_t{1} << 17;

void expect(bool condition, const char* what) {
    if (!condition) {
        std::fprintf(stderr, "fuzz: %s\n", what);
        std::abort();
    }
}

bool same(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// Reads numbers from the input; zeros after its end.
class Bytes {
  public:
    Bytes(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}
    std::uint32_t next() {
        if (left_ == 0) {
            return 0;
        }
        --left_;
        return *data_++;
    }
    std::uint32_t below(std::uint32_t bound) { return (next() << 8 | next()) % bound; }
    // Any size from 1 to the largest, the small ones as often as the large ones.
    std::size_t size_up_to(std::size_t largest) {
        const auto bits = static_cast<std::uint32_t>(std::bit_width(largest));
        const std::size_t high = std::size_t{1} << below(bits);
        return std::min(largest, high + below(65535) % high);
    }
    std::uint64_t seed() {
        std::uint64_t seed = 0;
        for (int i = 0; i < 8; ++i) {
            seed = seed << 8 | next();
        }
        return seed;
    }

  private:
    const std::uint8_t* data_;
    std::size_t left_;
};

double hostile_weight(Bytes& bytes) {
    constexpr std::array<double, 10> EXTREMES{0.0,    -0.0, 1.0,    -1.0,   1e300,
                                              -1e300, 1e17, 5e-324, -1e-17, 0.1};
    const std::uint32_t kind = bytes.next();
    return kind < 128 ? EXTREMES[kind % EXTREMES.size()] : (static_cast<double>(kind) - 192) / 7;
}

enum class Layout : std::uint8_t { anywhere, in_a_row, in_a_block, repeated, last_squares, COUNT };

std::vector<std::uint8_t> placement(Generator& generator, Layout layout, std::size_t length,
                                    std::size_t number) {
    std::vector<std::uint8_t> squares;
    const int row = 8 * generator.below(8);
    const int block = 8 * generator.below(6) + generator.below(6);
    for (std::size_t i = 0; i < length; ++i) {
        int square = generator.below(64);
        switch (layout) {
            case Layout::in_a_row: square = row + generator.below(8); break;
            case Layout::in_a_block:
                square = block + 8 * generator.below(3) + generator.below(3);
                break;
            case Layout::repeated: square = static_cast<int>(i % 64); break;
            case Layout::last_squares: square = 63 - static_cast<int>((i + number) % 16); break;
            default: break;
        }
        squares.push_back(static_cast<std::uint8_t>(square));
    }
    return squares;
}

std::vector<TupleTable> hostile_tables(Bytes& bytes) {
    std::vector<TupleTable> tables;
    const std::size_t count = bytes.size_up_to(20);
    for (std::size_t i = 0; i < count; ++i) {
        const auto layout = static_cast<Layout>(bytes.next() % static_cast<int>(Layout::COUNT));
        // Lengths up to 15 are legal; those above 9 have a hundred thousand weights, and are rare.
        const std::uint32_t drawn = bytes.next();
        const std::size_t length = drawn < 12 ? 10 + drawn % 6 : 1 + drawn % 9;
        TupleTable table{static_cast<int>(length), {}};
        Generator generator(bytes.seed(), 0);
        const std::size_t placements = bytes.size_up_to(1000);
        for (std::size_t k = 0; k < placements; ++k) {
            table.placements.push_back(placement(generator, layout, length, k));
        }
        tables.push_back(std::move(table));
        if (weights_of_one_stage(tables) > MOST_WEIGHTS) {
            break;
        }
    }
    return tables;
}

void play(const std::shared_ptr<const Evaluator>& evaluator) {
    Player player;
    player.judgement = {evaluator, evaluator, View::negation};
    std::array<std::int8_t, 2> differences{};
    play_games(player, Player{}, MatchRules{}, {0, differences.size()}, 1, {differences, {}});
}

void judge_network(std::span<const TupleTable> tables, std::span<const double> weights,
                   int stages) {
    std::vector<std::shared_ptr<const Evaluator>> forms;
    for (const auto& make : {plain_network, folded_network, compiled_network}) {
        try {
            forms.push_back(make(tables, weights, stages, LIMITS));
        } catch (const std::invalid_argument&) {
            continue;
        }
        expect(forms.back()->bytes() <= LIMITS.bytes, "a network is larger than its limit");
    }
    if (forms.empty()) {
        return;
    }
    Generator generator(1, 0);
    std::vector<std::unique_ptr<Evaluator::Accumulator>> seen;
    for (const auto& form : forms) {
        seen.push_back(form->accumulator());
    }
    for (int i = 0; i < 8; ++i) {
        const Board board = tests::random_discs(generator);
        const double value = forms[0]->value(*seen[0], board.black, board.white);
        expect(std::isfinite(value), "a value is not finite");
        for (std::size_t k = 1; k < forms.size(); ++k) {
            expect(same(forms[k]->value(*seen[k], board.black, board.white) + 0.0, value + 0.0),
                   "two forms of a network differ");
        }
    }
    play(forms.back());
}

void fuzz_shape(Bytes bytes) {
    const auto tables = hostile_tables(bytes);
    const auto stages = static_cast<int>(bytes.size_up_to(61));
    const std::size_t entries = weights_of_one_stage(tables);
    if (entries * static_cast<std::size_t>(stages) > MOST_WEIGHTS) {
        return judge_network(tables, {}, stages);  // refused: the weights do not fit
    }
    std::vector<double> weights(entries * static_cast<std::size_t>(stages));
    const double first = hostile_weight(bytes);
    const double second = hostile_weight(bytes);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        weights[i] = i % 3 == 0 ? first : i % 7 == 0 ? second : static_cast<double>(i % 11);
    }
    judge_network(tables, weights, stages);
}

void fuzz_perceptron(Bytes bytes) {
    std::vector<DenseLayer> layers;
    int inputs = 64;
    const std::size_t hidden = bytes.size_up_to(3);
    for (std::size_t i = 0; i <= hidden; ++i) {
        const int nodes = i == hidden ? 1 : static_cast<int>(bytes.size_up_to(200));
        DenseLayer layer{inputs, nodes, {}, {}};
        const double first = hostile_weight(bytes);
        const double second = hostile_weight(bytes);
        const auto connections = static_cast<std::size_t>(inputs) * static_cast<std::size_t>(nodes);
        for (std::size_t k = 0; k < connections; ++k) {
            layer.weights.push_back(k % 2 == 0 ? first : second);
        }
        layer.biases.assign(static_cast<std::size_t>(nodes), second);
        layers.push_back(std::move(layer));
        inputs = nodes;
    }
    const auto network = std::make_shared<Mlp>(std::move(layers), bytes.next() % 2 == 1);
    Generator generator(1, 0);
    auto seen = network->accumulator();
    for (int i = 0; i < 8; ++i) {
        const Board board = tests::random_discs(generator);
        expect(std::isfinite(network->value(*seen, board.black, board.white)),
               "a value is not finite");
    }
    play(network);
}

void fuzz_text(std::string_view text) {
    const LeagueText parsed = parse_league_text(text);
    expect(parsed.weights.size() <= text.size(), "more weights than the text has characters");
    if (!parsed.tables.empty()) {
        judge_network(parsed.tables, parsed.weights, 1);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        if (size > 0 && data[0] == 's') {
            fuzz_shape({data + 1, size - 1});
        } else if (size > 0 && data[0] == 'm') {
            fuzz_perceptron({data + 1, size - 1});
        } else {
            fuzz_text({reinterpret_cast<const char*>(data), size});
        }
    } catch (const std::invalid_argument&) {
        return 0;  // refused, with a sentence
    }
    return 0;
}
