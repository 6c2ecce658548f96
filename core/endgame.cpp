#include "endgame.hpp"

#include <algorithm>

#include "endgame_few.hpp"
#include "work_sharing.hpp"

namespace outflank {

using namespace endgame;

namespace {

// The number of empty squares from which each technique pays for itself, found by timing the
// positions FFO 20-39. Below, the subtree is cheaper than what the technique costs at its root.
constexpr int ORDER_BY_MOBILITY = 6;  // below: FewSquares, ordered by parity alone
constexpr int USE_TABLE = 9;          // a look-up is a cache miss
constexpr int CHECK_STOP = 11;        // reads atomics of other threads
constexpr int SHARE = 14;             // waking an idle thread takes microseconds

using Table = TranspositionTable<ExactBounds>;

struct Best {
    int score = NO_SCORE;
    int square = 64;
};

void store(Table& table, const Node& node, ExactBounds known, Best best, ScoreWindow window) {
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
    table.store(node.position, known);
}

}  // namespace

struct EndgameSolver::Shared {
    Table table;
    MoveOrdering ordering;
    const std::atomic<bool>* stop = nullptr;
    std::atomic<std::uint64_t> nodes_of_others{0};
    Team team;
    Shared(int table_bits, MoveOrdering order_by, int threads)
        : table(table_bits), ordering(std::move(order_by)), team(threads - 1) {}

    ExactBounds find(const Node& node) const {
        return table.find(node.position).value_or(ExactBounds{});
    }
};

// One thread's search.
class EndgameSolver::Worker {
  public:
    explicit Worker(Shared& shared, const SharedNode* below = nullptr)
        : shared_(shared), below_(below), order_(shared.ordering), few_(nodes) {}

    std::uint64_t nodes = 0;
    bool stopped = false;

    // The score within a window, for the few nodes of the principal variation.
    Best principal(const Node& node, ScoreWindow window, bool passed = false) {
        if (node.empties < ORDER_BY_MOBILITY) {
            return {few_.search(node, window.alpha, window.beta, passed), 64};
        }
        ++nodes;
        const Bits legal = node.position.moves();
        if (legal == 0) {
            return {passed ? final_score(node.position.mover, node.position.opponent)
                           : -principal(node.passed(), {-window.beta, -window.alpha}, true).score,
                    64};
        }
        const ExactBounds known = shared_.find(node);
        const Best best = best_of(node, legal, known, window, window.beta);
        if (!stopped) {
            store(shared_.table, node, known, best, window);
        }
        return best;
    }

    // Best play from here to the end, as far as the window distinguishes moves.
    std::vector<int> line(Node node, ScoreWindow window, std::optional<int> score) {
        std::vector<int> squares;
        while (!stopped) {
            Bits legal = node.position.moves();
            if (legal == 0) {
                node = node.passed();
                turn(window, score);
                legal = node.position.moves();
            }
            if (legal == 0) {
                break;
            }
            const int enough = score.value_or(window.beta);
            const int square = best_of(node, legal, shared_.find(node), window, enough).square;
            squares.push_back(square);
            node = node.after(square, node.position.play(square));
            turn(window, score);
        }
        return squares;
    }

    // Principal-variation search: the first move with the whole window, the others only against
    // the best so far. The first move found whose score is enough, or else the best.
    Best best_of(const Node& node, Bits legal, const ExactBounds& known, ScoreWindow window,
                 int enough) {
        Moves moves;
        order_.order(node, legal, {known.best, known.second}, moves);
        Best best;
        for (int i = 0; i < moves.count && best.score < enough && !stopped; ++i) {
            const Move& move = moves.take(i);
            const Node next = node.after(move.square, move.after);
            const int alpha = std::max(window.alpha, best.score);
            int score = i == 0 ? NO_SCORE : -null_window(next, -alpha - 1);
            if (i == 0 || (score > alpha && score < window.beta && !stopped)) {
                score = -principal(next, {-window.beta, -alpha}).score;
            }
            if (score > best.score) {
                best = {score, move.square};
            }
        }
        return best;
    }

  private:
    static void turn(ScoreWindow& window, std::optional<int>& score) {
        window = {-window.beta, -window.alpha};
        score = score ? std::optional(-*score) : score;
    }

    // Whether the score is above alpha: the result is only a bound.
    int null_window(const Node& node, int alpha, bool passed = false) {
        const int beta = alpha + 1;
        if (node.empties < ORDER_BY_MOBILITY) {
            return few_.search(node, alpha, beta, passed);
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
                          : -null_window(node.passed(), -beta, true);
        }
        ExactBounds known;
        const bool in_table = node.empties >= USE_TABLE;
        if (in_table) {
            known = shared_.find(node);
            if (known.lower >= beta || known.upper <= alpha) {
                return known.lower >= beta ? known.lower : known.upper;
            }
        }
        Moves moves;
        order_.order(node, legal, {known.best, known.second}, moves);
        if (node.empties > USE_TABLE) {  // so that the moves lead to positions in the table
            if (const int least = least_known(moves); least >= beta) {
                return least;
            }
        }
        const Best best = best_above(node, moves, alpha);
        if (in_table && !stopped) {
            store(shared_.table, node, known, best, {alpha, beta});
        }
        return best.score;
    }

    // A move whose score is above alpha, or else the one with the highest bound.
    Best best_above(const Node& node, Moves& moves, int alpha) {
        Best best;
        for (int i = 0; i < moves.count; ++i) {
            if (i > 0 && node.empties >= SHARE && i + 1 < moves.count &&
                shared_.team.someone_is_idle()) {
                share_rest(node, moves, i, alpha, best);
                return best;
            }
            const Move& move = moves.take(i);
            const int score = -null_window(node.after(move.square, move.after), -alpha - 1);
            if (score > best.score) {
                best = {score, move.square};
            }
            if (best.score > alpha || stopped) {
                break;
            }
        }
        return best;
    }

    // Searches the moves from index `first` on together with idle threads.
    void share_rest(const Node& node, Moves& moves, int first, int alpha, Best& best) {
        for (int i = first; i < moves.count; ++i) {
            moves.take(i);
        }
        std::mutex mutex;
        std::atomic<int> next{first};
        SharedNode shared;
        shared.parent = below_;
        const auto work = [&](Worker& worker, SharedNode& on) {
            for (int i = next++; i < moves.count && !on.is_cut(); i = next++) {
                const Move& move = moves.list[static_cast<std::size_t>(i)];
                const int score =
                    -worker.null_window(node.after(move.square, move.after), -alpha - 1);
                if (worker.stopped) {
                    return;
                }
                const std::lock_guard lock(mutex);
                if (score > best.score) {
                    best = {score, move.square};
                }
                if (score > alpha) {
                    on.cut = true;
                }
            }
        };
        const std::thread::id owner = std::this_thread::get_id();
        shared.work = [&](SharedNode& on) {
            if (std::this_thread::get_id() == owner) {
                const SharedNode* const above = below_;
                below_ = &on;
                work(*this, on);
                below_ = above;
                return;
            }
            Worker helper(shared_, &on);
            work(helper, on);
            shared_.nodes_of_others += helper.nodes;
        };
        shared_.team.share(shared);
        stopped = false;
        must_stop();  // only this node's own cut ends here: one above still counts
    }

    bool must_stop() {
        stopped = stopped || (below_ != nullptr && below_->is_cut()) ||
                  (shared_.stop != nullptr && shared_.stop->load(std::memory_order_relaxed));
        return stopped;
    }

    // Enhanced transposition cut-off: the best that the table knows of any move.
    int least_known(Moves& moves) const {
        int least = NO_SCORE;
        for (const Move& move : moves.all()) {
            if (const auto known = shared_.table.find(move.after)) {
                least = std::max(least, -known->upper);
            }
        }
        return least;
    }

    Shared& shared_;
    const SharedNode* below_;
    MoveOrder order_;
    FewSquares few_;
};

EndgameSolver::EndgameSolver(int table_bits, MoveOrdering ordering, int threads)
    : shared_(std::make_unique<Shared>(table_bits, std::move(ordering), threads)) {}
EndgameSolver::~EndgameSolver() = default;

Solved EndgameSolver::solve(const Position& position, ScoreWindow window,
                            const std::atomic<bool>* stop) {
    shared_->table.next_search();
    shared_->stop = stop;
    shared_->nodes_of_others = 0;
    Worker worker(*shared_);
    Solved solved;
    solved.score = worker.principal(Node::of(position), window).score;
    // With the score known, the line is found in a window around it, mostly from the table.
    const bool exact = solved.score > window.alpha && solved.score < window.beta;
    solved.line =
        exact ? worker.line(Node::of(position), {solved.score - 1, solved.score + 1}, solved.score)
              : worker.line(Node::of(position), window, std::nullopt);
    solved.nodes = worker.nodes + shared_->nodes_of_others;
    solved.finished = !worker.stopped;
    return solved;
}

int EndgameSolver::best_move(const Position& position) {
    shared_->table.next_search();
    shared_->stop = nullptr;
    const Node node = Node::of(position);
    return Worker(*shared_).best_of(node, position.moves(), shared_->find(node), {}, 64).square;
}

}  // namespace outflank
