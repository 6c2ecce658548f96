// A book under construction: games are added, deviations are set to values from search elsewhere,
// values are propagated.
#pragma once

#include "books/opening_book.hpp"

namespace outflank {

class GrowingBook {
  public:
    // Holds positions up to `plies` moves from the standard start, counted by discs.
    explicit GrowingBook(int plies) : plies_(plies) {}
    explicit GrowingBook(const OpeningBook& book);

    std::size_t size() const { return size_; }
    std::uint64_t games() const { return games_; }
    int plies() const { return plies_; }
    std::vector<BookEntry> entries() const;  // ordered by mover's, then opponent's discs
    void set_plies(int plies) { plies_ = plies; }

    // Adds the positions of a game up to plies(), including its start, or counts the game in those
    // that exist. Throws std::invalid_argument for an illegal move, and then adds nothing.
    void add_game(const Board& start, std::span<const std::uint8_t> moves);
    // Removes the positions without a value that fewer games than this have reached.
    void drop_rare(std::uint32_t fewest_games);

    // Positions whose deviation is not known yet: fewest discs first, then in the order of
    // entries().
    std::vector<Position> not_judged() const;
    // The legal moves that lead out of the book.
    Bits moves_out(const Position& position) const;
    // `square` is one of moves_out(position), or BookEntry::ALL_MOVES_IN_BOOK.
    void set_deviation(const Position& position, int square, double value_for_mover);

    // Negamax from the leaves to the root (Buro 1999). Where a deviation has become a move within
    // the book, the position has to be judged again.
    void propagate();

    // As in OpeningBook.
    std::optional<BookEntry> find(const Position& position) const { return slots().find(position); }
    int moves(const Position& position, Bits legal, std::span<BookMove> out) const {
        return slots().moves(position, legal, out);
    }

    // The file: the same bytes for the same entries, in whatever order they were added.
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
