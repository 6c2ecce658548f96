// The rules of epsilon-Othello: forced random moves, choice among equal values, passes, the end.
// Every way of playing a game in outflank goes through these few functions.
#pragma once

#include <algorithm>
#include <limits>
#include <span>

#include "rules/position.hpp"
#include "support/random.hpp"

namespace outflank {

// Values this close to the best count as ties, as in the League's framework.
inline constexpr double TIE = 1e-6;

// At every ply with a legal move, even a single one, a player may be forced to move at random.
inline bool is_forced(Generator& generator, double epsilon) {
    return generator.uniform() < epsilon;
}

// The values of a position's moves.
struct MoveValues {
    std::array<double, 64> values;  // filled up to count
    int count;

    explicit MoveValues(int moves) : count(moves) {}
    std::span<double> span() { return {values.data(), static_cast<std::size_t>(count)}; }
};

// The values within TIE of the best, as a set of bits.
inline Bits ties_for_best(std::span<const double> values) {
    double most = values[0];
    for (std::size_t i = 1; i < values.size(); ++i) {
        most = std::max(most, values[i]);
    }
    Bits ties = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        ties |= Bits{values[i] >= most - TIE} << i;
    }
    return ties;
}

// One of a set of ties, uniformly.
inline int one_of(Bits ties, Generator& generator) {
    const int count = std::popcount(ties);
    return count == 1 ? lowest_square(ties) : nth_square(ties, generator.below(count));
}

// What a game may do differently, for studies of papers that leave it open.
struct Conventions {
    bool first_of_ties = false;  // of equal moves the first square, not one at random
    int most_passes = std::numeric_limits<int>::max();  // one more ends the game (Chong 2003: ten)
};

struct Choice {
    int square = 0;
    Bits flipped = 0;
};

// A game under way. After settle(), the mover has a legal move or the game is over.
struct OpenGame {
    Position position;
    Colour mover;
    Generator generator;
    Conventions conventions;
    int passes = 0;

    OpenGame(const Board& start, std::uint64_t seed, std::uint64_t number,
             const Conventions& agreed = {})
        : position(start.position()),
          mover(start.mover),
          generator(seed, number),
          conventions(agreed) {}

    // The mover's legal moves after passing where it must; none: the game is over.
    Bits settle() {
        Bits moves = position.moves();
        if (moves == 0) [[unlikely]] {
            const Position passed = position.pass();
            moves = passed.moves();
            if (moves != 0) {
                if (passes == conventions.most_passes) {
                    return 0;
                }
                ++passes;
                position = passed;
                mover = other(mover);
            }
        }
        return moves;
    }
    bool is_over() const { return position.moves() == 0 && position.pass().moves() == 0; }
    // The index of one of a set of equally good moves.
    int one_of_ties(Bits ties) {
        return conventions.first_of_ties ? lowest_square(ties) : one_of(ties, generator);
    }
    // The index of a best value.
    int best_of(std::span<const double> values) { return one_of_ties(ties_for_best(values)); }
    Choice random_choice(Bits moves) {
        return choice(nth_square(moves, generator.below(std::popcount(moves))));
    }
    Choice choice(int square) const {
        return {square, flips(square, position.mover, position.opponent)};
    }
    void play(const Choice& chosen) {
        position = position.play(chosen.square, chosen.flipped);
        mover = other(mover);
    }
    Board board() const { return Board::of(position, mover); }
    int disc_difference_for_black() const {
        const int difference = position.disc_difference_for_mover();
        return mover == Colour::black ? difference : -difference;
    }
};

}  // namespace outflank
