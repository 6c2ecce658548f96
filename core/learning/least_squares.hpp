// Weights of an n-tuple network by penalised least squares.
//
// Minimises sum_n (label_n - value(board_n))^2 + ridge * sum_i (w_i - prior_i)^2 over the weights
// of one stage, by conjugate gradients on the normal equations with a diagonal preconditioner (Saad
// 2003, "Iterative Methods for Sparse Linear Systems", section 9.5). Entries that no example reads
// keep their prior: the weights of the stage beside it, for example.
//
// Sums over examples are made in fixed order, so the weights do not depend on the number of
// threads.
#pragma once

#include <span>
#include <vector>

#include "evaluators/board_counts.hpp"
#include "evaluators/ntuple_network.hpp"
#include "learning/labels.hpp"

namespace outflank {

struct FitSettings {
    double ridge = 1;
    int iterations = 30;
    bool symmetric = true;  // mirror-image entries share one weight (mirror_images.hpp)
};

struct Fit {
    std::vector<float> weights;  // of the stage: the tables' entries, then those of the counts
    double mean_squared_error = 0;
    double prior_squared_error = 0;  // before
};

// `prior` has the weights of one stage. All examples are taken for boards of that stage.
Fit fit_stage(std::span<const TupleTable> tables, std::span<const BoardCount> counts,
              std::span<const Example> examples, std::span<const float> prior,
              const FitSettings& settings, int threads);

}  // namespace outflank
