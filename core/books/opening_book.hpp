// The opening book: positions with their negamax values, one entry for all eight symmetric images,
// in an open-addressing hash table that is read in place from a memory-mapped file.
//
// A book is a graph of positions (Buro, "Toward opening book learning", 1999). Every position also
// has its best deviation, the best move that leads out of the book, with its value from search. The
// value of a position is the best of its moves within the book and of its deviation.
//
// The file, little-endian: a BookHeader of 64 bytes, `slots` entries of 24 bytes, a note in UTF-8
// that says how the book was made.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "rules/position.hpp"

namespace outflank {

static_assert(std::endian::native == std::endian::little, "book files are little-endian");

inline constexpr int BOOK_UNITS_PER_DISC = 100;
inline constexpr std::uint32_t BOOK_VERSION = 1;

struct BookEntry {
    static constexpr std::int16_t NO_VALUE = -32768;
    // In place of a deviation's square where there is none.
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
    std::uint32_t longest_probe = 0;  // no entry is farther than this from its home slot
    std::uint32_t units_per_disc = BOOK_UNITS_PER_DISC;
    std::uint32_t plies = 0;  // how deep the book is meant to go
    std::uint32_t note_bytes = 0;
    std::uint64_t games = 0;  // added so far
    std::uint64_t body_checksum = 0;
    std::uint64_t header_checksum = 0;  // of the 56 bytes before it
};
static_assert(sizeof(BookHeader) == 64);

std::uint64_t checksum(std::span<const std::byte> bytes);

// The representative of a position's eight images, and the symmetry that leads to it.
struct CanonicalPosition {
    Position position;
    int symmetry = 0;
};
CanonicalPosition canonical(const Position& position);

// Where a symmetry's inverse takes a square.
int square_before(int square, int symmetry);

// A position after a move, as books store it: canonical, and after a pass if there must be one.
struct BookChild {
    Position position;
    int square = 0;
    int sign = -1;  // times the child's value: the value for the side that made the move
};
BookChild book_child(const Position& position, int square);

struct BookMove {
    int square = 0;
    float value_for_mover = 0;  // in discs
    bool is_deviation = false;
    std::uint32_t games = 0;  // that played it; none for a deviation
};

// A view of a hash table of entries; linear probing.
struct BookSlots {
    const std::byte* first = nullptr;
    std::uint32_t count = 0;
    std::uint32_t longest_probe = 0;

    BookEntry at(std::uint32_t slot) const;
    // Where probing for a canonical position begins.
    std::uint32_t home_of(const Position& position) const;
    // The slot of a canonical position, or `count`. Probes at most longest_probe + 1 slots.
    std::uint32_t slot_of(const Position& position) const;
    // The entry of a position in any orientation, turned to the position as given. Entries without
    // a value are not found.
    std::optional<BookEntry> find(const Position& position) const;
    // As OpeningBook::moves.
    int moves(const Position& position, Bits legal, std::span<BookMove> out) const;
};

// The children of a position; their slots are prefetched.
struct BookChildren {
    std::array<BookChild, 64> children;  // filled up to count
    std::size_t count = 0;

    BookChildren(const Position& position, Bits legal, const BookSlots& slots);
    const BookChild* begin() const { return children.data(); }
    const BookChild* end() const { return children.data() + count; }
};

// A book on bytes that the caller owns and that must outlive it. Look-ups allocate nothing and are
// safe from any number of threads.
class OpeningBook {
  public:
    // Throws std::invalid_argument if the bytes are not a complete book of this version; a file
    // name fits before the message.
    explicit OpeningBook(std::span<const std::byte> bytes);

    // Verifies the checksum of table and note: reads all bytes.
    bool is_intact() const;
    const BookHeader& header() const { return header_; }
    std::string_view note() const;
    std::vector<BookEntry> entries() const;

    // As BookSlots::find.
    std::optional<BookEntry> find(const Position& position) const { return slots_.find(position); }

    // The moves of a position that the book has a value for, best first, as many as fit `out`;
    // `legal` are the position's legal moves. These are the moves within the book and the
    // deviation, so the first has the value of the position itself.
    int moves(const Position& position, Bits legal, std::span<BookMove> out) const {
        return slots_.moves(position, legal, out);
    }

  private:
    BookHeader header_;
    BookSlots slots_;
    std::span<const std::byte> body_;
};

}  // namespace outflank
