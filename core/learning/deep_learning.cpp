#include "learning/deep_learning.hpp"

#include <algorithm>

#include "learning/mirror_images.hpp"

namespace outflank {
namespace {

// Weights and, if they have rates of their own, the sums of their squared gradients. A step is
// rate * gradient / sqrt(sum): about as long for every weight, whatever its gradients are.
struct RatedWeights {
    RatedWeights(std::size_t count, std::size_t rates) : weights(count), squares(rates, FIRST) {}

    static constexpr float FIRST = 0.25F;  // before any gradient: the first steps are not too long
    AlignedVector<float> weights;
    AlignedVector<float> squares;

    float step(std::size_t rate, float gradient, float squared, float alpha) {
        if (squares.empty()) {
            return alpha * gradient;
        }
        squares[rate] += squared;
        return alpha * gradient / std::sqrt(squares[rate]);
    }
};

// The layers of one stage, where they lie behind the stage's first weight.
struct LayerPlaces {
    explicit LayerPlaces(const DeepShape& shape)
        : inputs(static_cast<std::size_t>(shape.inputs())),
          hidden(static_cast<std::size_t>(shape.hidden)),
          into_hidden(static_cast<std::size_t>(shape.vector)),
          direct(into_hidden + (inputs + 1) * hidden),
          out_of_hidden(direct + inputs),
          bias(out_of_hidden + hidden) {}
    std::size_t inputs;
    std::size_t hidden;
    std::size_t into_hidden;  // [inputs + 1][hidden]: the last row has the biases
    std::size_t direct;
    std::size_t out_of_hidden;
    std::size_t bias;
};

// The value is a sum over many entries, which all change at once.
constexpr float TABLES_RATE = 0.25F;

// Weights as in DeepNetwork, in floats that are not rounded to its 16 bits.
class LearningDeepNetwork final : public Learnable {
  public:
    LearningDeepNetwork(std::span<const TupleTable> tables, const DeepShape& shape, bool own_rates,
                        bool symmetric)
        : shape_(shape),
          places_(shape),
          reader_(plain_slots(tables), 1, weights_of_one_stage(tables)),
          length_(static_cast<std::size_t>(shape.vector)),
          tables_(reader_.stage_size() * length_, own_rates ? reader_.stage_size() : 0),
          layers_(layer_weights(shape), own_rates ? layer_weights(shape) : 0) {
        if (symmetric) {
            share_images(mirror_images(tables));
        }
    }

    struct Seen final : Accumulator {
        Seen(const Slots& slots, const LayerPlaces& places)
            : read(slots), inputs(places.inputs), nodes(places.hidden), errors(places.inputs) {}
        TableReader::Seen read;
        std::vector<float> inputs;
        std::vector<float> nodes;   // active or leaking
        std::vector<float> errors;  // the value's gradient by the inputs
        std::size_t layers = 0;     // of the board's stage
    };

    std::unique_ptr<Accumulator> accumulator() const override {
        return std::make_unique<Seen>(reader_.slots(), places_);
    }

    double value(Accumulator& accumulator, Bits black, Bits white) const override {
        auto& seen = static_cast<Seen&>(accumulator);
        seen.remember(black, white);
        reader_.look(seen.read, black, white);
        seen.layers =
            static_cast<std::size_t>(stage_of(std::popcount(black | white), shape_.stages)) *
            shape_.weights_of_one_stage();
        const float* weights = layers_.weights.data() + seen.layers;
        std::copy_n(weights, length_, seen.inputs.begin());
        for (std::size_t slot = 0; slot < slot_count(); ++slot) {
            const float* entry =
                tables_.weights.data() + entry_of(seen.read.indices[slot]) * length_;
            for (std::size_t k = 0; k < length_; ++k) {
                seen.inputs[k] += entry[k];
            }
        }
        board_inputs(black, white, seen.inputs.data() + length_);
        return static_cast<double>(output(weights, seen));
    }

    void values_after(Accumulator& seen, const Board& board, const MoveList& moves, SeenAs seen_as,
                      std::span<double> values) const override {
        const Position position = board.position();
        for (std::size_t i = 0; i < values.size(); ++i) {
            const Position after = position.play(moves.squares[i], moves.flipped[i]);
            values[i] = seen_as == SeenAs::mover_is_black
                            ? value(seen, after.opponent, after.mover)
                            : value(seen, after.mover, after.opponent);
        }
    }

    void nudge(Accumulator& accumulator, float asked, float alpha) override {
        auto& seen = static_cast<Seen&>(accumulator);
        nudge_layers(seen, asked, alpha);
        float squared = 0;
        for (std::size_t k = 0; k < length_; ++k) {
            squared += seen.errors[k] * seen.errors[k];
        }
        squared /= static_cast<float>(length_);
        for (std::size_t slot = 0; slot < slot_count(); ++slot) {
            const std::size_t entry = entry_of(seen.read.indices[slot]);
            const float step = tables_.step(entry, 1, squared, TABLES_RATE * alpha);
            float* weights = tables_.weights.data() + entry * length_;
            for (std::size_t k = 0; k < length_; ++k) {
                weights[k] += step * seen.errors[k];
            }
        }
    }

    std::size_t bytes() const override {
        return (tables_.weights.size() + tables_.squares.size() + layers_.weights.size() +
                layers_.squares.size()) *
                   sizeof(float) +
               reader_.bytes() + shared_.size() * sizeof(Index);
    }
    std::size_t weight_count() const override {
        return tables_.weights.size() + layers_.weights.size();
    }
    std::vector<float> weights() const override {
        std::vector<float> all;
        all.reserve(weight_count());
        for (Index entry = 0; entry < reader_.stage_size(); ++entry) {
            const float* from = tables_.weights.data() + entry_of(entry) * length_;
            all.insert(all.end(), from, from + length_);
        }
        all.insert(all.end(), layers_.weights.begin(), layers_.weights.end());
        return all;
    }
    void set_weights(std::span<const float> weights) override {
        std::ranges::copy(weights.first(tables_.weights.size()), tables_.weights.begin());
        std::ranges::copy(weights.subspan(tables_.weights.size()), layers_.weights.begin());
    }
    // The sums of squared gradients.
    std::vector<float> coherence() const override {
        std::vector<float> all(tables_.squares.begin(), tables_.squares.end());
        all.insert(all.end(), layers_.squares.begin(), layers_.squares.end());
        return all;
    }
    void set_coherence(std::span<const float> squares) override {
        std::ranges::copy(squares.first(tables_.squares.size()), tables_.squares.begin());
        std::ranges::copy(squares.subspan(tables_.squares.size()), layers_.squares.begin());
    }

  private:
    static std::size_t layer_weights(const DeepShape& shape) {
        return static_cast<std::size_t>(shape.stages) * shape.weights_of_one_stage();
    }

    std::size_t slot_count() const { return static_cast<std::size_t>(reader_.slots().count); }

    // Of the entries that share weights, the first one holds them.
    std::size_t entry_of(Index entry) const { return shared_.empty() ? entry : shared_[entry]; }
    void share_images(const std::vector<Index>& images) {
        shared_.resize(images.size());
        for (Index entry = 0; entry < images.size(); ++entry) {
            Index first = entry;
            for (Index image = images[entry]; image != entry; image = images[image]) {
                first = std::min(first, image);
            }
            shared_[entry] = first;
        }
    }

    float output(const float* weights, Seen& seen) const {
        const std::size_t hidden = places_.hidden;
        const float* row = weights + places_.into_hidden;
        std::copy_n(row + places_.inputs * hidden, hidden, seen.nodes.begin());
        for (std::size_t i = 0; i < places_.inputs; ++i, row += hidden) {
            for (std::size_t j = 0; j < hidden; ++j) {
                seen.nodes[j] += seen.inputs[i] * row[j];
            }
        }
        float output = weights[places_.bias];
        for (std::size_t i = 0; i < places_.inputs; ++i) {
            output += seen.inputs[i] * weights[places_.direct + i];
        }
        for (std::size_t j = 0; j < hidden; ++j) {
            seen.nodes[j] = seen.nodes[j] > 0 ? seen.nodes[j] : LEAK * seen.nodes[j];
            output += seen.nodes[j] * weights[places_.out_of_hidden + j];
        }
        return output;
    }

    // Changes the layers, and leaves the gradient by the inputs in seen.errors.
    void nudge_layers(Seen& seen, float asked, float alpha) {
        float* const weights = layers_.weights.data() + seen.layers;
        const auto change = [&](std::size_t place, float gradient) {
            weights[place] +=
                layers_.step(seen.layers + place, gradient, gradient * gradient, alpha);
        };
        const std::size_t hidden = places_.hidden;
        for (std::size_t i = 0; i < places_.inputs; ++i) {
            seen.errors[i] = asked * weights[places_.direct + i];
            change(places_.direct + i, asked * seen.inputs[i]);
        }
        for (std::size_t j = 0; j < hidden; ++j) {
            const float error =
                asked * weights[places_.out_of_hidden + j] * (seen.nodes[j] > 0 ? 1.0F : LEAK);
            change(places_.out_of_hidden + j, asked * seen.nodes[j]);
            seen.nodes[j] = error;
        }
        for (std::size_t i = 0; i < places_.inputs; ++i) {
            const std::size_t row = places_.into_hidden + i * hidden;
            for (std::size_t j = 0; j < hidden; ++j) {
                seen.errors[i] += seen.nodes[j] * weights[row + j];
                change(row + j, seen.nodes[j] * seen.inputs[i]);
            }
        }
        for (std::size_t j = 0; j < hidden; ++j) {
            change(places_.into_hidden + places_.inputs * hidden + j, seen.nodes[j]);
        }
        change(places_.bias, asked);
        for (std::size_t k = 0; k < length_; ++k) {
            change(k, seen.errors[k]);
        }
    }

    DeepShape shape_;
    LayerPlaces places_;
    TableReader reader_;
    std::vector<Index> shared_;  // which entry holds an entry's weights; empty: each its own
    std::size_t length_;         // of an entry
    RatedWeights tables_;        // one rate for each entry
    RatedWeights layers_;
};

}  // namespace

std::unique_ptr<Learnable> learning_deep_network(std::span<const TupleTable> tables,
                                                 const DeepShape& shape, bool own_rates,
                                                 bool symmetric) {
    return std::make_unique<LearningDeepNetwork>(tables, shape, own_rates, symmetric);
}

}  // namespace outflank
