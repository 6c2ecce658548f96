// Search for real play: iterative deepening over principal-variation search with a transposition
// table and Multi-ProbCut, on several threads.
//
// A ply is a disc placed; a pass is none. Boards at full depth are judged by the evaluator for
// whoever made the last move; a game that ended before is worth its disc difference on top of
// WON_GAME, more than any judgement.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "one_ply.hpp"

namespace outflank {

using Value = float;

// What a finished game is worth to its winner, plus the disc difference.
inline constexpr Value WON_GAME = 1e6F;

// Multi-ProbCut (Buro 1997): a search to `depth` gives about slope * v + intercept, where v is the
// value of a search to `shallow`; sigma is the standard deviation of the difference.
struct ProbCut {
    int depth = 0;
    int shallow = 0;
    Value slope = 1;
    Value intercept = 0;
    Value sigma = 0;
};

struct SearchSettings {
    int table_bits = 20;
    int threads = 1;
    // By stage of the game (see stage_of), deeper searches last; none: no forward pruning.
    std::vector<std::vector<ProbCut>> prob_cuts;
    Value confidence = 1.5F;  // prune if the bound is this many sigmas away
};

struct SearchLimits {
    int depth = 60;
    std::uint64_t nodes = UINT64_MAX;         // boards judged or looked at; soon after, it ends
    const std::atomic<bool>* stop = nullptr;  // set by another thread
    bool all_moves = false;                   // an exact value for every move, not only the best
};

struct SearchedMove {
    int square = 0;
    Value value_for_mover = 0;
    std::vector<int> line;  // from this move on; passes are left out
};

struct SearchReport {
    // Best first; with all_moves all of them, else the best alone.
    std::vector<SearchedMove> moves;
    int depth = 0;  // of the last whole iteration
    std::uint64_t nodes = 0;
};

class Searcher {
  public:
    Searcher(Judgement judgement, SearchSettings settings);
    ~Searcher();
    // The board must have a legal move.
    SearchReport search(const Board& board, const SearchLimits& limits);

  private:
    struct Shared;
    std::unique_ptr<Shared> shared_;
};

}  // namespace outflank
