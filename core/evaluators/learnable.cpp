#include "learnable.hpp"

#include <algorithm>

#include "hyperbolic.hpp"
#include "mirror_images.hpp"

namespace outflank {
namespace {

// A flat vector of weights without padding.
class FlatLearnable : public Learnable {
  public:
    FlatLearnable(std::size_t count, bool coherent) : learning_(count, coherent) {}
    std::size_t weight_count() const override { return learning_.weights.size(); }
    std::size_t bytes() const override { return learning_.bytes(); }
    std::vector<float> weights() const override {
        return {learning_.weights.begin(), learning_.weights.end()};
    }
    void set_weights(std::span<const float> weights) override {
        std::ranges::copy(weights, learning_.weights.begin());
    }
    std::vector<float> coherence() const override {
        return {learning_.coherence.begin(), learning_.coherence.end()};
    }
    void set_coherence(std::span<const float> coherence) override {
        std::ranges::copy(coherence, learning_.coherence.begin());
    }

    // Weights change between calls, so every board is evaluated from scratch.
    void values_after(Accumulator& seen, const Board& board, const MoveList& moves, SeenAs seen_as,
                      std::span<double> values) const override {
        const Position position = board.position();
        for (std::size_t i = 0; i < static_cast<std::size_t>(moves.count); ++i) {
            const Position after = position.play(moves.squares[i], moves.flipped[i]);
            values[i] = seen_as == SeenAs::mover_is_black
                            ? value(seen, after.opponent, after.mover)
                            : value(seen, after.mover, after.opponent);
        }
    }

  protected:
    LearningWeights learning_;
};

class LearningPieceCounter final : public FlatLearnable {
  public:
    LearningPieceCounter(std::span<const int, 64> weight_of_square, std::size_t count,
                         bool coherent)
        : FlatLearnable(count, coherent) {
        std::ranges::copy(weight_of_square, weight_of_square_.begin());
    }
    std::unique_ptr<Accumulator> accumulator() const override {
        return std::make_unique<Accumulator>();
    }
    double value(Accumulator& seen, Bits black, Bits white) const override {
        seen.remember(black, white);
        double sum = 0;
        for (Bits rest = black; rest != 0; rest = without_lowest(rest)) {
            sum += static_cast<double>(learning_.weights[place(lowest_square(rest))]);
        }
        for (Bits rest = white; rest != 0; rest = without_lowest(rest)) {
            sum -= static_cast<double>(learning_.weights[place(lowest_square(rest))]);
        }
        return sum;
    }
    void nudge(Accumulator& seen, float asked, float alpha) override {
        for (Bits rest = seen.black; rest != 0; rest = without_lowest(rest)) {
            learning_.change(place(lowest_square(rest)), asked, alpha);
        }
        for (Bits rest = seen.white; rest != 0; rest = without_lowest(rest)) {
            learning_.change(place(lowest_square(rest)), -asked, alpha);
        }
    }

  private:
    std::size_t place(int square) const {
        return static_cast<std::size_t>(weight_of_square_[static_cast<std::size_t>(square)]);
    }
    std::array<int, 64> weight_of_square_{};
};

// The plain form of a network: one slot per placement, placements of a table share its weights.
class LearningTables final : public Learnable {
  public:
    LearningTables(std::span<const TupleTable> tables, int stages, bool coherent, bool symmetric)
        : reader_(plain_slots(tables), stages, weights_of_one_stage(tables) + 1),
          learning_(reader_.stage_size() * static_cast<std::size_t>(stages), coherent),
          images_(symmetric ? mirror_images(tables) : std::vector<Index>{}),
          stages_(stages) {}

    std::unique_ptr<Accumulator> accumulator() const override {
        return std::make_unique<TableReader::Seen>(reader_.slots());
    }
    double value(Accumulator& seen, Bits black, Bits white) const override {
        return reader_.value(learning_.weights.data(), static_cast<TableReader::Seen&>(seen), black,
                             white);
    }
    void values_after(Accumulator& seen, const Board& board, const MoveList& moves, SeenAs seen_as,
                      std::span<double> values) const override {
        reader_.values_after(learning_.weights.data(), static_cast<TableReader::Seen&>(seen), board,
                             moves, seen_as, values);
    }
    // Lucas 2007 eq. 4: every entry that the board looks up changes by the same amount.
    void nudge(Accumulator& accumulator, float asked, float alpha) override {
        const auto& seen = static_cast<const TableReader::Seen&>(accumulator);
        const std::size_t first = reader_.first_of_stage(std::popcount(seen.black | seen.white));
        const auto count = static_cast<std::size_t>(reader_.slots().count);
        for (std::size_t k = 0; k < count; ++k) {
            const Index entry = seen.indices[k];
            learning_.change(first + entry, asked, alpha);
            if (images_.empty()) {
                continue;
            }
            for (Index image = images_[entry]; image != entry; image = images_[image]) {
                learning_.copy(first + entry, first + image);
            }
        }
    }
    int parts() const override { return stages_; }
    int part_of(int discs) const override { return stage_of(discs, stages_); }

    std::size_t bytes() const override {
        return learning_.bytes() + reader_.bytes() + images_.size() * sizeof(Index);
    }
    std::size_t weight_count() const override {
        return learning_.weights.size() - learning_.weights.size() / reader_.stage_size();
    }
    std::vector<float> weights() const override { return without_zeros(learning_.weights, 1); }
    void set_weights(std::span<const float> weights) override {
        with_zeros(weights, learning_.weights, 1);
        for (std::size_t first = 0; first < learning_.weights.size() && !images_.empty();
             first += reader_.stage_size()) {
            share_weights(first);
        }
    }
    std::vector<float> coherence() const override { return without_zeros(learning_.coherence, 2); }
    void set_coherence(std::span<const float> coherence) override {
        with_zeros(coherence, learning_.coherence, 2);
    }

  private:
    // Of the entries that share a weight, the first counts.
    void share_weights(std::size_t first) {
        for (Index entry = 0; entry < images_.size(); ++entry) {
            for (Index image = images_[entry]; image > entry; image = images_[image]) {
                learning_.weights[first + image] = learning_.weights[first + entry];
            }
        }
    }

    // Each stage's tables end with a zero for unused slots; the flat vector has none.
    std::vector<float> without_zeros(const AlignedVector<float>& padded, std::size_t each) const {
        std::vector<float> flat;
        const std::size_t size = each * reader_.stage_size();
        for (std::size_t first = 0; first < padded.size(); first += size) {
            const auto begin = padded.begin() + static_cast<std::ptrdiff_t>(first);
            flat.insert(flat.end(), begin, begin + static_cast<std::ptrdiff_t>(size - each));
        }
        return flat;
    }
    void with_zeros(std::span<const float> flat, AlignedVector<float>& padded,
                    std::size_t each) const {
        const std::size_t size = each * reader_.stage_size();
        std::size_t from = 0;
        for (std::size_t first = 0; first < padded.size(); first += size) {
            std::ranges::copy(flat.subspan(from, size - each),
                              padded.begin() + static_cast<std::ptrdiff_t>(first));
            from += size - each;
        }
    }

    TableReader reader_;
    LearningWeights learning_;
    std::vector<Index> images_;  // rings of entries that share a weight; empty if none do
    int stages_;
};

class LearningMlp final : public FlatLearnable {
  public:
    LearningMlp(MlpShape shape, std::size_t count, bool coherent)
        : FlatLearnable(count, coherent), shape_(std::move(shape)) {}

    struct Seen final : Accumulator {
        explicit Seen(const std::vector<int>& nodes) {
            for (const int count : nodes) {
                outputs.emplace_back(static_cast<std::size_t>(count));
                errors.emplace_back(static_cast<std::size_t>(count));
            }
        }
        std::vector<std::vector<float>> outputs;  // of each layer; the inputs are layer 0
        std::vector<std::vector<float>> errors;
    };

    std::unique_ptr<Accumulator> accumulator() const override {
        return std::make_unique<Seen>(shape_.nodes);
    }

    double value(Accumulator& accumulator, Bits black, Bits white) const override {
        auto& seen = static_cast<Seen&>(accumulator);
        seen.remember(black, white);
        for (int square = 0; square < 64; ++square) {
            seen.outputs[0][static_cast<std::size_t>(square)] =
                static_cast<float>(black >> square & 1) - static_cast<float>(white >> square & 1);
        }
        first_layer_forward(seen);
        std::size_t at = shape_.first_layer_weights;
        for (std::size_t layer = 2; layer < seen.outputs.size(); ++layer) {
            at = dense_forward(seen.outputs[layer - 1], seen.outputs[layer], at,
                               layer + 1 < seen.outputs.size());
        }
        const int difference = std::popcount(black) - std::popcount(white);
        return static_cast<double>(seen.outputs.back()[0]) +
               (shape_.add_disc_difference ? difference : 0);
    }

    // Back-propagation of the value's gradient.
    void nudge(Accumulator& accumulator, float asked, float alpha) override {
        auto& seen = static_cast<Seen&>(accumulator);
        seen.errors.back()[0] = asked;
        std::size_t at = weight_count();
        for (std::size_t layer = seen.outputs.size() - 1; layer >= 2; --layer) {
            const std::size_t inputs = seen.outputs[layer - 1].size();
            at -= (inputs + 1) * seen.outputs[layer].size();
            dense_backward(seen, layer, at, alpha);
        }
        first_layer_backward(seen, alpha);
    }

  private:
    void first_layer_forward(Seen& seen) const {
        const std::size_t nodes = seen.outputs[1].size();
        for (std::size_t node = 0; node < nodes; ++node) {
            seen.outputs[1][node] = weight(shape_.first_biases[node]);
        }
        for (std::size_t square = 0; square < 64; ++square) {
            const float input = seen.outputs[0][square];
            if (input == 0) {
                continue;
            }
            for (std::size_t node = 0; node < nodes; ++node) {
                seen.outputs[1][node] += input * weight(shape_.first_layer[square * nodes + node]);
            }
        }
        squash(seen.outputs[1]);
    }

    std::size_t dense_forward(const std::vector<float>& from, std::vector<float>& to,
                              std::size_t at, bool hidden) const {
        const std::size_t nodes = to.size();
        const float* weights = learning_.weights.data() + at;
        std::copy_n(weights + from.size() * nodes, nodes, to.begin());
        for (std::size_t i = 0; i < from.size(); ++i) {
            for (std::size_t k = 0; k < nodes; ++k) {
                to[k] += from[i] * weights[i * nodes + k];
            }
        }
        if (hidden) {
            squash(to);
        }
        return at + (from.size() + 1) * nodes;
    }

    void dense_backward(Seen& seen, std::size_t layer, std::size_t at, float alpha) {
        const auto& from = seen.outputs[layer - 1];
        const auto& errors = seen.errors[layer];
        auto& before = seen.errors[layer - 1];
        const std::size_t nodes = errors.size();
        for (std::size_t i = 0; i < from.size(); ++i) {
            float error = 0;
            for (std::size_t k = 0; k < nodes; ++k) {
                error += errors[k] * learning_.weights[at + i * nodes + k];
                learning_.change(at + i * nodes + k, errors[k] * from[i], alpha);
            }
            before[i] = error * (1 - from[i] * from[i]);
        }
        for (std::size_t k = 0; k < nodes; ++k) {
            learning_.change(at + from.size() * nodes + k, errors[k], alpha);
        }
    }

    void first_layer_backward(Seen& seen, float alpha) {
        const std::size_t nodes = seen.outputs[1].size();
        for (std::size_t node = 0; node < nodes; ++node) {
            change(shape_.first_biases[node], seen.errors[1][node], alpha);
        }
        for (std::size_t square = 0; square < 64; ++square) {
            const float input = seen.outputs[0][square];
            for (std::size_t node = 0; input != 0 && node < nodes; ++node) {
                change(shape_.first_layer[square * nodes + node], seen.errors[1][node] * input,
                       alpha);
            }
        }
    }

    static void squash(std::vector<float>& nodes) {
        for (float& node : nodes) {
            node = static_cast<float>(portable_tanh(static_cast<double>(node)));
        }
    }
    float weight(int place) const {
        return place < 0 ? 0.0F : learning_.weights[static_cast<std::size_t>(place)];
    }
    void change(int place, float asked, float alpha) {
        if (place >= 0) {
            learning_.change(static_cast<std::size_t>(place), asked, alpha);
        }
    }

    MlpShape shape_;
};

}  // namespace

std::unique_ptr<Learnable> learning_piece_counter(std::span<const int, 64> weight_of_square,
                                                  std::size_t weights, bool coherent) {
    return std::make_unique<LearningPieceCounter>(weight_of_square, weights, coherent);
}

std::unique_ptr<Learnable> learning_network(std::span<const TupleTable> tables, int stages,
                                            bool coherent, bool symmetric) {
    return std::make_unique<LearningTables>(tables, stages, coherent, symmetric);
}

std::unique_ptr<Learnable> learning_mlp(MlpShape shape, bool coherent) {
    std::size_t count = shape.first_layer_weights;
    for (std::size_t layer = 2; layer < shape.nodes.size(); ++layer) {
        count += static_cast<std::size_t>((shape.nodes[layer - 1] + 1) * shape.nodes[layer]);
    }
    return std::make_unique<LearningMlp>(std::move(shape), count, coherent);
}

}  // namespace outflank
