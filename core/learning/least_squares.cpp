#include "learning/least_squares.hpp"

#include <algorithm>
#include <numeric>

#include "learning/mirror_images.hpp"
#include "support/threads.hpp"

namespace outflank {
namespace {

constexpr std::size_t BLOCK = 4096;  // examples per piece of work, and per partial sum

// Which weight each entry of a stage has: entries that share one have the same number.
struct SharedWeights {
    std::vector<Index> of_entry;
    std::size_t count = 0;

    SharedWeights(std::span<const TupleTable> tables, std::size_t counts, bool symmetric) {
        const std::size_t tuples = weights_of_one_stage(tables);
        of_entry.resize(tuples + counts * COUNT_ENTRIES);
        const auto ring = symmetric ? mirror_images(tables) : std::vector<Index>{};
        constexpr Index UNKNOWN = ~Index{0};
        std::ranges::fill(of_entry, UNKNOWN);
        for (Index entry = 0; entry < of_entry.size(); ++entry) {
            if (of_entry[entry] != UNKNOWN) {
                continue;
            }
            of_entry[entry] = static_cast<Index>(count);
            if (symmetric && entry < tuples) {
                for (Index i = ring[entry]; i != entry; i = ring[i]) {
                    of_entry[i] = static_cast<Index>(count);
                }
            }
            ++count;
        }
    }
};

// The matrix whose rows are examples and whose columns are weights: a row has a one for every slot.
class Reads {
  public:
    Reads(std::span<const TupleTable> tables, std::span<const BoardCount> counts,
          const SharedWeights& shared, std::span<const Example> examples, int threads)
        : rows_(examples.size()), threads_(threads) {
        const TableReader reader(plain_slots(tables), 1, weights_of_one_stage(tables) + 1);
        const auto tuples = static_cast<std::size_t>(reader.slots().count);
        slots_ = tuples + counts.size();
        read_.resize(slots_ * rows_);
        find_groups(tables, counts.size());
        for_blocks([&] {
            return [&, seen = std::make_shared<TableReader::Seen>(reader.slots())](
                       std::size_t, std::size_t first, std::size_t end) {
                for (std::size_t n = first; n < end; ++n) {
                    const auto& [black, white, label] = examples[n];
                    reader.look(*seen, black, white);
                    for (std::size_t k = 0; k < tuples; ++k) {
                        read_[k * rows_ + n] = shared.of_entry[seen->indices[k]];
                    }
                    for (std::size_t k = 0; k < counts.size(); ++k) {
                        const std::size_t entry = reader.stage_size() - 1 + k * COUNT_ENTRIES +
                                                  count_index(counts[k], black, white);
                        read_[(tuples + k) * rows_ + n] = shared.of_entry[entry];
                    }
                }
            };
        });
    }

    std::size_t rows() const { return rows_; }

    // result = A weights, and its square.
    double times(std::span<const double> weights, std::span<double> result) const {
        std::vector<double> squares((rows_ + BLOCK - 1) / BLOCK);
        for_blocks([&] {
            return [&](std::size_t block, std::size_t first, std::size_t end) {
                std::fill(result.begin() + static_cast<std::ptrdiff_t>(first),
                          result.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
                for (std::size_t k = 0; k < slots_; ++k) {
                    const Index* read = read_.data() + k * rows_;
                    for (std::size_t n = first; n < end; ++n) {
                        result[n] += weights[read[n]];
                    }
                }
                for (std::size_t n = first; n < end; ++n) {
                    squares[block] += result[n] * result[n];
                }
            };
        });
        return std::accumulate(squares.begin(), squares.end(), 0.0);
    }

    // result = A^T residuals. Tables have no weight in common, so each is a piece of work.
    void transposed_times(std::span<const double> residuals, std::span<double> result) const {
        std::ranges::fill(result, 0.0);
        share_work(groups_.size() - 1, 1, threads_, [&] {
            return [&](std::size_t group) {
                for (std::size_t k = groups_[group]; k < groups_[group + 1]; ++k) {
                    const Index* read = read_.data() + k * rows_;
                    for (std::size_t n = 0; n < rows_; ++n) {
                        result[read[n]] += residuals[n];
                    }
                }
            };
        });
    }

  private:
    // The first slot of each table, and the end.
    void find_groups(std::span<const TupleTable> tables, std::size_t counts) {
        std::size_t slot = 0;
        for (const TupleTable& table : tables) {
            groups_.push_back(slot);
            slot += table.placements.size();
        }
        for (std::size_t k = 0; k < counts; ++k) {
            groups_.push_back(slot++);
        }
        groups_.push_back(slot);
    }

    // work(block, first row, end) for all blocks, on all threads.
    template <class MakeWork>
    void for_blocks(MakeWork make_work) const {
        share_work((rows_ + BLOCK - 1) / BLOCK, 1, threads_, [&] {
            return [&, work = make_work()](std::size_t block) mutable {
                work(block, block * BLOCK, std::min(rows_, (block + 1) * BLOCK));
            };
        });
    }

    std::size_t rows_;
    int threads_;
    std::size_t slots_ = 0;
    std::vector<Index> read_;  // [slot][example]: a weight
    std::vector<std::size_t> groups_;
};

double dot(std::span<const double> a, std::span<const double> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double mean_square(std::span<const double> values) {
    return values.empty() ? 0 : dot(values, values) / static_cast<double>(values.size());
}

// Conjugate gradients for (A^T A + ridge) x = A^T residuals, from x = 0. Leaves the residuals of x.
std::vector<double> solve(const Reads& reads, std::size_t count, std::span<double> residuals,
                          const FitSettings& settings) {
    std::vector<double> x(count), gradient(count), scale(count), step(count), direction(count);
    const std::vector<double> ones(reads.rows(), 1.0);
    reads.transposed_times(ones, scale);
    for (double& one : scale) {
        one = 1 / (one + settings.ridge);
    }
    std::vector<double> change(reads.rows());
    double before = 0;
    for (int i = 0; i < settings.iterations; ++i) {
        reads.transposed_times(residuals, gradient);
        for (std::size_t j = 0; j < count; ++j) {
            gradient[j] -= settings.ridge * x[j];
            step[j] = scale[j] * gradient[j];
        }
        const double now = dot(gradient, step);
        if (!(now > 0)) {
            break;
        }
        const double keep = i == 0 ? 0 : now / before;
        for (std::size_t j = 0; j < count; ++j) {
            direction[j] = step[j] + keep * direction[j];
        }
        before = now;
        const double curvature =
            reads.times(direction, change) + settings.ridge * dot(direction, direction);
        const double along = now / curvature;
        for (std::size_t j = 0; j < count; ++j) {
            x[j] += along * direction[j];
        }
        for (std::size_t n = 0; n < residuals.size(); ++n) {
            residuals[n] -= along * change[n];
        }
    }
    return x;
}

}  // namespace

Fit fit_stage(std::span<const TupleTable> tables, std::span<const BoardCount> counts,
              std::span<const Example> examples, std::span<const float> prior,
              const FitSettings& settings, int threads) {
    const SharedWeights shared(tables, counts.size(), settings.symmetric);
    const Reads reads(tables, counts, shared, examples, threads);
    // Entries that share a weight: the mean of their priors.
    std::vector<double> weights(shared.count);
    std::vector<double> sharing(shared.count);
    for (std::size_t entry = 0; entry < prior.size(); ++entry) {
        weights[shared.of_entry[entry]] += static_cast<double>(prior[entry]);
        sharing[shared.of_entry[entry]] += 1;
    }
    for (std::size_t j = 0; j < weights.size(); ++j) {
        weights[j] /= sharing[j];
    }
    std::vector<double> residuals(examples.size());
    reads.times(weights, residuals);
    for (std::size_t n = 0; n < residuals.size(); ++n) {
        residuals[n] = static_cast<double>(examples[n].discs) - residuals[n];
    }
    Fit fit;
    fit.prior_squared_error = mean_square(residuals);
    const auto change = solve(reads, shared.count, residuals, settings);
    fit.mean_squared_error = mean_square(residuals);
    fit.weights.resize(prior.size());
    for (std::size_t entry = 0; entry < prior.size(); ++entry) {
        const Index weight = shared.of_entry[entry];
        fit.weights[entry] = static_cast<float>(weights[weight] + change[weight]);
    }
    return fit;
}

}  // namespace outflank
