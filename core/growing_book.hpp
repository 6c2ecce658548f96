// A book that grows: games are added, deviations judged elsewhere are set, values are propagated.
#pragma once

#include "opening_book.hpp"

namespace outflank {

class GrowingBook {
  public:
    // Books hold positions up to `plies` moves from the usual start, counted by discs.
    explicit GrowingBook(int plies) : plies_(plies) {}
    explicit GrowingBook(const OpeningBook& book);

    std::size_t size() const { return size_; }
    std::uint64_t games() const { return games_; }
    int plies() const { return plies_; }
    std::vector<BookEntry> entries() const;  // in the order of their discs
    void set_plies(int plies) { plies_ = plies; }

    // Adds the positions of a game up to plies(), its start's too, or counts the game where they
    // are known. Throws std::invalid_argument for a move that is not legal; then nothing is added.
    void add_game(const Board& start, std::span<const std::uint8_t> moves);
    // Leaves out the positions without a value that fewer games than this have reached.
    void drop_rare(std::uint32_t fewest_games);

    // Positions whose deviation is to be judged: fewest discs first, then in the order of discs.
    std::vector<Position> not_judged() const;
    // The legal moves that lead out of the book.
    Bits moves_out(const Position& position) const;
    // `square` is one of moves_out(position), or BookEntry::ALL_MOVES_IN_BOOK.
    void set_deviation(const Position& position, int square, double value_for_mover);

    // Negamax from the leaves to the root (Buro 1999). A deviation that has become a move of the
    // book is none any more: its position is to be judged again.
    void propagate();

    // As in OpeningBook.
    std::optional<BookEntry> find(const Position& position) const { return slots().find(position); }
    int moves(const Position& position, Bits legal, std::span<BookMove> out) const {
        return slots().moves(position, legal, out);
    }

    // The file: the same bytes for the same entries, whatever the order they came in.
    std::vector<std::byte> bytes(std::string_view note) const;

  private:
    BookSlots slots() const;
    BookEntry& added(const Position& position);
    void set_entries(std::span<const BookEntry> entries);
    void propagate_to(BookEntry& entry) const;

    int plies_;
    std::uint64_t games_ = 0;
    std::size_t size_ = 0;
    std::vector<BookEntry> table_ = std::vector<BookEntry>(2);  // never more than half full
};

}  // namespace outflank
