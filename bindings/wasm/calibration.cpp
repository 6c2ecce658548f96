// What a unit of a player's value is worth in discs: the results of games that it plays with
// itself, with some random moves, regressed on its values, by stage of the game. For players that
// come without a tuning; the same numbers every time.
#include <cmath>

#include "instance.hpp"
#include "playing/one_ply.hpp"

namespace outflank::wasm {
namespace {

constexpr int STAGES = 4;  // as in src/outflank/players/search_tuning.py
constexpr double RANDOM_MOVES = 0.15;

struct Sums {
    double products = 0;
    double squares = 0;
    double count = 0;

    // At least so much that a typical value is worth half a disc: better values stay better.
    double discs_per_unit() const {
        return squares > 0 ? std::max(products / squares, 0.5 / std::sqrt(squares / count)) : 1;
    }
};

struct SeenValue {
    int discs = 0;
    double value_for_black = 0;
};

// Values of the moves played, seen by Black.
std::vector<SeenValue> play(OpenGame& game, OnePly& one_ply) {
    std::vector<SeenValue> seen;
    for (Bits legal = game.settle(); legal != 0; legal = game.settle()) {
        const MoveList moves(game.position, legal);
        MoveValues values(moves.count);
        one_ply.judge(game.board(), moves, values.span());
        const auto chosen = static_cast<std::size_t>(is_forced(game.generator, RANDOM_MOVES)
                                                         ? game.generator.below(moves.count)
                                                         : game.best_of(values.span()));
        const double value = values.values[chosen];
        seen.push_back({game.position.discs(), game.mover == Colour::black ? value : -value});
        game.play({moves.squares[chosen], moves.flipped[chosen]});
    }
    return seen;
}

}  // namespace

// Discs per unit of value, by stage.
OUTFLANK_EXPORT(calibrate)
std::size_t calibrate(int games) {
    Instance& here = instance();
    require(!here.judgement.is_random(), "no player is loaded");
    std::array<Sums, STAGES> stages;
    OnePly one_ply(here.judgement);
    for (int number = 0; number < games; ++number) {
        OpenGame game(START, 1, static_cast<std::uint64_t>(number));
        const auto seen = play(game, one_ply);
        const double result = game.disc_difference_for_black();
        for (const auto& [discs, value] : seen) {
            Sums& sums = stages[static_cast<std::size_t>(stage_of(discs, STAGES))];
            sums.products += value * result;
            sums.squares += value * value;
            sums.count += 1;
        }
    }
    here.results.clear();
    for (const Sums& sums : stages) {
        here.results.push_back(sums.discs_per_unit());
    }
    return here.results.size();
}

}  // namespace outflank::wasm
