// Search for real play: iterative deepening over principal-variation search with a transposition
// table and Multi-ProbCut, on several threads.
//
// A ply is a disc placed; a pass is none. Boards at full depth are evaluated for the side that made
// the last move; a finished game is worth value_of_result, more than any evaluation.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "playing/one_ply.hpp"
#include "support/threads.hpp"

namespace outflank {

using Value = float;

// Added to the disc difference of a won game: far above the values of evaluators, and small enough
// that the sum is exact in a float's 24 bits.
inline constexpr Value WON_GAME = 1e6F;

// What a finished game is worth to a search at any depth.
constexpr Value value_of_result(int disc_difference_for_mover) {
    const auto discs = static_cast<Value>(disc_difference_for_mover);
    return discs > 0 ? discs + WON_GAME : discs < 0 ? discs - WON_GAME : 0;
}

// Multi-ProbCut (Buro 1997): a search to `depth` gives about slope * v + intercept, where v is the
// value of a search to `shallow`; sigma is the standard deviation of the difference. A search to 0
// is the value of the move that led to the board, for the board's mover.
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
    // By stage of the game (see stage_of), depths within 1..60. Empty: no forward pruning.
    std::vector<std::vector<ProbCut>> prob_cuts;
    Value confidence = 1.1F;  // sigmas beyond the bound that prune (docs/search.md)
};

struct SearchLimits {
    int depth = 60;
    std::uint64_t nodes = UINT64_MAX;  // boards visited or evaluated; may be exceeded a little
    const StopFlag* stop = nullptr;
    bool all_moves = false;  // an exact value for every move, not only the best
};

struct SearchedMove {
    int square = 0;
    Value value_for_mover = 0;
    std::vector<int> line;  // expected play from this move on, without passes
};

struct SearchReport {
    std::vector<SearchedMove> moves;  // best first; only the best unless all_moves
    int depth = 0;                    // of the last complete iteration
    std::uint64_t nodes = 0;
};

// Called with the state of a search after each complete iteration.
using SearchProgress = std::function<void(const SearchReport&)>;

class Searcher {
  public:
    Searcher(Judgement judgement, SearchSettings settings);
    ~Searcher();
    // The board must have a legal move.
    SearchReport search(const Board& board, const SearchLimits& limits,
                        const SearchProgress& progress = {});

  private:
    class Worker;
    struct Shared;
    std::unique_ptr<Shared> shared_;
};

}  // namespace outflank
