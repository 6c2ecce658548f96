// Deep n-tuple networks that learn: back-propagation into the tables' vectors.
#pragma once

#include "evaluators/deep_layers.hpp"
#include "learning/learnable.hpp"

namespace outflank {

// `own_rates`: each weight of the layers, and each entry of the tables, has a learning rate that
// falls with the squares of its gradients so far (AdaGrad: Duchi, Hazan and Singer 2011).
// `symmetric`: mirror-image entries share their weights (mirror_images.hpp).
std::unique_ptr<Learnable> learning_deep_network(std::span<const TupleTable> tables,
                                                 const DeepShape& shape, bool own_rates,
                                                 bool symmetric);

}  // namespace outflank
