// Moves preferred: an evaluator learns which moves others made.
//
// The probability of a move is the softmax of the values of the boards after all legal moves; its
// log-likelihood is raised (Runarsson and Lucas 2014, "Preference learning for move prediction and
// evaluation function approximation in Othello"). Only differences of values within a position
// count.
#pragma once

#include <span>

#include "learning/learnable.hpp"

namespace outflank {

struct MadeMove {
    Position position;
    int square = 0;
};

struct PreferenceProgress {
    std::uint64_t decisions = 0;  // positions with more than one legal move
    double log_loss = 0;          // sum, before each step
    double predicted = 0;         // the made move had the highest value; of n equal ones 1/n
};

// Learns the moves in their order; those of parts of the evaluator that have no weight in common
// (the stages of a network) at once. The weights do not depend on the number of threads. An alpha
// of zero only measures.
PreferenceProgress learn_preferences(Learnable& evaluator, std::span<const MadeMove> moves,
                                     double alpha, int threads);

}  // namespace outflank
