// Many games played in step, for players outside the core (a Python function, a neural network on
// another device, an engine process): one call covers thousands of positions.
//
// The rules and the draws are those of play_games, so the same seed gives the same games.
#pragma once

#include "playing/afterstates.hpp"
#include "playing/playouts.hpp"

namespace outflank {

class GamesInStep {
  public:
    GamesInStep(MatchRules rules, GameSpan games, bool record);
    GamesInStep(const GamesInStep&) = delete;
    GamesInStep& operator=(const GamesInStep&) = delete;

    bool over() const { return live_.empty(); }
    std::size_t games_over() const { return disc_differences_.size() - live_.size(); }

    // Gathers the games that wait for player 0 (first) or 1 (second). Passes and forced random
    // moves are played already: each game waits for a player's own choice.
    void gather(std::size_t turn);
    std::size_t waiting() const { return waiting_.size(); }

    // The boards of the gathered games, and all boards one move later, game after game.
    std::vector<Board> waiting_boards() const;
    Afterstates afterstates() const;

    // Answers for the gathered games: a value for the mover per afterstate, one square per game, or
    // a core player that chooses.
    void answer_values(std::span<const double> values);
    void answer_squares(std::span<const std::uint8_t> squares);
    void answer_by(const std::shared_ptr<const Player>& player);

    std::span<const std::int8_t> disc_differences() const { return disc_differences_; }
    std::span<const std::uint8_t> moves() const { return moves_; }

  private:
    struct LiveGame {
        std::uint64_t number;
        OpenGame game;
        Bits moves;
        std::size_t ply;
    };

    bool settle(LiveGame& live);
    void play(LiveGame& live, const Choice& choice);

    MatchRules rules_;
    GameSpan games_;
    bool record_;
    std::vector<LiveGame> live_;
    std::vector<std::size_t> waiting_;  // indices into live_
    std::vector<std::int8_t> disc_differences_;
    std::vector<std::uint8_t> moves_;

    struct Seat {
        std::shared_ptr<const Player> player;
        std::unique_ptr<SeatedPlayer> seated;
    };
    std::vector<Seat> seats_;  // of the core players that were asked
};

}  // namespace outflank
