#include "endgame.hpp"

#include <algorithm>

#include "endgame_few.hpp"
#include "work_sharing.hpp"

namespace outflank {

using namespace endgame;

namespace {

// Where each technique begins to pay, in empty squares; found by timing FFO 20-39.
constexpr int ORDER_BY_MOBILITY = 6;
constexpr int REMEMBER = 9;
constexpr int SHARE = 14;
constexpr int ASK_WHETHER_TO_STOP = 11;

using Table = TranspositionTable<ExactBounds>;

struct Best {
    int score = NO_SCORE;
    int square = 64;
};

void remember(Table& table, const Node& node, ExactBounds known, Best best, ScoreWindow window) {
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
};

namespace {

// One thread's search.
template <class Shared>
class Search {
  public:
    explicit Search(Shared& shared, const SharedNode* below = nullptr)
        : shared_(shared), below_(below), order_(shared.ordering), few_(nodes) {}

    std::uint64_t nodes = 0;
    bool stopped = false;

    // Principal-variation search: the first move with the whole window, the others only against
    // the best so far.
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
        const ExactBounds known = shared_.table.find(node.position).value_or(ExactBounds{});
        Moves moves;
        order_.order(node, legal, {known.best, known.second}, moves);
        Best best;
        int alpha = window.alpha;
        for (int i = 0; i < moves.count && best.score < window.beta && !stopped; ++i) {
            const Move& move = moves.take(i);
            const Node next = node.after(move.square, move.after);
            int score = i == 0 ? NO_SCORE : -null_window(next, -alpha - 1);
            if (i == 0 || (score > alpha && score < window.beta && !stopped)) {
                score = -principal(next, {-window.beta, -alpha}).score;
            }
            if (score > best.score) {
                best = {score, move.square};
                alpha = std::max(alpha, score);
            }
        }
        if (!stopped) {
            remember(shared_.table, node, known, best, window);
        }
        return best;
    }

    // Best play from here to the end, as far as the window tells moves apart.
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
            const int square = choose(node, legal, window, score.value_or(window.beta));
            squares.push_back(square);
            node = node.after(square, node.position.play(square));
            turn(window, score);
        }
        return squares;
    }

    // The first move found whose score is enough, or else the best within the window.
    int choose(const Node& node, Bits legal, ScoreWindow window, int enough) {
        const ExactBounds known = shared_.table.find(node.position).value_or(ExactBounds{});
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
        return best.square;
    }

  private:
    static void turn(ScoreWindow& window, std::optional<int>& score) {
        window = {-window.beta, -window.alpha};
        score = score ? std::optional(-*score) : score;
    }

    // Is the score above alpha? Exact enough to say so, no more.
    int null_window(const Node& node, int alpha, bool passed = false) {
        const int beta = alpha + 1;
        if (node.empties < ORDER_BY_MOBILITY) {
            return few_.search(node, alpha, beta, passed);
        }
        ++nodes;
        if (node.empties >= ASK_WHETHER_TO_STOP && must_stop()) {
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
        const bool remembered = node.empties >= REMEMBER;
        if (remembered) {
            known = shared_.table.find(node.position).value_or(ExactBounds{});
            if (known.lower >= beta || known.upper <= alpha) {
                return known.lower >= beta ? known.lower : known.upper;
            }
        }
        Moves moves;
        order_.order(node, legal, {known.best, known.second}, moves);
        if (remembered && node.empties > REMEMBER) {
            if (const int least = least_known(moves); least >= beta) {
                return least;
            }
        }
        const Best best = best_of_moves(node, moves, alpha);
        if (remembered && !stopped) {
            remember(shared_.table, node, known, best, {alpha, beta});
        }
        return best.score;
    }

    Best best_of_moves(const Node& node, Moves& moves, int alpha) {
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

    // The moves from number `first` on, together with idle threads.
    void share_rest(const Node& node, Moves& moves, int first, int alpha, Best& best) {
        for (int i = first; i < moves.count; ++i) {
            moves.take(i);
        }
        std::mutex mutex;
        std::atomic<int> next{first};
        SharedNode shared;
        shared.parent = below_;
        const auto work = [&](Search& search, SharedNode& on) {
            for (int i = next++; i < moves.count && !on.is_cut(); i = next++) {
                const Move& move = moves.list[static_cast<std::size_t>(i)];
                const int score =
                    -search.null_window(node.after(move.square, move.after), -alpha - 1);
                if (search.stopped) {
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
            Search search(shared_, &on);
            work(search, on);
            shared_.nodes_of_others += search.nodes;
        };
        shared_.team.share(shared);
        stopped = false;
        must_stop();  // this node's own cut has done its work; one above still counts
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

}  // namespace

EndgameSolver::EndgameSolver(int table_bits, MoveOrdering ordering, int threads)
    : shared_(std::make_unique<Shared>(table_bits, std::move(ordering), threads)) {}
EndgameSolver::~EndgameSolver() = default;

Solved EndgameSolver::solve(const Position& position, ScoreWindow window,
                            const std::atomic<bool>* stop) {
    shared_->table.next_search();
    shared_->stop = stop;
    shared_->nodes_of_others = 0;
    Search<Shared> search(*shared_);
    Solved solved;
    solved.score = search.principal(Node::of(position), window).score;
    // With the score known, best play is found again in a window around it; the table knows most.
    const bool exact = solved.score > window.alpha && solved.score < window.beta;
    solved.line =
        exact ? search.line(Node::of(position), {solved.score - 1, solved.score + 1}, solved.score)
              : search.line(Node::of(position), window, std::nullopt);
    solved.nodes = search.nodes + shared_->nodes_of_others;
    solved.finished = !search.stopped;
    return solved;
}

int EndgameSolver::best_move(const Position& position) {
    shared_->table.next_search();
    shared_->stop = nullptr;
    return Search<Shared>(*shared_).choose(Node::of(position), position.moves(), {}, 64);
}

}  // namespace outflank
