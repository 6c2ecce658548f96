// A teacher's examples: boards of games that the evaluator plays, labelled with disc differences.
//
// Boards with few empty squares are solved; others are searched to a fixed depth, so that a label
// is the evaluator's own judgement some plies later. If the evaluator has learned the end of games
// first, labels carry exact scores backwards, stage by stage.
#pragma once

#include <memory>

#include "evaluators/evaluator.hpp"
#include "playing/players.hpp"
#include "playing/playouts.hpp"

namespace outflank {

// A board, seen with the side that moved last as Black, and the disc difference that it should be
// worth to that side.
struct Example {
    Bits black = 0;
    Bits white = 0;
    float discs = 0;
};

struct LabelSettings {
    int random_plies = 0;  // each game opens with up to this many random moves
    double epsilon = 0.1;  // forced random moves
    int play_depth = 1;    // plies of minimax that choose the moves
    int depth = 1;         // plies of minimax that give the labels
    int solved = 0;        // labels are exact from this many empty squares
    // Which boards of a game are labelled, by the empty squares that are left.
    int fewest_empties = 0;
    int most_empties = 60;
    // The probability, at each move that is labelled, to label the board after another, random move
    // too: bad moves are rare in games, but every choice has to judge them.
    double side_moves = 0;
    std::uint64_t seed = 1;
    std::vector<Board> starts{START};
    // One is drawn for each game; the evaluator is Black in even games. Null, or none: it plays
    // both sides. Boards after moves of both sides are labelled.
    std::vector<std::shared_ptr<Player>> opponents;
};

// The examples of games first .. first + count - 1, in the order of games. They do not depend on
// the number of threads.
std::vector<Example> label_games(const std::shared_ptr<const Evaluator>& evaluator,
                                 const LabelSettings& settings, GameSpan games, int threads);

// What positions are worth to their movers, in discs, by the same search or solver.
std::vector<float> label_positions(const std::shared_ptr<const Evaluator>& evaluator, int depth,
                                   int solved, std::span<const Position> positions, int threads);

}  // namespace outflank
