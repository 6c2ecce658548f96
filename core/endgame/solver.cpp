#include "endgame/solver.hpp"

#include <algorithm>
#include <utility>

#include "endgame/few_squares.hpp"
#include "endgame/local_table.hpp"
#include "search/work_sharing.hpp"

namespace outflank {

using namespace endgame;

namespace {

// The number of empty squares from which each technique pays for itself, found by timing endings
// of WTHOR games. Below, the subtree is cheaper than what the technique costs at its root.
constexpr int ORDER_BY_MOBILITY = 6;  // below: FewSquares, ordered by parity alone
constexpr int USE_LOCAL_TABLE = 7;    // below 10: a table of one thread, in its cache
constexpr int USE_TABLE = 10;         // a look-up is a cache miss
constexpr int CHECK_STOP = 10;        // reads atomics of other threads
constexpr int SHARE = 10;             // with a thread that waits for work
constexpr int SHARE_WITH_BUSY = 18;   // with any thread: a lock, and cache lines that change hands
constexpr int SHARE_PRINCIPAL = 13;   // the moves of a principal node, but its first few
constexpr int GUESS = 13;             // an aspiration window around a shallow search's value
constexpr int LOOK_AHEAD = 13;        // the table is asked about all moves: cache misses
constexpr int SELECT = 14;            // forward pruning within a selective search
constexpr int SELECT_AT_ROOT = 19;    // a selective search before the exact one
static_assert(SELECT >= ORDER_BY_EVALUATOR && GUESS >= ORDER_BY_EVALUATOR);  // has indices
static_assert(LOOK_AHEAD > USE_TABLE && CHECK_STOP <= SHARE);

// The size of the shared table, by the root's empty squares: a table that fits a cache is faster,
// and this one costs less than 1 % more nodes than one of 2^22 entries.
int useful_bits(int empties) { return std::max(empties - 4, 8); }

// Two slots: in one cache line. Four in two lines save less than 0.1 % of the nodes.
using Table = TranspositionTable<ExactBounds, 2, 2>;

constexpr int NOT_SEARCHED = 1 << 30;  // a move's key, instead of its score

struct Best {
    int score = NO_SCORE;
    int square = 64;
};

}  // namespace

struct EndgameSolver::Shared {
    int table_bits;  // the most
    Table table{0};
    MoveOrdering ordering;
    const StopFlag* stop = nullptr;
    std::atomic<std::uint64_t> nodes_of_others{0};
    bool selective = false;  // the search in progress prunes, so its bounds are not exact
    std::vector<LocalTable> local_tables;  // of each thread
    Team team;
    Shared(int most_bits, MoveOrdering order_by, int threads)
        : table_bits(most_bits),
          ordering(std::move(order_by)),
          local_tables(static_cast<std::size_t>(threads)),
          team(threads - 1) {}

    void next_search(int empties, const StopFlag* stop_flag) {
        table.next_search(std::min(useful_bits(empties), table_bits));
        for (LocalTable& local : local_tables) {
            local.next_search();
        }
        stop = stop_flag;
        nodes_of_others = 0;
        selective = false;
    }
    // Bounds of a selective search tell an exact one only which moves to try first.
    std::optional<ExactBounds> find(const Position& position) const {
        auto known = table.find(position);
        if (known && !known->exact && !selective) {
            known->lower = -64;
            known->upper = 64;
        }
        return known;
    }
};

// One thread's search.
class EndgameSolver::Worker {
  public:
    // `empties`: the most that a position may have which it searches.
    Worker(Shared& shared, int empties, int thread = 0, const SharedNode* below = nullptr)
        : shared_(shared),
          thread_(thread),
          below_(below),
          local_(shared.local_tables[static_cast<std::size_t>(thread)]),
          network_(shared.ordering.network.get()),
          order_(network_, nodes),
          few_(nodes),
          width_(network_ == nullptr ? 0 : network_->width()),
          // A move and a pass per square, and the deepest shallow search.
          indices_(width_ *
                   static_cast<std::size_t>(2 * std::max(empties - ORDER_BY_EVALUATOR + 8, 0))) {}

    std::uint64_t nodes = 0;
    bool stopped = false;

    // What the evaluator expects, in discs.
    int guess(const Node& node) {
        constexpr int DEPTH = 6;
        network_->look(node.position, indices_.data());  // also below ORDER_BY_EVALUATOR
        const int value = ShallowSearch(*network_, nodes)
                              .search(node.position, indices_.data(), DEPTH,
                                      -ShallowSearch::LARGEST, ShallowSearch::LARGEST);
        return value / OrderingNetwork::DISC;
    }

    int root_score(const Node& node, ScoreWindow window) {
        return principal(node, look(node), window).score;
    }

    // Best play from here to the end, as far as the window distinguishes moves.
    std::vector<int> line(Node node, ScoreWindow window, std::optional<int> score) {
        std::vector<int> squares;
        while (!stopped) {
            if (node.position.moves() == 0) {
                node = node.passed();
                turn(window, score);
            }
            if (node.position.moves() == 0) {
                break;
            }
            Index* const indices = look(node);
            Moves moves = ordered(node, indices, shared_.find(node.position));
            const int enough = score.value_or(window.beta);
            const int square = best_of(node, indices, moves, window, enough).square;
            squares.push_back(square);
            node = node.after(square, node.position.play(square));
            turn(window, score);
        }
        return squares;
    }

    int best_move(const Node& node) {
        Moves moves;
        order_root(shared_.ordering, node, moves);
        return best_of(node, look(node), moves, {}, 64).square;
    }

  private:
    static void turn(ScoreWindow& window, std::optional<int>& score) {
        window = {-window.beta, -window.alpha};
        score = score ? std::optional(-*score) : score;
    }

    // The score within a window, for the few nodes of the principal variation.
    Best principal(const Node& node, Index* indices, ScoreWindow window, bool passed = false) {
        if (node.empties < ORDER_BY_MOBILITY) {
            return {few_.search(node, window.alpha, window.beta, passed), 64};
        }
        ++nodes;
        if (node.empties >= CHECK_STOP && must_stop()) {
            return {0, 64};
        }
        if (node.position.moves() == 0) {
            return {passed ? final_score(node.position.mover, node.position.opponent)
                           : -principal(node.passed(), passed_indices(node, indices),
                                        {-window.beta, -window.alpha}, true)
                                  .score,
                    64};
        }
        const auto known = shared_.find(node.position);
        Moves moves = ordered(node, indices, known);
        // The first moves are the likeliest to become the best, and to change what the others are
        // searched for.
        constexpr int ALONE = 4;
        const bool shared = node.empties >= SHARE_PRINCIPAL && shared_.team.has_helpers();
        Best best =
            best_of(node, indices, moves, window, window.beta, shared ? ALONE : moves.count);
        if (shared) {
            best_of_rest(node, indices, moves, window, ALONE, best);
        }
        if (!stopped) {
            store(node, known.value_or(ExactBounds{}), best, window);
        }
        return best;
    }

    // Principal-variation search: the first move with the whole window, the others only against
    // the best so far. The first move found whose score is enough, or else the best of the first
    // `most`.
    Best best_of(const Node& node, Index* indices, Moves& moves, ScoreWindow window, int enough,
                 int most = 64) {
        Best best;
        for (int i = 0; i < std::min(moves.count, most) && best.score < enough && !stopped; ++i) {
            const Move& move = moves.take(i);
            const Node next = node.after(move.square, move.after());
            Index* const below = next_indices(node, indices, move);
            const int alpha = std::max(window.alpha, best.score);
            null_window_from_ = next.empties;
            int score = i == 0 ? NO_SCORE : -null_window(next, below, -alpha - 1);
            if (i == 0 || (score > alpha && score < window.beta && !stopped)) {
                score = -principal(next, below, {-window.beta, -alpha}).score;
            }
            if (score > best.score) {
                best = {score, move.square};
            }
        }
        return best;
    }

    // Goes on with the moves from index `first` on, together with idle threads, until one is better
    // than the best so far; that one is searched again for its score, and those that were not
    // finished against it.
    void best_of_rest(const Node& node, Index* indices, Moves& moves, ScoreWindow window, int first,
                      Best& best) {
        while (first < moves.count && best.score < window.beta && !stopped) {
            const int alpha = std::max(window.alpha, best.score);
            Best above;
            null_window_from_ = node.empties - 1;
            share_rest(node, indices, moves, first, alpha, above);
            int unfinished = first;
            for (int i = first; i < moves.count && !stopped; ++i) {
                const Move move = moves.list[static_cast<std::size_t>(i)];
                int score = move.key;
                if (score == NOT_SEARCHED || (score > alpha && move.square != above.square)) {
                    moves.list[static_cast<std::size_t>(unfinished++)] = move;
                    continue;
                }
                if (score > alpha && score < window.beta) {
                    score = -principal(node.after(move.square, move.after()),
                                       next_indices(node, indices, move), {-window.beta, -alpha})
                                 .score;
                }
                if (score > best.score && !stopped) {
                    best = {score, move.square};
                }
            }
            moves.count = unfinished;
        }
    }

    // Whether the score is above alpha: the result is only a bound.
    int null_window(const Node& node, Index* indices, int alpha, bool passed = false) {
        if (node.empties < ORDER_BY_MOBILITY) {
            return few_.search(node, alpha, alpha + 1, passed);
        }
        ++nodes;
        if (node.empties >= CHECK_STOP && must_stop()) {
            return 0;
        }
        if (const int most = most_possible(node, alpha); most <= alpha) {
            return most;
        }
        const Bits legal = node.position.moves();
        if (legal == 0) {
            return passed ? final_score(node.position.mover, node.position.opponent)
                          : -null_window(node.passed(), passed_indices(node, indices), -alpha - 1,
                                         true);
        }
        return node.empties >= USE_TABLE         ? null_window_in_table(node, indices, legal, alpha)
               : node.empties >= USE_LOCAL_TABLE ? null_window_in_local_table(node, legal, alpha)
                                                 : null_window_untabled(node, legal, alpha);
    }

    int null_window_in_table(const Node& node, Index* indices, Bits legal, int alpha) {
        const auto known = shared_.find(node.position);
        if (known && (known->lower > alpha || known->upper <= alpha)) {
            return known->lower > alpha ? known->lower : known->upper;
        }
        if (shared_.selective && node.empties >= SELECT) {
            if (const auto bound = prob_cut(node, indices, alpha)) {
                return *bound;
            }
        }
        Moves moves = ordered(node, indices, known, legal);
        if (node.empties >= LOOK_AHEAD) {
            if (const int least = least_known(moves); least > alpha) {
                return least;
            }
        }
        const Best best = best_above(node, indices, moves, alpha);
        if (!stopped) {
            store(node, known.value_or(ExactBounds{}), best, {alpha, alpha + 1});
        }
        return best.score;
    }

    int null_window_in_local_table(const Node& node, Bits legal, int alpha) {
        const LocalBounds known = local_.at(node.position);
        if (known.lower > alpha || known.upper <= alpha) {
            return known.lower > alpha ? known.lower : known.upper;
        }
        Moves moves;
        order_.order(node, nullptr, legal, {known.best, 64}, moves, [&](const Move& move) {
            if (node.empties > USE_LOCAL_TABLE) {
                local_.prefetch(move.after());
            }
        });
        const Best best = best_above(node, nullptr, moves, alpha);
        if (!stopped) {
            LocalBounds& now = local_.at(node.position);  // another position may have had its slot
            (best.score > alpha ? now.lower : now.upper) = static_cast<std::int8_t>(best.score);
            now.best = static_cast<std::uint8_t>(best.square);
        }
        return best.score;
    }

    int null_window_untabled(const Node& node, Bits legal, int alpha) {
        Moves moves;
        order_.order(node, nullptr, legal, {64, 64}, moves, [](const Move&) {});
        return best_above(node, nullptr, moves, alpha).score;
    }

    // Selective search, ProbCut (Buro 1995): a shallow search far outside the window is believed.
    // Its error was measured on endings of WTHOR games: 8 to 9 discs (docs/search.md).
    std::optional<int> prob_cut(const Node& node, Index* indices, int alpha) {
        constexpr int REACH = 5 * OrderingNetwork::DISC;  // 0.6 standard deviations
        const int depth = node.empties >= 19 ? 4 : node.empties >= 17 ? 3 : 2;
        const int above = OrderingNetwork::DISC * (alpha + 1) + REACH;
        const int below = OrderingNetwork::DISC * alpha - REACH;
        const int value =
            ShallowSearch(*network_, nodes).search(node.position, indices, depth, below, above);
        return value >= above   ? std::optional(alpha + 1)
               : value <= below ? std::optional(alpha)
                                : std::nullopt;
    }

    // A move whose score is above alpha, or else the one with the highest bound.
    Best best_above(const Node& node, Index* indices, Moves& moves, int alpha) {
        const int shared_from = shares(node) ? expects_cut(node) ? 2 : 1 : moves.count;
        Best best;
        for (int i = 0; i < moves.count; ++i) {
            if (i >= shared_from && i + 1 < moves.count && pays_to_share(node)) {
                share_rest(node, indices, moves, i, alpha, best);
                return best;
            }
            const Move& move = moves.take(i);
            const int score = -null_window(node.after(move.square, move.after()),
                                           next_indices(node, indices, move), -alpha - 1);
            if (score > best.score) {
                best = {score, move.square};
            }
            if (best.score > alpha || stopped) {
                break;
            }
        }
        return best;
    }

    bool shares(const Node& node) const {
        return node.empties >= SHARE && shared_.team.has_helpers();
    }
    // A small node is worth opening only for a thread that waits for work.
    bool pays_to_share(const Node& node) const {
        return node.empties >= SHARE_WITH_BUSY || shared_.team.has_idle();
    }
    // In a null-window search, nodes where some move is expected to be above alpha and nodes where
    // none is take turns (Knuth and Moore 1975; passes, which are few, are not counted). Moves of
    // the latter are searched in any case, so threads that share them waste nothing; of the former,
    // only once the best two moves have failed.
    bool expects_cut(const Node& node) const { return (null_window_from_ - node.empties) % 2 == 0; }

    // Searches the moves from index `first` on until one is above alpha, and lets idle threads take
    // some. The moves, which stay in this order, then have their scores as keys.
    void share_rest(const Node& node, Index* indices, Moves& moves, int first, int alpha,
                    Best& best) {
        for (int i = first; i < moves.count; ++i) {
            moves.take(i);
        }
        for (Move& move : moves.all().subspan(static_cast<std::size_t>(first))) {
            move.key = NOT_SEARCHED;
        }
        Mutex mutex;
        std::atomic<int> next{first};
        SharedNode shared;
        shared.parent = below_;
        const auto work = [&](Worker& worker, SharedNode& on, Index* from) {
            for (int i = next++; i < moves.count && !on.is_cut(); i = next++) {
                Move& move = moves.list[static_cast<std::size_t>(i)];
                const int score =
                    -worker.null_window(node.after(move.square, move.after()),
                                        worker.next_indices(node, from, move), -alpha - 1);
                if (worker.stopped) {
                    return;
                }
                const Lock lock(mutex);
                move.key = score;
                if (score > best.score) {
                    best = {score, move.square};
                }
                if (score > alpha) {
                    on.cut = true;
                }
            }
        };
        shared.work = [&](SharedNode& on, int thread) {
            if (thread == thread_) {
                const SharedNode* const above = std::exchange(below_, &on);
                work(*this, on, indices);
                below_ = above;
                return;
            }
            Worker helper(shared_, node.empties, thread, &on);
            helper.null_window_from_ = null_window_from_;
            work(helper, on, helper.look(node));
            shared_.nodes_of_others += helper.nodes;
        };
        shared_.team.share(shared, thread_);
        stopped = false;
        must_stop();  // only this node's own cut ends here: one above still counts
    }

    bool must_stop() {
        stopped = stopped || (below_ != nullptr && below_->is_cut()) ||
                  (shared_.stop != nullptr && shared_.stop->is_set());
        return stopped;
    }

    Moves ordered(const Node& node, Index* indices, const std::optional<ExactBounds>& known) {
        return ordered(node, indices, known, node.position.moves());
    }
    Moves ordered(const Node& node, Index* indices, const std::optional<ExactBounds>& known,
                  Bits legal) {
        Moves moves;
        const std::array<int, 2> first{known ? known->best : 64, known ? known->second : 64};
        order_.order(node, indices, legal, first, moves, [&](const Move& move) {
            if (node.empties > USE_TABLE) {
                shared_.table.prefetch(move.after());
            } else {
                local_.prefetch(move.after());
            }
        });
        return moves;
    }

    // Enhanced transposition cut-off: the best that the table knows of any move.
    int least_known(Moves& moves) const {
        int least = NO_SCORE;
        for (const Move& move : moves.all()) {
            if (const auto known = shared_.find(move.after())) {
                least = std::max(least, -known->upper);
            }
        }
        return least;
    }

    void store(const Node& node, ExactBounds known, Best best, ScoreWindow window) {
        if (best.score < window.beta) {
            known.upper = static_cast<std::int8_t>(std::min<int>(known.upper, best.score));
        }
        if (best.score > window.alpha) {
            known.lower = static_cast<std::int8_t>(std::max<int>(known.lower, best.score));
        }
        if (known.best != best.square && (best.score > window.alpha || known.best == 64)) {
            known.second = known.best;
            known.best = static_cast<std::uint8_t>(best.square);
        }
        known.empties = static_cast<std::uint8_t>(node.empties);
        known.exact = !shared_.selective || node.empties < SELECT;
        shared_.table.store(node.position, known);
    }

    // The evaluator's indices, wherever it may be asked; those of a position lie behind those of
    // the position before.
    Index* look(const Node& node) {
        if (node.empties >= ORDER_BY_EVALUATOR && network_ != nullptr) {
            network_->look(node.position, indices_.data());
        }
        return indices_.data();
    }
    Index* next_indices(const Node& node, Index* indices, const Move& move) {
        if (node.empties <= ORDER_BY_EVALUATOR || network_ == nullptr) {
            return nullptr;
        }
        network_->play(indices, move.square, move.flipped, indices + width_);
        return indices + width_;
    }
    Index* passed_indices(const Node& node, Index* indices) {
        if (node.empties < ORDER_BY_EVALUATOR || network_ == nullptr) {
            return nullptr;
        }
        network_->pass(indices, indices + width_);
        return indices + width_;
    }

    Shared& shared_;
    int thread_;
    const SharedNode* below_;
    int null_window_from_ = 0;  // the empty squares where the null-window search began
    LocalTable& local_;
    const OrderingNetwork* network_;
    MoveOrder order_;
    FewSquares few_;
    std::size_t width_;
    AlignedVector<Index> indices_;
};

EndgameSolver::EndgameSolver(int table_bits, MoveOrdering ordering, int threads)
    : shared_(std::make_unique<Shared>(table_bits, std::move(ordering), threads)) {}
EndgameSolver::~EndgameSolver() = default;

namespace {

// Aspiration: the score within a window, sought first close to a guess. Scores are even, so a
// window from guess - 1 to guess + 1 asks whether the guess is right. Bounds of a search with
// forward pruning may contradict each other, too low in one window and too high in the next: then
// the whole window is searched, once.
template <class Score>
int aspire(int guess, ScoreWindow window, Score score_within) {
    guess = std::clamp(guess & ~1, window.alpha + 1, window.beta - 1);
    ScoreWindow tried{guess - 1, guess + 1};
    bool was_low = false;
    bool was_high = false;
    for (int reach = 2;; reach = std::min(2 * reach, 128)) {
        const int score = score_within(tried);
        const bool low = score <= tried.alpha && tried.alpha > window.alpha;
        const bool high = score >= tried.beta && tried.beta < window.beta;
        if (!low && !high) {
            return score;
        }
        was_low = was_low || low;
        was_high = was_high || high;
        tried = was_low && was_high ? window
                : low               ? ScoreWindow{std::max(score - reach, window.alpha), score + 1}
                                    : ScoreWindow{score - 1, std::min(score + reach, window.beta)};
    }
}

}  // namespace

Solved EndgameSolver::solve(const Position& position, ScoreWindow window, const StopFlag* stop) {
    const Node root = Node::of(position);
    shared_->next_search(root.empties, stop);
    Worker worker(*shared_, root.empties);
    // A stopped search returns what ends the aspiration at once.
    const auto score_within = [&](ScoreWindow tried) {
        const int score = worker.root_score(root, tried);
        return worker.stopped ? tried.alpha + 1 : score;
    };
    Solved solved;
    if (shared_->ordering.network && root.empties >= GUESS) {
        int guess = worker.guess(root);
        if (root.empties >= SELECT_AT_ROOT) {
            shared_->selective = true;
            guess = aspire(guess, window, score_within);
            shared_->selective = false;
        }
        solved.score = aspire(guess, window, score_within);
    } else {
        solved.score = score_within(window);
    }
    // With the score known, the line is found in a window around it, mostly from the table.
    const bool exact = (solved.score > window.alpha || window.alpha == -64) &&
                       (solved.score < window.beta || window.beta == 64);
    solved.line = exact ? worker.line(root, {solved.score - 1, solved.score + 1}, solved.score)
                        : worker.line(root, window, std::nullopt);
    solved.nodes = worker.nodes + shared_->nodes_of_others;
    solved.finished = !worker.stopped;
    return solved;
}

int EndgameSolver::best_move(const Position& position) {
    const Node root = Node::of(position);
    shared_->next_search(root.empties, nullptr);
    return Worker(*shared_, root.empties).best_move(root);
}

}  // namespace outflank
