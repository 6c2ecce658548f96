// Boards for tests: random discs, and boards from random games.
#pragma once

#include <vector>

#include "endgame/ordering_network.hpp"
#include "rules/epsilon_othello.hpp"

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

// Rows, columns and corners, 20 placements.
inline std::vector<TupleTable> lines_and_corners() {
    std::vector<TupleTable> tables{{8, {}}, {8, {}}, {4, {}}};
    for (std::uint8_t line = 0; line < 8; ++line) {
        tables[0].placements.emplace_back();
        tables[1].placements.emplace_back();
        for (std::uint8_t i = 0; i < 8; ++i) {
            tables[0].placements.back().push_back(static_cast<std::uint8_t>(8 * line + i));
            tables[1].placements.back().push_back(static_cast<std::uint8_t>(8 * i + line));
        }
    }
    tables[2].placements = {{0, 1, 8, 9}, {7, 6, 15, 14}, {56, 57, 48, 49}, {63, 62, 55, 54}};
    return tables;
}

// A network of them with random weights, for move ordering; `copies`: of each table.
inline OrderingNetwork random_network(int copies = 1) {
    std::vector<TupleTable> tables;
    for (int i = 0; i < copies; ++i) {
        const auto some = lines_and_corners();
        tables.insert(tables.end(), some.begin(), some.end());
    }
    Generator generator(11, 1);
    std::vector<double> weights(2 * weights_of_one_stage(tables));
    for (double& weight : weights) {
        weight = generator.uniform() - 0.5;
    }
    return {tables, weights, 2, std::array{1.0, 2.0}};
}

}  // namespace outflank::tests
