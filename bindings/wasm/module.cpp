// What the host calls: memory, rules, values, search, solver, book.
#include <cstdlib>

#include "instance.hpp"
#include "search/minimax.hpp"

OUTFLANK_IMPORT(fail) [[noreturn]] void host_refuses(const char* sentence, std::size_t length);
OUTFLANK_IMPORT(should_stop) int host_should_stop();
OUTFLANK_IMPORT(progress) void host_progress(std::size_t results);

namespace outflank {

void host_fail(const char* sentence, std::size_t length) { host_refuses(sentence, length); }

namespace wasm {

Instance& instance() {
    static Instance only;
    return only;
}

Board board_in() {
    const HostBoard& in = instance().board;
    const auto joined = [](std::uint32_t low, std::uint32_t high) {
        return Bits{high} << 32 | low;
    };
    const Board board{joined(in.black_low, in.black_high), joined(in.white_low, in.white_high),
                      in.white_moves != 0 ? Colour::white : Colour::black};
    require((board.black & board.white) == 0, "a square holds a black and a white disc");
    return board;
}

namespace {

Board board_with_moves() {
    const Board board = board_in();
    require(board.position().moves() != 0, "the mover has no legal move");
    return board;
}

// The host is asked once in a while: a call costs as much as several nodes.
StopFlag asks_host() {
    constexpr int EVERY = 16;
    return StopFlag(
        [calls = 0]() mutable { return ++calls % EVERY == 0 && host_should_stop() != 0; });
}

void add_squares(const std::vector<int>& squares) {
    std::vector<double>& results = instance().results;
    results.push_back(static_cast<double>(squares.size()));
    results.insert(results.end(), squares.begin(), squares.end());
}

// Depth, nodes, moves; per move its square, value, and line as a length and squares.
std::size_t write_report(const SearchReport& report) {
    std::vector<double>& results = instance().results;
    results = {static_cast<double>(report.depth), static_cast<double>(report.nodes),
               static_cast<double>(report.moves.size())};
    for (const SearchedMove& move : report.moves) {
        results.push_back(move.square);
        results.push_back(static_cast<double>(move.value_for_mover));
        add_squares(move.line);
    }
    return results.size();
}

EndgameSolver& solver() {
    // 32 MB at most, and as much as a position needs: enough for 24 empty squares.
    constexpr int TABLE_BITS = 20;
    Instance& here = instance();
    if (!here.solver) {
        here.solver = std::make_unique<EndgameSolver>(TABLE_BITS, here.ordering, 1);
    }
    return *here.solver;
}

const OpeningBook& book() {
    require(instance().book.has_value(), "no book is loaded");
    return *instance().book;
}

}  // namespace

OUTFLANK_EXPORT(allocate) void* allocate(std::size_t bytes) { return std::malloc(bytes); }
OUTFLANK_EXPORT(release) void release(void* memory) { std::free(memory); }
OUTFLANK_EXPORT(board) HostBoard* board() { return &instance().board; }
OUTFLANK_EXPORT(results) const double* results() { return instance().results.data(); }
OUTFLANK_EXPORT(results_size) std::size_t results_size() { return instance().results.size(); }

// The legal moves: square, and the flipped discs as two halves.
OUTFLANK_EXPORT(legal_moves)
std::size_t legal_moves_of_board() {
    std::vector<double>& out = instance().results;
    out.clear();
    const Position position = board_in().position();
    const MoveList moves(position, position.moves());
    for (std::size_t i = 0; i < static_cast<std::size_t>(moves.count); ++i) {
        out.insert(out.end(), {static_cast<double>(moves.squares[i]),
                               static_cast<double>(moves.flipped[i] & 0xFFFFFFFF),
                               static_cast<double>(moves.flipped[i] >> 32)});
    }
    return out.size();
}

// The value of the board as it is, by an evaluator.
OUTFLANK_EXPORT(value)
double value(std::size_t evaluator) {
    require(evaluator < instance().evaluators.size(), "there is no such evaluator");
    const Board board = board_in();
    const auto& judge = *instance().evaluators[evaluator].evaluator;
    return judge.value(*judge.accumulator(), board.black, board.white);
}

// Minimax to a fixed depth: square and value for the mover of each legal move.
OUTFLANK_EXPORT(judge)
std::size_t judge(int depth) {
    Instance& here = instance();
    require(depth >= 1 && depth <= 60, "depth must be within 1..60");
    require(!here.judgement.is_random(), "no player is loaded");
    const Board board = board_with_moves();
    const MoveList moves(board.position(), board.position().moves());
    MoveValues values(moves.count);
    Minimax(here.judgement, depth).judge(board, moves, values.span());
    here.results.clear();
    for (std::size_t i = 0; i < static_cast<std::size_t>(moves.count); ++i) {
        here.results.push_back(moves.squares[i]);
        here.results.push_back(values.values[i]);
    }
    return here.results.size();
}

// The moves that minimax to a fixed depth may play: squares.
OUTFLANK_EXPORT(best_moves)
std::size_t best_moves(int depth) {
    Instance& here = instance();
    require(depth >= 1 && depth <= 60, "depth must be within 1..60");
    require(!here.judgement.is_random(), "no player is loaded");
    const Board board = board_with_moves();
    const MoveList moves(board.position(), board.position().moves());
    here.results.clear();
    for (Bits best = Minimax(here.judgement, depth).best_moves(board, moves); best != 0;
         best = without_lowest(best)) {
        here.results.push_back(moves.squares[static_cast<std::size_t>(lowest_square(best))]);
    }
    return here.results.size();
}

// Iterative deepening: results as in write_report, and likewise for each progress. The host may
// stop it.
OUTFLANK_EXPORT(search)
std::size_t search(int depth, double nodes, int all_moves, int prunes, int table_bits) {
    Instance& here = instance();
    require(depth >= 1 && depth <= 60, "depth must be within 1..60");
    require(nodes >= 1, "nodes must be at least 1");
    require(table_bits >= 4 && table_bits <= 24, "table_bits must be within 4..24");
    require(!here.judgement.is_random(), "no player is loaded");
    const Board board = board_with_moves();
    if (!here.searcher || here.searcher_prunes != (prunes != 0) ||
        here.searcher_bits != table_bits) {
        here.searcher.reset();  // before the next is allocated
        SearchSettings settings;
        settings.table_bits = table_bits;
        if (prunes != 0) {
            settings.prob_cuts = here.prob_cuts;
        }
        here.searcher = std::make_unique<Searcher>(here.judgement, std::move(settings));
        here.searcher_prunes = prunes != 0;
        here.searcher_bits = table_bits;
    }
    const StopFlag stop = asks_host();
    const auto most = nodes < 0x1.0p63 ? static_cast<std::uint64_t>(nodes) : UINT64_MAX;
    return write_report(here.searcher->search(
        board, {depth, most, &stop, all_moves != 0},
        [](const SearchReport& report) { host_progress(write_report(report)); }));
}

// Whether it was finished, the score for the mover, nodes, the line. The host may stop it.
OUTFLANK_EXPORT(solve)
std::size_t solve(int alpha, int beta) {
    require(-64 <= alpha && alpha < beta && beta <= 64, "a window is -64 <= alpha < beta <= 64");
    const StopFlag stop = asks_host();
    const Solved solved = solver().solve(board_in().position(), {alpha, beta}, &stop);
    instance().results = {solved.finished ? 1.0 : 0.0, static_cast<double>(solved.score),
                          static_cast<double>(solved.nodes)};
    add_squares(solved.line);
    return instance().results.size();
}

// The book takes the bytes over: `bytes` was allocated by allocate and is freed here.
OUTFLANK_EXPORT(load_book)
void load_book(std::byte* bytes, std::size_t size) {
    Instance& here = instance();
    here.book.reset();
    here.book_bytes.assign(bytes, bytes + size);
    std::free(bytes);
    here.book.emplace(here.book_bytes);
    require(here.book->is_intact(), "is an opening book with damaged entries; take a copy");
}

// Per book move: square, value for the mover in discs, whether it leaves the book, games.
OUTFLANK_EXPORT(book_moves)
std::size_t book_moves() {
    const Position position = board_in().position();
    std::array<BookMove, 64> found;
    const int count = book().moves(position, position.moves(), found);
    std::vector<double>& out = instance().results;
    out.clear();
    for (const BookMove& move : std::span(found).first(static_cast<std::size_t>(count))) {
        out.insert(out.end(),
                   {static_cast<double>(move.square), static_cast<double>(move.value_for_mover),
                    move.is_deviation ? 1.0 : 0.0, static_cast<double>(move.games)});
    }
    return out.size();
}

// Turns the board to the representative of its eight images; returns the symmetry.
OUTFLANK_EXPORT(canonical)
int canonical_board() {
    const Board board = board_in();
    const auto [position, symmetry] = canonical(board.position());
    const Board turned = Board::of(position, board.mover);
    HostBoard& out = instance().board;
    out.black_low = static_cast<std::uint32_t>(turned.black);
    out.black_high = static_cast<std::uint32_t>(turned.black >> 32);
    out.white_low = static_cast<std::uint32_t>(turned.white);
    out.white_high = static_cast<std::uint32_t>(turned.white >> 32);
    return symmetry;
}

}  // namespace wasm
}  // namespace outflank
