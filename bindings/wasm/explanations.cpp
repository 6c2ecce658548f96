// What the tables of a network add to a move's value, and what their entries are worth.
//
// In an n-tuple network an entry is a number of the sum. In a deep network it is a vector, whose
// worth depends on the other entries: between two moves the output changes by exactly
// gradient * (change of the inputs), where the gradient is averaged over the straight line from
// one to the other (integrated gradients; Sundararajan, Taly and Yan 2017, "Axiomatic Attribution
// for Deep Networks"). With one hidden layer the average is the slope of a secant.
#include <algorithm>
#include <cmath>

#include "instance.hpp"

namespace outflank::wasm {
namespace {

using Inputs = std::vector<double>;

// Which entry of its table a placement reads.
std::size_t entry_of(const std::vector<std::uint8_t>& placement, Bits black, Bits white) {
    std::size_t entry = 0;
    for (const std::uint8_t at : placement) {
        entry = 3 * entry + 1 + (black >> at & 1) - (white >> at & 1);
    }
    return entry;
}

// The layers of one stage, in the order of DeepShape.
class Layers {
  public:
    Layers(const DeepShape& shape, const double* weights)
        : vector_(static_cast<std::size_t>(shape.vector)),
          hidden_(static_cast<std::size_t>(shape.hidden)),
          inputs_(static_cast<std::size_t>(shape.inputs())),
          sums_(weights),
          into_hidden_(sums_ + vector_),
          direct_(into_hidden_ + (inputs_ + 1) * hidden_),
          out_of_hidden_(direct_ + inputs_) {}

    // Biases, and the entries of one board added to them; no counts of the board.
    Inputs balanced() const {
        Inputs found(sums_, sums_ + vector_);
        found.resize(inputs_);
        return found;
    }

    // The slopes of the output for the sums, averaged between two inputs.
    std::vector<double> gradient(const Inputs& from, const Inputs& to) const {
        std::vector<double> found(direct_, direct_ + vector_);
        for (std::size_t j = 0; j < hidden_; ++j) {
            const double slope = secant(before(from, j), before(to, j)) * out_of_hidden_[j];
            for (std::size_t i = 0; i < vector_; ++i) {
                found[i] += slope * into_hidden_[i * hidden_ + j];
            }
        }
        return found;
    }

  private:
    // A hidden node before its rectifier.
    double before(const Inputs& inputs, std::size_t node) const {
        double sum = into_hidden_[inputs_ * hidden_ + node];
        for (std::size_t i = 0; i < inputs_; ++i) {
            sum += inputs[i] * into_hidden_[i * hidden_ + node];
        }
        return sum;
    }

    static double secant(double from, double to) {
        const auto rectified = [](double x) { return x > 0 ? x : static_cast<double>(LEAK) * x; };
        if (std::abs(to - from) < 1e-12) {
            return from > 0 ? 1.0 : static_cast<double>(LEAK);
        }
        return (rectified(to) - rectified(from)) / (to - from);
    }

    std::size_t vector_;
    std::size_t hidden_;
    std::size_t inputs_;
    const double* sums_;
    const double* into_hidden_;
    const double* direct_;
    const double* out_of_hidden_;
};

Layers layers_of(const WrittenNetwork& network, int stage) {
    const DeepShape& shape = *network.deep;
    const std::size_t of_tables =
        weights_of_one_stage(network.tables) * static_cast<std::size_t>(shape.vector);
    return {shape, network.weights.data() + of_tables +
                       static_cast<std::size_t>(stage) * shape.weights_of_one_stage()};
}

// A board after a move, as the mover's evaluator sees it.
struct SeenBoard {
    Bits black;
    Bits white;
};

Inputs inputs_of(const WrittenNetwork& network, const Layers& layers, const SeenBoard& seen) {
    Inputs found = layers.balanced();
    const auto length = static_cast<std::size_t>(network.deep->vector);
    const double* table_weights = network.weights.data();
    for (const TupleTable& table : network.tables) {
        for (const auto& placement : table.placements) {
            const double* entry =
                table_weights + entry_of(placement, seen.black, seen.white) * length;
            for (std::size_t k = 0; k < length; ++k) {
                found[k] += entry[k];
            }
        }
        table_weights += table.weight_count() * length;
    }
    std::array<float, BOARD_INPUTS> counts;
    board_inputs(seen.black, seen.white, counts.data());
    std::ranges::copy(counts, found.begin() + network.deep->vector);
    return found;
}

// What each entry is worth along a gradient; without one, the number it is.
double worth_of(const double* weights, std::size_t entry, const std::vector<double>& gradient) {
    if (gradient.empty()) {
        return weights[entry];
    }
    double worth = 0;
    for (std::size_t k = 0; k < gradient.size(); ++k) {
        worth += weights[entry * gradient.size() + k] * gradient[k];
    }
    return worth;
}

SeenBoard seen_after(const Board& board, int square, View view) {
    require(square >= 0 && square < 64 && (board.position().moves() & bit(square)) != 0,
            "the move is not legal");
    const Board after = Board::of(board.position().play(square), other(board.mover));
    const bool inverted = view == View::inversion && board.mover == Colour::white;
    return inverted ? SeenBoard{after.white, after.black} : SeenBoard{after.black, after.white};
}

}  // namespace

// What each placement of the mover's network adds to the values of two moves for the mover: two
// results per placement, table after table. None if the evaluator has no tables.
OUTFLANK_EXPORT(contributions)
int contributions(int a, int b) {
    Instance& here = instance();
    here.results.clear();
    const Board board = board_in();
    const Evaluator* const mine = here.judgement.evaluator(board.mover);
    const auto found = std::ranges::find_if(
        here.evaluators, [&](const auto& loaded) { return loaded.evaluator.get() == mine; });
    if (found == here.evaluators.end() || !found->network) {
        return 0;
    }
    const WrittenNetwork& network = *found->network;
    const SeenBoard after_a = seen_after(board, a, here.judgement.view);
    const SeenBoard after_b = seen_after(board, b, here.judgement.view);
    const int stage = stage_of(std::popcount(after_a.black | after_a.white), network.stages);
    std::vector<double> gradient;
    const double* weights = network.weights.data();
    if (network.deep) {
        const Layers layers = layers_of(network, stage);
        gradient = layers.gradient(inputs_of(network, layers, after_a),
                                   inputs_of(network, layers, after_b));
    } else {
        weights += static_cast<std::size_t>(stage) * weights_of_one_stage(network.tables);
    }
    const bool negated = here.judgement.view == View::negation && board.mover == Colour::white;
    for (const TupleTable& table : network.tables) {
        for (const auto& placement : table.placements) {
            for (const SeenBoard& seen : {after_a, after_b}) {
                const double worth =
                    worth_of(weights, entry_of(placement, seen.black, seen.white), gradient);
                here.results.push_back(negated ? -worth : worth);
            }
        }
        weights += table.weight_count() * std::max<std::size_t>(1, gradient.size());
    }
    return static_cast<int>(here.results.size());
}

// What the entries of one stage are worth, table after table; in a deep network, each alone on a
// balanced board. None if the evaluator has no tables.
OUTFLANK_EXPORT(entry_values)
int entry_values(std::size_t evaluator, int stage) {
    Instance& here = instance();
    here.results.clear();
    if (evaluator >= here.evaluators.size() || !here.evaluators[evaluator].network) {
        return 0;
    }
    const WrittenNetwork& network = *here.evaluators[evaluator].network;
    require(stage >= 0 && stage < network.stages, "there is no such stage");
    const std::size_t entries = weights_of_one_stage(network.tables);
    const double* weights = network.weights.data();
    std::vector<double> gradient;
    if (network.deep) {
        const Layers layers = layers_of(network, stage);
        gradient = layers.gradient(layers.balanced(), layers.balanced());
    } else {
        weights += static_cast<std::size_t>(stage) * entries;
    }
    here.results.reserve(entries);
    for (std::size_t entry = 0; entry < entries; ++entry) {
        here.results.push_back(worth_of(weights, entry, gradient));
    }
    return static_cast<int>(here.results.size());
}

}  // namespace outflank::wasm
