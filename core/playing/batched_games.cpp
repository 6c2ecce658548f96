#include "playing/batched_games.hpp"

#include <algorithm>
#include <string>

#include "support/threads.hpp"

namespace outflank {
namespace {

constexpr int MOST_EMPTY_GAMES = 10'000;  // in a row, in which the first player never has a choice
constexpr std::size_t SLOTS_PER_CHUNK = 256;

// The eight bits of a row as eight bytes, lowest bit first.
constexpr std::array<std::array<std::uint8_t, 8>, 256> rows_as_bytes() {
    std::array<std::array<std::uint8_t, 8>, 256> rows{};
    for (std::size_t row = 0; row < 256; ++row) {
        for (std::size_t column = 0; column < 8; ++column) {
            rows[row][column] = static_cast<std::uint8_t>(row >> column & 1);
        }
    }
    return rows;
}

constexpr auto ROWS_AS_BYTES = rows_as_bytes();

void write_plane(Bits set, std::uint8_t* plane) {
    for (int row = 0; row < 8; ++row) {
        const auto& bytes = ROWS_AS_BYTES[set >> 8 * row & 255];
        std::copy(bytes.begin(), bytes.end(), plane + std::ptrdiff_t{8} * row);
    }
}

int disc_difference_for(Colour colour, const OpenGame& game) {
    const int black = game.disc_difference_for_black();
    return colour == Colour::black ? black : -black;
}

}  // namespace

BatchedGames::BatchedGames(MatchRules rules, std::size_t size,
                           std::shared_ptr<const Player> opponent)
    : rules_(std::move(rules)), size_(size), opponent_(std::move(opponent)) {
    slots_.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
        slots_.push_back({rules_.open(i), i, 0});
        open(slots_.back(), i, seat(0));
    }
}

// The opponent as thread number n sees it.
SeatedPlayer* BatchedGames::seat(std::size_t number) {
    if (opponent_ == nullptr) {
        return nullptr;
    }
    while (seats_.size() <= number) {
        seats_.push_back(std::make_unique<SeatedPlayer>(*opponent_));
    }
    return seats_[number].get();
}

// Passes, forced random moves and the opponent's moves, until the game waits for a move (true) or
// is over (false).
bool BatchedGames::settle(Slot& slot, SeatedPlayer* opponent) const {
    OpenGame& game = slot.game;
    for (;;) {
        slot.moves = game.settle();
        if (slot.moves == 0) {
            return false;
        }
        const std::size_t turn = rules_.turn(slot.number, game.mover);
        if (is_forced(game.generator, rules_.epsilon[turn])) {
            game.play(game.random_choice(slot.moves));
        } else if (opponent != nullptr && turn == 1) {
            game.play(opponent->choose(game, slot.moves));
        } else {
            return true;
        }
    }
}

// Opens a game; if it ends without a choice of the first player, the slot's next one.
void BatchedGames::open(Slot& slot, std::uint64_t number, SeatedPlayer* opponent) const {
    for (int tries = 0; tries < MOST_EMPTY_GAMES; ++tries) {
        slot.number = number + static_cast<std::uint64_t>(tries) * size_;
        slot.game = rules_.open(slot.number);
        if (settle(slot, opponent)) {
            return;
        }
    }
    fail("no game from these starts comes to a move that can be chosen");
}

void BatchedGames::check(std::span<const std::uint8_t> squares) const {
    if (squares.size() != slots_.size()) {
        fail("there must be one action for each game: " + std::to_string(slots_.size()));
    }
    for (std::size_t i = 0; i < squares.size(); ++i) {
        if (squares[i] > 63 || (slots_[i].moves & bit(squares[i])) == 0) {
            fail("action " + std::to_string(squares[i]) + " in game " + std::to_string(i) +
                 " is not a legal move");
        }
    }
}

void BatchedGames::step(std::span<const std::uint8_t> squares, int threads,
                        const StepResults& results, const BatchView& view) {
    check(squares);
    for (int i = 0; i < threads; ++i) {
        seat(static_cast<std::size_t>(i));
    }
    std::atomic<std::size_t> next_seat{0};
    share_work(slots_.size(), SLOTS_PER_CHUNK, threads, [&] {
        SeatedPlayer* opponent = opponent_ == nullptr ? nullptr : seats_[next_seat++].get();
        return [&, opponent](std::size_t i) {
            Slot& slot = slots_[i];
            const Colour moved = slot.game.mover;
            slot.game.play(slot.game.choice(squares[i]));
            const bool over = !settle(slot, opponent);
            results.over[i] = over ? 1 : 0;
            results.disc_differences[i] =
                over ? static_cast<std::int8_t>(disc_difference_for(moved, slot.game))
                     : std::int8_t{0};
            if (over) {
                open(slot, slot.number + size_, opponent);
            }
            observe(i, view);
        };
    });
}

void BatchedGames::observe(std::size_t slot, const BatchView& view) const {
    const Slot& seen = slots_[slot];
    write_plane(seen.game.position.mover, view.planes.data() + 128 * slot);
    write_plane(seen.game.position.opponent, view.planes.data() + 128 * slot + 64);
    write_plane(seen.moves, view.masks.data() + 64 * slot);
    view.black_turn[slot] = seen.game.mover == Colour::black ? 1 : 0;
}

void BatchedGames::observe(const BatchView& view) const {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        observe(i, view);
    }
}

void BatchedGames::draw_moves(std::span<std::uint8_t> squares) {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        squares[i] =
            static_cast<std::uint8_t>(slots_[i].game.random_choice(slots_[i].moves).square);
    }
}

}  // namespace outflank
