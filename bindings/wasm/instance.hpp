// One WebAssembly instance: one player, one solver or one book, in linear memory of its own.
//
// The host (src/outflank/interfaces/web/static/engine/core.js) writes a board and files into
// memory, calls an export, and reads numbers back from the results. An error ends the instance: the
// host throws, nothing is unwound, and the host discards the memory with all that is in it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "books/opening_book.hpp"
#include "endgame/solver.hpp"
#include "evaluators/deep_layers.hpp"
#include "evaluators/ntuple_network.hpp"
#include "search/search.hpp"

#define OUTFLANK_EXPORT(name) extern "C" __attribute__((export_name(#name)))
#define OUTFLANK_IMPORT(name) extern "C" __attribute__((import_module("host"), import_name(#name)))

namespace outflank::wasm {

// Bounds of what a page may load, far above any player of the league (its files have 16 MB).
inline constexpr std::size_t MOST_WEIGHTS = std::size_t{1} << 24;
inline constexpr std::size_t MOST_PLACEMENTS = std::size_t{1} << 14;

// An n-tuple network as its file says it: for explanations, and for the solver's move ordering.
struct WrittenNetwork {
    std::vector<TupleTable> tables;
    std::vector<double> weights;
    int stages = 1;
    std::optional<DeepShape> deep;  // its weights: tables of all stages, then layers of each
};

struct LoadedEvaluator {
    std::shared_ptr<const Evaluator> evaluator;
    std::optional<WrittenNetwork> network;
};

// As the host writes it: halves of 32 bits, because JavaScript has no fast integers of 64.
struct HostBoard {
    std::uint32_t black_low = 0;
    std::uint32_t black_high = 0;
    std::uint32_t white_low = 0;
    std::uint32_t white_high = 0;
    std::uint32_t white_moves = 0;
};

struct Instance {
    HostBoard board;
    std::vector<double> results;  // of the last call
    std::vector<LoadedEvaluator> evaluators;
    Judgement judgement;
    std::vector<std::vector<ProbCut>> prob_cuts;
    std::unique_ptr<Searcher> searcher;
    bool searcher_prunes = false;
    int searcher_bits = 0;
    MoveOrdering ordering;
    std::unique_ptr<EndgameSolver> solver;
    std::vector<std::byte> book_bytes;
    std::optional<OpeningBook> book;
};

Instance& instance();

// The board that the host wrote; fails if a square has two discs.
Board board_in();

inline void require(bool condition, const char* sentence) {
    if (!condition) {
        fail(sentence);
    }
}

}  // namespace outflank::wasm
