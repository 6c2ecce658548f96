// Which entries of a network's tables are mirror images of each other.
//
// A tuple that a symmetry of the board maps onto its own squares is read in one order only
// (Jaskowski 2014, Figure 7), so a board and its mirror image find different entries. Where those
// entries share one weight, a board and its seven images are worth the same.
#pragma once

#include "evaluators/ntuple_network.hpp"

namespace outflank {

// The entries of one stage, in rings: ring[i] is the next entry that shares a weight with entry i,
// and i itself where there is no other. Throws std::invalid_argument if a table lacks an image of
// one of its placements: no sharing of weights makes such a network symmetric.
std::vector<Index> mirror_images(std::span<const TupleTable> tables);

}  // namespace outflank
