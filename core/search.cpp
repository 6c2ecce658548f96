#include "search.hpp"

#include <algorithm>
#include <limits>

#include "evaluators/ntuple_network.hpp"
#include "threads.hpp"
#include "transposition.hpp"

namespace outflank {
namespace {

constexpr Value INFINITE = std::numeric_limits<Value>::infinity();
constexpr int NO_SQUARE = 64;
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

struct RootMove {
    SearchedMove move;
    Board after;
};

}  // namespace

struct Searcher::Shared {
    Judgement judgement;
    SearchSettings settings;
    TranspositionTable<Bounds, 4, 1> table;
    std::atomic<std::uint64_t> nodes{0};
    std::atomic<bool> over{false};  // the main thread has finished: the others stop

    Shared(Judgement judge, SearchSettings set)
        : judgement(std::move(judge)), settings(std::move(set)), table(settings.table_bits) {}
};

// One thread's search.
class Searcher::Worker {
  public:
    Worker(Shared& shared, const SearchLimits& limits)
        : shared_(shared), limits_(limits), one_ply_(shared.judgement) {}

    // Deepens until a limit is reached. A helper thread starts one ply deeper, to fill the shared
    // table ahead of the main thread (lazy SMP).
    SearchReport deepen(const Board& board, bool is_helper) {
        std::vector<RootMove> moves = root_moves(board);
        SearchReport report;
        const int deepest = std::min(limits_.depth, 64 - board.position().discs());
        report.depth = 1;  // by root_moves
        for (int depth = is_helper ? 3 : 2; depth <= deepest && !stopped_; ++depth) {
            search_root(moves, depth);
            report.depth = stopped_ ? report.depth : depth;
        }
        if (limits_.all_moves) {
            sort(moves);  // an interrupted iteration leaves values of two depths
        }
        for (RootMove& root : moves) {
            if (limits_.all_moves || root.move.square == moves.front().move.square) {
                extend_line(root, report.depth);
                report.moves.push_back(root.move);
            }
        }
        shared_.nodes += nodes_;
        return report;
    }

  private:
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
            const Value value = -search(root.after, depth - 1, {-next_above(alpha), -alpha});
            if (value <= alpha || stopped_) {
                return value;
            }
        }
        return -search(root.after, depth - 1, {-INFINITE, -alpha});
    }

    Value search(const Board& board, int depth, Window window) {
        const Position position = board.position();
        if (const Bits legal = position.moves(); legal != 0) {
            return search_moves(board, legal, depth, window);
        }
        if (const Bits legal = position.pass().moves(); legal != 0) {
            return -search_moves(Board::of(position.pass(), other(board.mover)), legal, depth,
                                 window.turned());
        }
        ++nodes_;
        return value_of_result(position.disc_difference_for_mover());
    }

    Value search_moves(const Board& board, Bits legal, int depth, Window window) {
        ++nodes_;
        const MoveList list(board.position(), legal);
        MoveValues values(list.count);
        if (depth == 1) {
            return best_at_one_ply(board, list, values);
        }
        if (must_stop()) {
            return 0;
        }
        Bounds known = find(board, depth);
        if (window.is_null()) {
            if (known.lower >= window.beta || known.upper <= window.alpha) {
                return known.lower >= window.beta ? known.lower : known.upper;
            }
            if (const auto bound = prob_cut(board, legal, depth, window)) {
                return *bound;
            }
            if (known.best == NO_SQUARE) {
                known.best = find(board, depth).best;  // the shallow searches may have found one
            }
        }
        one_ply_.judge(board, list, values.span());
        nodes_ += static_cast<std::uint64_t>(list.count);
        const auto [best, square] = best_of_moves(board, list, values, known.best, depth, window);
        if (!stopped_) {
            store(board, known, best, square, depth, window);
        }
        return best;
    }

    Value best_at_one_ply(const Board& board, const MoveList& list, MoveValues& values) {
        nodes_ += static_cast<std::uint64_t>(list.count);
        if (board.position().discs() == 63) {  // the last disc ends the game
            const Position over = board.position().play(list.squares[0], list.flipped[0]);
            return -value_of_result(over.disc_difference_for_mover());
        }
        one_ply_.judge(board, list, values.span());
        return static_cast<Value>(*std::ranges::max_element(values.span()));
    }

    // The best move of the table first, then in the order of their values at one ply.
    std::pair<Value, int> best_of_moves(const Board& board, const MoveList& list,
                                        MoveValues& values, int first, int depth, Window window) {
        Value best = -INFINITE;
        int best_square = NO_SQUARE;
        for (int taken = 0; taken < list.count; ++taken) {
            const std::size_t i = next_move(list, values, taken == 0 ? first : NO_SQUARE);
            const Position after = board.position().play(list.squares[i], list.flipped[i]);
            const Board next = Board::of(after, other(board.mover));
            const Value low = std::max(window.alpha, best);
            Value value = low;
            if (taken > 0 && !window.is_null()) {
                value = -search(next, depth - 1, {-next_above(low), -low});
            }
            if (taken == 0 || window.is_null() || (value > low && value < window.beta)) {
                value = -search(next, depth - 1, {-window.beta, -low});
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

    // The index of the preferred square, or else of the highest value; it is not returned again.
    static std::size_t next_move(const MoveList& list, MoveValues& values, int preferred) {
        std::size_t chosen = 0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(list.count); ++i) {
            if (list.squares[i] == preferred) {
                chosen = i;
                break;
            }
            chosen = values.values[i] > values.values[chosen] ? i : chosen;
        }
        values.values[chosen] = -std::numeric_limits<double>::infinity();
        return chosen;
    }

    // Multi-ProbCut: if a shallow search puts the value far outside the window, believe it. Not
    // where the window asks for a won game: regression says nothing about results.
    std::optional<Value> prob_cut(const Board& board, Bits legal, int depth, Window window) {
        const auto& stages = shared_.settings.prob_cuts;
        if (stages.empty() || std::abs(window.alpha) > WON_GAME / 2) {
            return std::nullopt;
        }
        const int stage = stage_of(board.position().discs(), static_cast<int>(stages.size()));
        for (const ProbCut& cut : stages[static_cast<std::size_t>(stage)]) {
            if (cut.depth != depth) {
                continue;
            }
            const Value reach = shared_.settings.confidence * cut.sigma;
            const Value above = (window.beta + reach - cut.intercept) / cut.slope;
            if (search_moves(board, legal, cut.shallow, {above, next_above(above)}) > above) {
                return stopped_ ? std::nullopt : std::optional(window.beta);
            }
            const Value below = (window.alpha - reach - cut.intercept) / cut.slope;
            if (search_moves(board, legal, cut.shallow, {below, next_above(below)}) <= below) {
                return stopped_ ? std::nullopt : std::optional(window.alpha);
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
            const auto set = [](const std::atomic<bool>* flag) {
                return flag != nullptr && flag->load(std::memory_order_relaxed);
            };
            stopped_ = nodes_ >= limits_.nodes / threads || set(limits_.stop) || set(&shared_.over);
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
};

Searcher::Searcher(Judgement judgement, SearchSettings settings)
    : shared_(std::make_unique<Shared>(std::move(judgement), std::move(settings))) {}
Searcher::~Searcher() = default;

SearchReport Searcher::search(const Board& board, const SearchLimits& limits) {
    shared_->table.next_search();
    shared_->nodes = 0;
    shared_->over = false;
    SearchReport report;
    run_on_threads(shared_->settings.threads, [&](int thread) {
        try {
            Worker worker(*shared_, limits);
            if (thread == 0) {
                report = worker.deepen(board, false);
                shared_->over = true;
            } else {
                worker.deepen(board, true);
            }
        } catch (...) {
            shared_->over = true;
            throw;
        }
    });
    report.nodes = shared_->nodes;
    return report;
}

}  // namespace outflank
