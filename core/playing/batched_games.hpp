// Thousands of games in step, for reinforcement learning: one move per game and step, and a game
// that is over is replaced by the next one at once.
//
// The rules and the draws are those of play_games: game number n draws only from stream(seed, n).
// Slot i of the batch plays the games i, i + size, i + 2 * size, ..., so a game depends neither on
// threads nor on how long other games last.
#pragma once

#include "playing/playouts.hpp"

namespace outflank {

// Where a batch writes what it looks like: the side to move in each game sees its own discs first.
struct BatchView {
    std::span<std::uint8_t> planes;      // [size, 2, 64]: discs of the mover, of its opponent
    std::span<std::uint8_t> masks;       // [size, 64]: legal moves
    std::span<std::uint8_t> black_turn;  // [size]: 1 if Black is to move
};

// What the moves of a step led to. The differences are zero for games that go on.
struct StepResults {
    std::span<std::uint8_t> over;
    std::span<std::int8_t> disc_differences;  // for the side that made the step's move
};

class BatchedGames {
  public:
    // With an opponent, moves are asked for the first player of the rules alone, and the opponent
    // answers within a step; without one, for both sides.
    BatchedGames(MatchRules rules, std::size_t size, std::shared_ptr<const Player> opponent);
    BatchedGames(const BatchedGames&) = delete;
    BatchedGames& operator=(const BatchedGames&) = delete;

    std::size_t size() const { return size_; }

    Position position(std::size_t slot) const { return slots_[slot].game.position; }

    // Plays one legal move in every game. Throws before the first move if any is not legal.
    void step(std::span<const std::uint8_t> squares, int threads, const StepResults& results,
              const BatchView& view);
    void observe(const BatchView& view) const;

    // A legal move for every game, drawn as the random player of a match draws it.
    void draw_moves(std::span<std::uint8_t> squares);

  private:
    struct Slot {
        OpenGame game;
        std::uint64_t number;
        Bits moves;
    };

    bool settle(Slot& slot, SeatedPlayer* opponent) const;
    void open(Slot& slot, std::uint64_t number, SeatedPlayer* opponent) const;
    void observe(std::size_t slot, const BatchView& view) const;
    void check(std::span<const std::uint8_t> squares) const;
    SeatedPlayer* seat(std::size_t number);

    MatchRules rules_;
    std::size_t size_;
    std::shared_ptr<const Player> opponent_;
    std::vector<std::unique_ptr<SeatedPlayer>> seats_;  // of the opponent, one per thread
    std::vector<Slot> slots_;
};

}  // namespace outflank
