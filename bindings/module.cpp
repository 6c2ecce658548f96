// The module: the rules of the board, and the other rooms' bindings.
#include <algorithm>

#include "arrays.hpp"
#include "playing/playouts.hpp"
#include "support/exponential.hpp"

using namespace outflank;
using namespace outflank::bindings;

NB_MODULE(_core, m) {
    // Players in globals (of a notebook, a test) outlive the module at exit; that is not our leak.
    nb::set_leak_warnings(false);
    m.doc() = "The C++ core of outflank. Squares are bits 0..63, a1 = 0, row by row.";
    m.attr("NO_MOVE") = static_cast<int>(NO_MOVE);
    m.attr("LONGEST_GAME") = LONGEST_GAME;
    m.attr("LONGEST_TUPLE") = LONGEST_TUPLE;
    m.attr("TIE") = TIE;
    m.attr("VARIANT") = OUTFLANK_VARIANT;
    m.def(
        "tuned_for",
        [] {
#if defined(__AVX512VL__)
            return "AVX-512";
#elif defined(__AVX2__)
            return "AVX2";
#elif defined(__ARM_NEON)
            return "NEON";
#else
            return "any machine";
#endif
        },
        "What kind of machine this build is for.");

    const auto check_square = [](int square) {
        require(square >= 0 && square < 64, "a square is 0..63");
    };
    m.def(
        "legal_moves", [](Bits mover, Bits opponent) { return legal_moves(mover, opponent); },
        "mover"_a, "opponent"_a);
    m.def(
        "flips",
        [=](int square, Bits mover, Bits opponent) {
            check_square(square);
            return flips(square, mover, opponent);
        },
        "square"_a, "mover"_a, "opponent"_a);
    m.def(
        "symmetric",
        [](Bits set, int symmetry) {
            require(symmetry >= 0 && symmetry < 8, "a symmetry is 0..7");
            return symmetric(set, symmetry);
        },
        "set"_a, "symmetry"_a);
    m.def(
        "perft",
        [](Bits mover, Bits opponent, int depth) {
            require(depth >= 0, "depth must not be negative");
            return without_gil([&] { return perft({mover, opponent}, depth); });
        },
        "mover"_a, "opponent"_a, "depth"_a);
    m.def(
        "stream_numbers",
        [](std::uint64_t seed, std::uint64_t stream, std::size_t count) {
            Generator generator(seed, stream);
            std::vector<std::uint64_t> numbers(count);
            for (auto& number : numbers) {
                number = generator.next();
            }
            return to_numpy(std::move(numbers));
        },
        "seed"_a, "stream"_a, "count"_a, "The first numbers of stream(seed, stream).");

    m.def(
        "exponentials",
        [](const Vector<double>& exponents) {
            std::vector<double> powers(exponents.shape(0));
            std::ranges::transform(span_of(exponents), powers.begin(), portable_exp);
            return to_numpy(std::move(powers));
        },
        "exponents"_a, "e to the power of each number: the same bits on every machine.");

    bind_book(m);
    bind_evaluators(m);
    bind_games(m);
    bind_batched_games(m);  // uses the players and rules of games
    bind_learning(m);
    bind_search(m);
    bind_records(m);
    bind_teaching(m);
}
