#include "endgame.hpp"

#include <algorithm>

#include "endgame_last.hpp"
#include "stability.hpp"
#include "work_sharing.hpp"

namespace outflank {
namespace {

// Where each technique begins to pay, in empty squares; found by timing FFO 20-39.
constexpr int ORDER_BY_MOBILITY = 6;
constexpr int REMEMBER = 9;
constexpr int ORDER_BY_EVALUATOR = 13;
constexpr int SHARE = 12;
constexpr int ASK_WHETHER_TO_STOP = 11;

// The unit of a move's key: one more reply of the opponent's costs this much.
constexpr int REPLY = 16;

constexpr Bits CORNERS = 0x8100000000000081ULL;
constexpr std::array<Bits, 4> QUADRANTS{0x000000000F0F0F0FULL, 0x00000000F0F0F0F0ULL,
                                        0x0F0F0F0F00000000ULL, 0xF0F0F0F000000000ULL};

constexpr Bits quadrant_of(int square) {
    return QUADRANTS[static_cast<std::size_t>((square >> 4 & 2) | (square >> 2 & 1))];
}

// Parity: a quadrant with an odd number of empty squares is one where the mover may hope to move
// last.
Bits odd_quadrants(Bits empty) {
    Bits odd = 0;
    for (const Bits quadrant : QUADRANTS) {
        odd |= (std::popcount(empty & quadrant) & 1) != 0 ? quadrant : 0;
    }
    return odd;
}

// A position with what its search needs to know at every node.
struct Node {
    Position position;
    Bits odd;
    int empties;

    static Node of(const Position& position) {
        const Bits empty = ~(position.mover | position.opponent);
        return {position, odd_quadrants(empty), std::popcount(empty)};
    }
    Node after(int square, const Position& next) const {
        return {next, odd ^ quadrant_of(square), empties - 1};
    }
    Node passed() const { return {position.pass(), odd, empties}; }
};

struct Move {
    Position after;
    int square;
    int key;
};

// The moves of a node, best first as they are taken.
struct Moves {
    std::array<Move, 64> list;  // NOLINT: filled up to count
    int count = 0;

    std::span<Move> all() { return {list.data(), static_cast<std::size_t>(count)}; }
    // Move number i, after those before it were taken.
    const Move& take(int i) {
        const auto rest = all().subspan(static_cast<std::size_t>(i));
        const auto best = std::max_element(
            rest.begin(), rest.end(), [](const Move& a, const Move& b) { return a.key < b.key; });
        std::swap(rest.front(), *best);
        return rest.front();
    }
};

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
        : shared_(shared), below_(below), last_(nodes) {
        if (shared.ordering.evaluator) {
            seen_ = shared.ordering.evaluator->accumulator();
        }
    }

    std::uint64_t nodes = 0;
    bool stopped = false;

    // Principal-variation search: the first move with the whole window, the others only against
    // the best so far.
    Best principal(const Node& node, ScoreWindow window, bool passed = false) {
        if (node.empties < ORDER_BY_MOBILITY) {
            return {few(node, window.alpha, window.beta, passed), 64};
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
        order(node, legal, known, moves);
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
        order(node, legal, known, moves);
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
            return few(node, alpha, beta, passed);
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
        order(node, legal, known, moves);
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

    // An upper bound: the opponent keeps its stable discs. Only asked where it may be low enough.
    static int most_possible(const Node& node, int alpha) {
        if (alpha < (node.empties < 8 ? 20 : 8)) {
            return 64;
        }
        return 64 - 2 * std::popcount(stable_discs(node.position.opponent, node.position.mover));
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

    // Fastest first: what leaves the opponent few moves is easy to search and often good. Corners
    // weigh double.
    void order(const Node& node, Bits legal, const ExactBounds& known, Moves& moves) {
        for (Bits rest = legal; rest != 0; rest = without_lowest(rest)) {
            Move& move = moves.list[static_cast<std::size_t>(moves.count++)];
            move.square = lowest_square(rest);
            move.after = node.position.play(move.square);
            const Bits replies = move.after.moves();
            const int mobility = std::popcount(replies) + std::popcount(replies & CORNERS);
            move.key = -REPLY * mobility + ((node.odd & bit(move.square)) != 0 ? REPLY / 2 : 0) +
                       ((CORNERS & bit(move.square)) != 0 ? 3 * REPLY / 4 : 0);
            if (move.square == known.best) {
                move.key = 1 << 29;
            } else if (move.square == known.second) {
                move.key = 1 << 28;
            }
        }
        if (node.empties >= ORDER_BY_EVALUATOR && shared_.ordering.evaluator) {
            order_by_evaluator(node, legal, known, moves);
        }
    }

    void order_by_evaluator(const Node& node, Bits legal, const ExactBounds& known, Moves& moves) {
        const MoveList list(node.position, legal);
        std::array<double, 64> values;  // NOLINT
        shared_.ordering.evaluator->values_after(
            *seen_, Board::of(node.position, Colour::black), list, SeenAs::mover_is_black,
            {values.data(), static_cast<std::size_t>(list.count)});
        for (std::size_t i = 0; i < static_cast<std::size_t>(moves.count); ++i) {
            if (moves.list[i].square != known.best && moves.list[i].square != known.second) {
                moves.list[i].key += static_cast<int>(std::lround(
                    std::clamp(REPLY * shared_.ordering.weight * values[i], -1e6, 1e6)));
            }
        }
    }

    // Five empty squares: moves in odd quadrants first, corners before others.
    int few(const Node& node, int alpha, int beta, bool passed = false) {
        if (node.empties <= 4) {
            return last(node, alpha, beta);
        }
        ++nodes;
        if (const int most = most_possible(node, alpha); most <= alpha) {
            return most;
        }
        const Bits legal = node.position.moves();
        if (legal == 0) {
            return passed ? final_score(node.position.mover, node.position.opponent)
                          : -few(node.passed(), -beta, -alpha, true);
        }
        int best = NO_SCORE;
        const Bits odd = legal & node.odd;
        for (const Bits group : {odd & CORNERS, odd & ~CORNERS, legal & ~odd}) {
            for (Bits rest = group; rest != 0; rest = without_lowest(rest)) {
                const int square = lowest_square(rest);
                const int score =
                    -few(node.after(square, node.position.play(square)), -beta, -alpha);
                best = std::max(best, score);
                if (best >= beta) {
                    return best;
                }
                alpha = std::max(alpha, best);
            }
        }
        return best;
    }

    int last(const Node& node, int alpha, int beta) {
        const auto [mover, opponent] = node.position;
        const Bits empty = ~(mover | opponent);
        std::array<int, 4> squares{};
        std::size_t count = 0;
        for (const Bits group : {empty & node.odd, empty & ~node.odd}) {
            for (Bits rest = group; rest != 0; rest = without_lowest(rest)) {
                squares[count++] = lowest_square(rest);
            }
        }
        switch (node.empties) {
            case 4: return last_.four(mover, opponent, alpha, beta, squares);
            case 3:
                return last_.three(mover, opponent, alpha, beta,
                                   {squares[0], squares[1], squares[2]});
            case 2: return last_.two(mover, opponent, beta, squares[0], squares[1]);
            case 1: return last_.one(mover, squares[0]);
            default: return final_score(mover, opponent);
        }
    }

    Shared& shared_;
    const SharedNode* below_;
    std::unique_ptr<Evaluator::Accumulator> seen_;
    LastSquares last_;
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

int EndgameSolver::score(const Position& position, ScoreWindow window) {
    shared_->table.next_search();
    shared_->stop = nullptr;
    return Search<Shared>(*shared_).principal(Node::of(position), window).score;
}

int EndgameSolver::best_move(const Position& position) {
    shared_->table.next_search();
    shared_->stop = nullptr;
    return Search<Shared>(*shared_).choose(Node::of(position), position.moves(), {}, 64);
}

}  // namespace outflank
