#include "search/search.hpp"

#include <algorithm>
#include <limits>

#include "evaluators/ntuple_network.hpp"
#include "search/transposition.hpp"
#include "support/threads.hpp"

namespace outflank {
namespace {

constexpr Value INFINITE = std::numeric_limits<Value>::infinity();
constexpr Value UNKNOWN = std::numeric_limits<Value>::quiet_NaN();  // compares as false
constexpr int NO_SQUARE = 64;
constexpr Bits CORNERS = 0x8100000000000081ULL;
// Nodes between two checks of the limits: about 20 us at 11.7 M nodes/s (docs/search.md).
constexpr std::uint64_t CHECK_LIMITS_EVERY = 256;

Value next_above(Value value) { return std::nextafter(value, INFINITE); }

struct Bounds {
    Value lower = -INFINITE;
    Value upper = INFINITE;
    std::uint8_t best = NO_SQUARE;
    std::uint8_t depth = 0;
    std::uint8_t black_moves = 0;  // a view may evaluate the two colours differently
    std::array<std::uint8_t, 3> padding{};
    std::uint16_t search = 0;
    int worth() const { return depth; }
};

struct Window {
    Value alpha;
    Value beta;
    bool is_null() const { return beta <= next_above(alpha); }
    Window turned() const { return {-beta, -alpha}; }
};

// A ProbCut with the distance from the window that makes it a cut-off.
struct Cut {
    int shallow;
    Value slope;
    Value intercept;
    Value reach;

    // The bound that the value of the shallow search makes likely, if any.
    std::optional<Value> bound(Value shallow_value, Window window) const {
        const Value predicted = slope * shallow_value + intercept;
        if (predicted - reach > window.beta) {
            return window.beta;
        }
        return predicted + reach < window.alpha ? std::optional(window.alpha) : std::nullopt;
    }
};

using CutsByDepth = std::array<std::vector<Cut>, 61>;

std::vector<CutsByDepth> by_depth(const SearchSettings& settings) {
    std::vector<CutsByDepth> stages(settings.prob_cuts.size());
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        for (const ProbCut& cut : settings.prob_cuts[stage]) {
            const auto depth = static_cast<std::size_t>(cut.depth);
            if (depth < stages[stage].size()) {
                stages[stage][depth].push_back(
                    {cut.shallow, cut.slope, cut.intercept, settings.confidence * cut.sigma});
            }
        }
    }
    return stages;
}

struct RootMove {
    SearchedMove move;
    Board after;
};

}  // namespace

struct Searcher::Shared {
    Judgement judgement;
    SearchSettings settings;
    std::vector<CutsByDepth> cuts;  // by stage
    TranspositionTable<Bounds, 4, 1> table;
    std::atomic<std::uint64_t> nodes{0};
    std::atomic<bool> over{false};  // the main thread has finished: the others stop

    Shared(Judgement judge, SearchSettings set)
        : judgement(std::move(judge)),
          settings(std::move(set)),
          cuts(by_depth(settings)),
          table(settings.table_bits) {}
};

// One thread's search.
class Searcher::Worker {
  public:
    Worker(Shared& shared, const SearchLimits& limits)
        : shared_(shared), limits_(limits), one_ply_(shared.judgement) {}

    // Deepens until a limit is reached. A helper thread starts one ply deeper, to fill the shared
    // table ahead of the main thread (lazy SMP).
    SearchReport deepen(const Board& board, bool is_helper, const SearchProgress& progress = {}) {
        std::vector<RootMove> moves = root_moves(board);
        const int deepest = std::min(limits_.depth, 64 - board.position().discs());
        int reached = 1;  // by root_moves
        for (int depth = is_helper ? 3 : 2; depth <= deepest && !stopped_; ++depth) {
            if (progress) {
                progress(report_of(moves, reached));
            }
            search_root(moves, depth);
            reached = stopped_ ? reached : depth;
        }
        if (limits_.all_moves) {
            sort(moves);  // an interrupted iteration leaves values of two depths
        }
        shared_.nodes += nodes_;
        return report_of(moves, reached);
    }

  private:
    SearchReport report_of(std::span<RootMove> moves, int depth) const {
        SearchReport report{{}, depth, nodes_};
        for (RootMove& root : moves) {
            if (limits_.all_moves || root.move.square == moves.front().move.square) {
                extend_line(root, depth);
                report.moves.push_back(root.move);
            }
        }
        return report;
    }

    std::vector<RootMove> root_moves(const Board& board) {
        const MoveList list(board.position(), board.position().moves());
        std::vector<RootMove> moves;
        for (std::size_t i = 0; i < static_cast<std::size_t>(list.count); ++i) {
            const Position next = board.position().play(list.squares[i], list.flipped[i]);
            moves.push_back(
                {{list.squares[i], 0, {list.squares[i]}}, Board::of(next, other(board.mover))});
        }
        MoveValues values(list.count);
        one_ply_.judge(board, list, values.span());
        for (std::size_t i = 0; i < moves.size(); ++i) {
            moves[i].move.value_for_mover = static_cast<Value>(values.values[i]);
        }
        nodes_ += moves.size();
        sort(moves);
        return moves;
    }

    static void sort(std::span<RootMove> moves) {
        std::ranges::stable_sort(moves, std::greater{},
                                 [](const RootMove& root) { return root.move.value_for_mover; });
    }

    // One iteration; leaves the moves best first. If it is interrupted, the moves searched so far
    // come first: the best of the previous iteration is always among them.
    void search_root(std::vector<RootMove>& moves, int depth) {
        Value best = -INFINITE;
        std::size_t searched = 0;
        for (RootMove& root : moves) {
            const Value value = value_of_root(root, depth, limits_.all_moves ? -INFINITE : best);
            if (stopped_) {
                break;
            }
            root.move.value_for_mover = value;
            best = std::max(best, value);
            ++searched;
        }
        sort(std::span(moves).first(searched));
    }

    Value value_of_root(const RootMove& root, int depth, Value alpha) {
        if (alpha > -INFINITE) {
            const Value value =
                -search(root.after, depth - 1, {-next_above(alpha), -alpha}, UNKNOWN);
            if (value <= alpha || stopped_) {
                return value;
            }
        }
        return -search(root.after, depth - 1, {-INFINITE, -alpha}, UNKNOWN);
    }

    // `unsearched`: the value of the board itself for its mover, as the move that led here was
    // evaluated; or UNKNOWN.
    Value search(const Board& board, int depth, Window window, Value unsearched) {
        const Position position = board.position();
        if (const Bits legal = position.moves(); legal != 0) {
            return search_moves(board, legal, depth, window, unsearched);
        }
        if (const Bits legal = position.pass().moves(); legal != 0) {
            return -search_moves(Board::of(position.pass(), other(board.mover)), legal, depth,
                                 window.turned(), UNKNOWN);
        }
        ++nodes_;
        return value_of_result(position.disc_difference_for_mover());
    }

    Value search_moves(const Board& board, Bits legal, int depth, Window window, Value unsearched) {
        ++nodes_;
        const std::span<const Cut> cuts = cuts_at(board, depth, window);
        for (const Cut& cut : cuts) {
            if (const auto bound =
                    cut.shallow == 0 ? cut.bound(unsearched, window) : std::nullopt) {
                return *bound;
            }
        }
        if (depth == 1) {
            return best_at_one_ply(board, legal, window);
        }
        if (must_stop()) {
            return 0;
        }
        const Bounds known = find(board, depth);
        if (window.is_null() && (known.lower >= window.beta || known.upper <= window.alpha)) {
            return known.lower >= window.beta ? known.lower : known.upper;
        }
        const MoveList list(board.position(), legal);
        MoveValues values(list.count);
        one_ply_.judge(board, list, values.span());
        nodes_ += static_cast<std::uint64_t>(list.count);
        int first = known.best;
        if (!cuts.empty()) {
            const auto at_one_ply = static_cast<Value>(*std::ranges::max_element(values.span()));
            if (const auto bound = prob_cut(board, legal, cuts, window, at_one_ply)) {
                return *bound;
            }
            if (first == NO_SQUARE) {
                first = find(board, depth).best;  // the shallow searches may have found one
            }
        }
        const auto [best, square] = best_of_moves(board, list, values, first, depth, window);
        if (!stopped_) {
            store(board, known, best, square, depth, window);
        }
        return best;
    }

    // The highest value at one ply; or one that reaches beta, for which the moves likely to do so
    // are evaluated first.
    Value best_at_one_ply(const Board& board, Bits legal, Window window) {
        const Position position = board.position();
        if (position.discs() == 63) {  // the last disc ends the game
            ++nodes_;
            return -value_of_result(
                position.play(lowest_square(legal)).disc_difference_for_mover());
        }
        const std::size_t mover = board.mover == Colour::black ? 1 : 0;
        Value best = -INFINITE;
        const Bits likely = legal & (killers_[mover] | CORNERS);
        if (likely != 0 && likely != legal) {
            best = evaluate(board, likely, best, mover);
            legal &= ~likely;
        }
        return best >= window.beta ? best : evaluate(board, legal, best, mover);
    }

    // The highest of these moves' values at one ply and `best`.
    Value evaluate(const Board& board, Bits moves, Value best, std::size_t mover) {
        const MoveList list(board.position(), moves);
        MoveValues values(list.count);
        one_ply_.judge(board, list, values.span());
        nodes_ += static_cast<std::uint64_t>(list.count);
        const auto highest = std::ranges::max_element(values.span());
        const auto value = static_cast<Value>(*highest);
        if (value > best) {
            killers_[mover] =
                bit(list.squares[static_cast<std::size_t>(highest - values.span().begin())]);
        }
        return std::max(best, value);
    }

    // The best move of the table first, then in the order of their values at one ply.
    std::pair<Value, int> best_of_moves(const Board& board, const MoveList& list,
                                        MoveValues& values, int first, int depth, Window window) {
        Value best = -INFINITE;
        int best_square = NO_SQUARE;
        for (int taken = 0; taken < list.count; ++taken) {
            const auto [i, at_one_ply] = next_move(list, values, taken == 0 ? first : NO_SQUARE);
            const Position after = board.position().play(list.squares[i], list.flipped[i]);
            const Board next = Board::of(after, other(board.mover));
            const Value low = std::max(window.alpha, best);
            Value value = low;
            if (taken > 0 && !window.is_null()) {
                value = -search(next, depth - 1, {-next_above(low), -low}, -at_one_ply);
            }
            if (taken == 0 || window.is_null() || (value > low && value < window.beta)) {
                value = -search(next, depth - 1, {-window.beta, -low}, -at_one_ply);
            }
            if (stopped_) {
                break;
            }
            if (value > best) {
                best = value;
                best_square = list.squares[i];
            }
            if (best >= window.beta) {
                break;
            }
        }
        return {best, best_square};
    }

    // The index and value of the preferred square, or else of the highest value; it is not returned
    // again.
    static std::pair<std::size_t, Value> next_move(const MoveList& list, MoveValues& values,
                                                   int preferred) {
        std::size_t chosen = 0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(list.count); ++i) {
            if (list.squares[i] == preferred) {
                chosen = i;
                break;
            }
            chosen = values.values[i] > values.values[chosen] ? i : chosen;
        }
        const auto value = static_cast<Value>(values.values[chosen]);
        values.values[chosen] = -std::numeric_limits<double>::infinity();
        return {chosen, value};
    }

    // The cuts to try for a search to this depth. None where the window is open, or asks for a won
    // game: regression says nothing about results.
    std::span<const Cut> cuts_at(const Board& board, int depth, Window window) const {
        if (shared_.cuts.empty() || !window.is_null() || std::abs(window.alpha) > WON_GAME / 2) {
            return {};
        }
        const int stages = static_cast<int>(shared_.cuts.size());
        const int stage = stage_of(board.position().discs(), stages);
        return shared_.cuts[static_cast<std::size_t>(stage)][static_cast<std::size_t>(depth)];
    }

    // Multi-ProbCut: if a shallow search puts the value far outside the window, believe it. The
    // value at one ply tells on which side that may succeed; the other is not tried.
    std::optional<Value> prob_cut(const Board& board, Bits legal, std::span<const Cut> cuts,
                                  Window window, Value at_one_ply) {
        for (const Cut& cut : cuts) {
            if (cut.shallow <= 1) {
                if (const auto bound = cut.bound(at_one_ply, window); bound && cut.shallow == 1) {
                    return bound;
                }
                continue;
            }
            const Value above = (window.beta + cut.reach - cut.intercept) / cut.slope;
            const Value below = (window.alpha - cut.reach - cut.intercept) / cut.slope;
            const bool upwards = at_one_ply > (above + below) / 2;
            const Value asked = upwards ? above : below;
            const Value value =
                search_moves(board, legal, cut.shallow, {asked, next_above(asked)}, UNKNOWN);
            if (stopped_) {
                return std::nullopt;
            }
            if (upwards ? value > asked : value <= asked) {
                return upwards ? window.beta : window.alpha;
            }
        }
        return std::nullopt;
    }

    // What the table knows at this depth; of an entry of another depth only the best move.
    Bounds find(const Board& board, int depth) const {
        Bounds known = shared_.table.find(board.position()).value_or(Bounds{});
        if (known.depth != depth || known.black_moves != (board.mover == Colour::black)) {
            known = {-INFINITE, INFINITE, known.best};
        }
        return known;
    }

    void store(const Board& board, Bounds known, Value best, int square, int depth, Window window) {
        if (best < window.beta) {
            known.upper = std::min(known.upper, best);
        }
        if (best > window.alpha) {
            known.lower = std::max(known.lower, best);
        }
        if (best > window.alpha || known.best == NO_SQUARE) {
            known.best = static_cast<std::uint8_t>(square);
        }
        known.depth = static_cast<std::uint8_t>(depth);
        known.black_moves = board.mover == Colour::black ? 1 : 0;
        shared_.table.store(board.position(), known);
    }

    bool must_stop() {
        if (!stopped_ && nodes_ >= next_check_) {
            next_check_ = nodes_ + CHECK_LIMITS_EVERY;
            const auto threads = static_cast<std::uint64_t>(shared_.settings.threads);
            stopped_ = nodes_ >= limits_.nodes / threads ||
                       (limits_.stop != nullptr && limits_.stop->is_set()) ||
                       shared_.over.load(std::memory_order_relaxed);
        }
        return stopped_;
    }

    // The expected play after a root move, as far as it is in the table.
    void extend_line(RootMove& root, int depth) const {
        Position position = root.after.position();
        root.move.line = {root.move.square};
        while (static_cast<int>(root.move.line.size()) < depth) {
            if (position.moves() == 0) {
                position = position.pass();
            }
            const auto known = shared_.table.find(position);
            if (!known || known->best == NO_SQUARE || (position.moves() & bit(known->best)) == 0) {
                break;
            }
            root.move.line.push_back(known->best);
            position = position.play(known->best);
        }
    }

    Shared& shared_;
    const SearchLimits& limits_;
    OnePly one_ply_;
    std::uint64_t nodes_ = 0;
    std::uint64_t next_check_ = 0;
    bool stopped_ = false;
    std::array<Bits, 2> killers_{};  // the best move of the last board evaluated, by its mover
};

Searcher::Searcher(Judgement judgement, SearchSettings settings)
    : shared_(std::make_unique<Shared>(std::move(judgement), std::move(settings))) {}
Searcher::~Searcher() = default;

SearchReport Searcher::search(const Board& board, const SearchLimits& limits,
                              const SearchProgress& progress) {
    shared_->table.next_search();
    shared_->nodes = 0;
    shared_->over = false;
    SearchReport report;
    run_on_threads(shared_->settings.threads, [&](int thread) {
        const auto deepen = [&] {
            Worker worker(*shared_, limits);
            if (thread == 0) {
                report = worker.deepen(board, false, progress);
                shared_->over = true;
            } else {
                worker.deepen(board, true);
            }
        };
        on_error(deepen, [&] { shared_->over = true; });
    });
    report.nodes = shared_->nodes;
    return report;
}

}  // namespace outflank
