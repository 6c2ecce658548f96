// The opening book: positions with their negamax values, one entry for all eight symmetric images,
// in an open-addressing hash table that is looked up where it lies, in a memory-mapped file.
//
// A book is a graph of positions (Buro, "Toward opening book learning", 1999). Every position also
// knows its best deviation, the best move that leads out of the book, with its value from search;
// the value of a position is the best of its moves that stay in the book and of its deviation.
//
// The file, little-endian: a BookHeader of 64 bytes, `slots` entries of 24 bytes, a note in UTF-8
// that says how the book was made.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "position.hpp"

namespace outflank {

static_assert(std::endian::native == std::endian::little, "book files are little-endian");

inline constexpr int BOOK_UNITS_PER_DISC = 100;
inline constexpr std::uint32_t BOOK_VERSION = 1;

struct BookEntry {
    static constexpr std::int16_t NO_VALUE = -32768;
    // What stands in place of a deviation's square where there is none.
    static constexpr int ALL_MOVES_IN_BOOK = 64;
    static constexpr int NOT_JUDGED = 65;
    static constexpr int GAME_OVER = 66;
    static constexpr std::uint32_t MOST_GAMES = 0xFFFFFF;

    Bits mover = 0;  // an entry without discs is an empty slot
    Bits opponent = 0;
    std::int16_t value = NO_VALUE;  // for the mover, in hundredths of a disc
    std::int16_t deviation_value = 0;
    std::uint32_t games_and_deviation = NOT_JUDGED;  // the deviation in the low byte

    Position position() const { return {mover, opponent}; }
    bool is_empty() const { return (mover | opponent) == 0; }
    bool has_value() const { return value != NO_VALUE; }
    int deviation() const { return static_cast<int>(games_and_deviation & 0xFF); }
    bool has_deviation() const { return deviation() < 64; }
    std::uint32_t games() const { return games_and_deviation >> 8; }

    void set_deviation(int square, int deviation_value_for_mover) {
        deviation_value = static_cast<std::int16_t>(deviation_value_for_mover);
        games_and_deviation = (games() << 8) | static_cast<std::uint32_t>(square);
    }
    void count_game() { games_and_deviation += games() < MOST_GAMES ? 0x100U : 0U; }
};
static_assert(sizeof(BookEntry) == 24 && alignof(BookEntry) == 8);

constexpr float in_discs(int value) {
    return static_cast<float>(value) / static_cast<float>(BOOK_UNITS_PER_DISC);
}

struct BookHeader {
    static constexpr std::array<char, 8> MAGIC{'O', 'F', 'B', 'O', 'O', 'K', '\r', '\n'};
    static constexpr std::uint32_t BYTE_ORDER_MARK = 0x01020304;

    std::array<char, 8> magic = MAGIC;
    std::uint32_t byte_order = BYTE_ORDER_MARK;
    std::uint32_t version = BOOK_VERSION;
    std::uint32_t entries = 0;
    std::uint32_t slots = 0;
    std::uint32_t longest_probe = 0;  // no entry lies farther than this from its home slot
    std::uint32_t units_per_disc = BOOK_UNITS_PER_DISC;
    std::uint32_t plies = 0;  // how deep the book is meant to go
    std::uint32_t note_bytes = 0;
    std::uint64_t games = 0;  // played or imported so far
    std::uint64_t body_checksum = 0;
    std::uint64_t header_checksum = 0;  // of the 56 bytes before it
};
static_assert(sizeof(BookHeader) == 64);

std::uint64_t checksum(std::span<const std::byte> bytes);

// The image of a position that stands for all eight, and the symmetry that leads to it.
struct CanonicalPosition {
    Position position;
    int symmetry = 0;
};
CanonicalPosition canonical(const Position& position);

// Where a symmetry's inverse takes a square.
int square_before(int square, int symmetry);

// A position after a move: with a pass taken if the side to move must, so `sign` tells whose.
struct BookChild {
    Position position;
    int sign = -1;  // the child's value times this is the value for whoever made the move
    bool is_over = false;
};
BookChild book_child(const Position& position, int square);

struct BookMove {
    int square = 0;
    float value_for_mover = 0;  // in discs
    bool is_deviation = false;
    std::uint32_t games = 0;  // that went there; none for a deviation
};

// The slot where the search for a canonical position begins.
std::uint32_t home_slot(const Position& position, std::uint32_t slots);

// The entries of a file, where they lie; linear probing.
struct BookSlots {
    const std::byte* first = nullptr;
    std::uint32_t count = 0;
    std::uint32_t longest_probe = 0;

    // `wanted` must be canonical. Looks at no more than longest_probe + 1 slots.
    std::optional<BookEntry> find(const Position& wanted) const;
};

// What `entries.find` knows of a position in any orientation; the deviation's square is that of
// the position as given. Entries without a value are still to be judged: they are not found.
template <class Entries>
std::optional<BookEntry> found_as_given(const Position& position, const Entries& entries) {
    const auto [image, symmetry] = canonical(position);
    std::optional<BookEntry> entry = entries.find(image);
    if (!entry || !entry->has_value()) {
        return std::nullopt;
    }
    entry->mover = position.mover;
    entry->opponent = position.opponent;
    if (entry->has_deviation()) {
        entry->set_deviation(square_before(entry->deviation(), symmetry), entry->deviation_value);
    }
    return entry;
}

// The moves of a position that `entries` have a value for, best first, then by square.
template <class Entries>
int book_moves(const Position& position, Bits legal, const Entries& entries,
               std::span<BookMove> out) {
    const auto here = found_as_given(position, entries);
    if (!here) {
        return 0;
    }
    std::size_t count = 0;
    const auto insert = [&](const BookMove& move) {
        std::size_t at = count < out.size() ? count++ : count;
        for (; at > 0 && (out[at - 1].value_for_mover < move.value_for_mover); --at) {
            if (at < count) {
                out[at] = out[at - 1];
            }
        }
        if (at < count) {
            out[at] = move;
        }
    };
    for (Bits rest = legal; rest != 0; rest = without_lowest(rest)) {
        const int square = lowest_square(rest);
        const BookChild child = book_child(position, square);
        const auto entry = entries.find(canonical(child.position).position);
        if (entry && entry->has_value()) {
            insert({square, in_discs(child.sign * entry->value), false, entry->games()});
        } else if (square == here->deviation()) {
            insert({square, in_discs(here->deviation_value), true, 0});
        }
    }
    return static_cast<int>(count);
}

// A book of someone else's bytes, which must outlive it. Look-ups allocate nothing and may be made
// from any number of threads.
class OpeningBook {
  public:
    // Throws std::invalid_argument, with a sentence that a file's name can precede, if the bytes
    // are no whole book of this version.
    explicit OpeningBook(std::span<const std::byte> bytes);

    // Whether table and note are as they were written: reads all bytes.
    bool is_intact() const;
    const BookHeader& header() const { return header_; }
    std::string_view note() const;
    std::vector<BookEntry> entries() const;

    // What the book knows of a position; the deviation's square is that of the position as given.
    std::optional<BookEntry> find(const Position& position) const;

    // The moves of a position that the book has a value for, best first, as many as `out` has room
    // for; `legal` are the position's legal moves. They are the moves that stay in the book, and
    // the deviation, so the first has the value of the position itself.
    int moves(const Position& position, Bits legal, std::span<BookMove> out) const;

  private:
    BookHeader header_;
    BookSlots slots_;
    std::span<const std::byte> body_;
};

}  // namespace outflank
