// Boards for tests: random discs, and boards from random games.
#pragma once

#include <vector>

#include "../epsilon_othello.hpp"

namespace outflank::tests {

inline Board random_discs(Generator& generator) {
    const Bits occupied =
        generator.below(2) == 0 ? generator.next() : generator.next() | generator.next();
    const Bits black = occupied & generator.next();
    return {black, occupied & ~black, generator.below(2) == 0 ? Colour::black : Colour::white};
}

inline std::vector<Board> boards_of_a_random_game(std::uint64_t number) {
    OpenGame game(START, 7, number);
    std::vector<Board> boards;
    for (Bits moves = game.settle(); moves != 0; moves = game.settle()) {
        boards.push_back(game.board());
        game.play(game.random_choice(moves));
    }
    return boards;
}

}  // namespace outflank::tests
