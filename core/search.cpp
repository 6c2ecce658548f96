#include "search.hpp"

#include <algorithm>
#include <limits>

#include "evaluators/ntuple_network.hpp"
#include "threads.hpp"
#include "transposition.hpp"

namespace outflank {
namespace {

constexpr Value INFINITE = std::numeric_limits<Value>::infinity();
constexpr int ASK_EVERY = 256;  // nodes between two looks at the limits

Value next_above(Value value) { return std::nextafter(value, INFINITE); }

Value value_of_result(const Position& over) {
    const int difference = over.disc_difference_for_mover();
    return static_cast<Value>(difference) + (difference > 0   ? WON_GAME
                                             : difference < 0 ? -WON_GAME
                                                              : 0);
}

struct Bounds {
    Value lower = -INFINITE;
    Value upper = INFINITE;
    std::uint8_t best = 64;  // 64: none
    std::uint8_t depth = 0;
    std::uint8_t black_moves = 0;  // evaluators may see the colours
    std::uint8_t unused = 0;
    std::uint16_t padding = 0;
    std::uint16_t search = 0;
    int worth() const { return depth; }
};

struct Window {
    Value alpha;
    Value beta;
    bool is_null() const { return beta <= next_above(alpha); }
    Window turned() const { return {-beta, -alpha}; }
};

}  // namespace

struct Searcher::Shared {
    Judgement judgement;
    SearchSettings settings;
    TranspositionTable<Bounds> table;
    std::atomic<std::uint64_t> nodes{0};
    std::atomic<bool> over{false};  // the first thread has finished: the others stop

    Shared(Judgement judge, SearchSettings set)
        : judgement(std::move(judge)), settings(std::move(set)), table(settings.table_bits) {}
};

namespace {

struct RootMove {
    SearchedMove move;
    Board after;
};

// One thread's search.
template <class Shared>
class Search {
  public:
    Search(Shared& shared, const SearchLimits& limits)
        : shared_(shared), limits_(limits), one_ply_(shared.judgement) {}

    // Deepens until a limit is reached. A helper thread begins deeper, to run ahead of the first.
    SearchReport deepen(const Board& board, bool is_helper) {
        std::vector<RootMove> moves = root_moves(board);
        SearchReport report;
        const int deepest = std::min(limits_.depth, 64 - board.position().discs());
        report.depth = 1;  // root_moves judged them at one ply
        for (int depth = is_helper ? 3 : 2; depth <= deepest && !stopped_; ++depth) {
            search_root(moves, depth);
            report.depth = stopped_ ? report.depth : depth;
        }
        if (limits_.all_moves) {
            sort(moves);  // an iteration that was stopped leaves values of two depths
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

    // One iteration; leaves the moves best first. If it is stopped, the moves searched so far come
    // first: the best of the iteration before is always among them.
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
        return value_of_result(position);
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
            if (known.best == 64) {
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
        if (board.position().discs() == 63) {  // the last disc: no judgement is needed
            return -value_of_result(board.position().play(list.squares[0], list.flipped[0]));
        }
        one_ply_.judge(board, list, values.span());
        return static_cast<Value>(*std::ranges::max_element(values.span()));
    }

    // Moves in the order of the table's best, then of one ply.
    std::pair<Value, int> best_of_moves(const Board& board, const MoveList& list,
                                        MoveValues& values, int first, int depth, Window window) {
        Value best = -INFINITE;
        int best_square = 64;
        for (int taken = 0; taken < list.count; ++taken) {
            const std::size_t i = next_move(list, values, taken == 0 ? first : 64);
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

    // The place of the preferred square, or of the highest value; it is not given twice.
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

    // Multi-ProbCut: if a shallow search says that the value is far outside the window, believe it.
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

    // What the table knows that holds at this depth; of another depth only the best move.
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
        if (best > window.alpha || known.best == 64) {
            known.best = static_cast<std::uint8_t>(square);
        }
        known.depth = static_cast<std::uint8_t>(depth);
        known.black_moves = board.mover == Colour::black ? 1 : 0;
        shared_.table.store(board.position(), known);
    }

    bool must_stop() {
        if (!stopped_ && nodes_ >= ask_at_) {
            ask_at_ = nodes_ + ASK_EVERY;
            const auto threads = static_cast<std::uint64_t>(shared_.settings.threads);
            const auto set = [](const std::atomic<bool>* flag) {
                return flag != nullptr && flag->load(std::memory_order_relaxed);
            };
            stopped_ = nodes_ >= limits_.nodes / threads || set(limits_.stop) || set(&shared_.over);
        }
        return stopped_;
    }

    // The expected play after a root move, as far as the table remembers it.
    void extend_line(RootMove& root, int depth) const {
        Position position = root.after.position();
        root.move.line = {root.move.square};
        while (static_cast<int>(root.move.line.size()) < depth) {
            if (position.moves() == 0) {
                position = position.pass();
            }
            const auto known = shared_.table.find(position);
            if (!known || known->best == 64 || (position.moves() & bit(known->best)) == 0) {
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
    std::uint64_t ask_at_ = 0;
    bool stopped_ = false;
};

}  // namespace

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
            Search<Shared> search(*shared_, limits);
            if (thread == 0) {
                report = search.deepen(board, false);
                shared_->over = true;
            } else {
                search.deepen(board, true);
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
