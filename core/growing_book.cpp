#include "growing_book.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "epsilon_othello.hpp"

namespace outflank {
namespace {

constexpr int NO_MORE_MOVES = 64;  // a record ends at its end or at the first number from here on

bool comes_before(const BookEntry& a, const BookEntry& b) {
    return a.mover != b.mover ? a.mover < b.mover : a.opponent < b.opponent;
}

}  // namespace

GrowingBook::GrowingBook(const OpeningBook& book)
    : plies_(static_cast<int>(book.header().plies)),
      games_(book.header().games),
      entries_(book.entries()) {
    rehash(2 * entries_.size() + 64);
}

void GrowingBook::rehash(std::size_t slots) {
    indices_.assign(slots, NOWHERE);
    for (std::uint32_t i = 0; i < entries_.size(); ++i) {
        auto slot = home_slot(entries_[i].position(), static_cast<std::uint32_t>(slots));
        while (indices_[slot] != NOWHERE) {
            slot = slot + 1 == slots ? 0 : slot + 1;
        }
        indices_[slot] = i;
    }
}

std::uint32_t GrowingBook::index_of(const Position& wanted) const {
    if (indices_.empty()) {
        return NOWHERE;
    }
    const auto slots = static_cast<std::uint32_t>(indices_.size());
    for (std::uint32_t slot = home_slot(wanted, slots); indices_[slot] != NOWHERE;
         slot = slot + 1 == slots ? 0 : slot + 1) {
        if (entries_[indices_[slot]].position() == wanted) {
            return indices_[slot];
        }
    }
    return NOWHERE;
}

std::optional<BookEntry> GrowingBook::Entries::find(const Position& wanted) const {
    const std::uint32_t index = book.index_of(wanted);
    return index == NOWHERE ? std::nullopt : std::optional(book.entries_[index]);
}

BookEntry& GrowingBook::added(const Position& position) {
    const Position image = canonical(position).position;
    const std::uint32_t index = index_of(image);
    if (index != NOWHERE) {
        return entries_[index];
    }
    entries_.push_back({image.mover, image.opponent});
    if (2 * entries_.size() > indices_.size()) {
        rehash(4 * entries_.size() + 64);
    } else {
        const auto slots = static_cast<std::uint32_t>(indices_.size());
        std::uint32_t slot = home_slot(image, slots);
        while (indices_[slot] != NOWHERE) {
            slot = slot + 1 == slots ? 0 : slot + 1;
        }
        indices_[slot] = static_cast<std::uint32_t>(entries_.size() - 1);
    }
    return entries_.back();
}

void GrowingBook::add_game(const Board& start, std::span<const std::uint8_t> moves) {
    std::vector<Position> line;
    OpenGame game(start, 0, 0);
    Bits legal = game.settle();
    for (std::size_t ply = 0;; ++ply) {
        if (game.position.discs() <= plies_ + 4) {
            line.push_back(game.position);
        }
        if (ply == moves.size() || moves[ply] >= NO_MORE_MOVES) {
            break;
        }
        if ((legal & bit(moves[ply])) == 0) {
            throw std::invalid_argument("move " + std::to_string(ply + 1) + " is not legal");
        }
        game.play(game.choice(moves[ply]));
        legal = game.settle();
    }
    for (const Position& position : line) {
        BookEntry& entry = added(position);
        entry.count_game();
        if (position.moves() == 0) {
            entry.set_deviation(BookEntry::GAME_OVER, 0);
        }
    }
    ++games_;
}

void GrowingBook::drop_rare(std::uint32_t fewest_games) {
    std::erase_if(entries_, [=](const BookEntry& entry) {
        return !entry.has_value() && entry.games() < fewest_games;
    });
    rehash(2 * entries_.size() + 64);
}

std::vector<Position> GrowingBook::not_judged() const {
    std::vector<BookEntry> waiting;
    std::copy_if(entries_.begin(), entries_.end(), std::back_inserter(waiting),
                 [](const BookEntry& e) { return e.deviation() == BookEntry::NOT_JUDGED; });
    std::sort(waiting.begin(), waiting.end(), [](const BookEntry& a, const BookEntry& b) {
        const int discs = a.position().discs();
        const int others = b.position().discs();
        return discs != others ? discs < others : comes_before(a, b);
    });
    std::vector<Position> positions;
    for (const BookEntry& entry : waiting) {
        positions.push_back(entry.position());
    }
    return positions;
}

Bits GrowingBook::moves_out(const Position& position) const {
    Bits out = 0;
    for (Bits rest = position.moves(); rest != 0; rest = without_lowest(rest)) {
        const int square = lowest_square(rest);
        const Position child = book_child(position, square).position;
        out |= index_of(canonical(child).position) == NOWHERE ? bit(square) : 0;
    }
    return out;
}

void GrowingBook::set_deviation(const Position& position, int square, double value_for_mover) {
    const auto [image, symmetry] = canonical(position);
    const std::uint32_t index = index_of(image);
    const bool is_out = square >= 0 && square < 64 && (moves_out(position) & bit(square)) != 0;
    if (index == NOWHERE || (!is_out && square != BookEntry::ALL_MOVES_IN_BOOK)) {
        throw std::invalid_argument("a deviation is a legal move of a book's position out of it");
    }
    const double most = 64.0;  // discs: no game ends with a larger difference
    const double value = std::clamp(value_for_mover, -most, most) * BOOK_UNITS_PER_DISC;
    const int there = is_out ? lowest_square(symmetric(bit(square), symmetry)) : square;
    entries_[index].set_deviation(there, static_cast<int>(std::lround(value)));
}

void GrowingBook::propagate_to(BookEntry& entry) const {
    const Position position = entry.position();
    if (entry.deviation() == BookEntry::GAME_OVER) {
        entry.value =
            static_cast<std::int16_t>(BOOK_UNITS_PER_DISC * position.disc_difference_for_mover());
        return;
    }
    int best = BookEntry::NO_VALUE;
    for (Bits rest = position.moves(); rest != 0; rest = without_lowest(rest)) {
        const int square = lowest_square(rest);
        const BookChild child = book_child(position, square);
        const std::uint32_t index = index_of(canonical(child.position).position);
        if (index != NOWHERE) {
            if (square == entry.deviation()) {
                entry.set_deviation(BookEntry::NOT_JUDGED, 0);
            }
            if (entries_[index].has_value()) {
                best = std::max(best, child.sign * entries_[index].value);
            }
        }
    }
    if (entry.has_deviation()) {
        best = std::max(best, int{entry.deviation_value});
    }
    entry.value = static_cast<std::int16_t>(best);
}

void GrowingBook::propagate() {
    std::vector<std::uint32_t> order(entries_.size());
    std::vector<std::uint8_t> discs(entries_.size());
    for (std::uint32_t i = 0; i < entries_.size(); ++i) {
        order[i] = i;
        discs[i] = static_cast<std::uint8_t>(entries_[i].position().discs());
    }
    // Every move adds a disc, so children come before their parents.
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return discs[a] > discs[b]; });
    for (const std::uint32_t index : order) {
        propagate_to(entries_[index]);
    }
}

std::optional<BookEntry> GrowingBook::find(const Position& position) const {
    return found_as_given(position, Entries{*this});
}

int GrowingBook::moves(const Position& position, Bits legal, std::span<BookMove> out) const {
    return book_moves(position, legal, Entries{*this}, out);
}

std::vector<std::byte> GrowingBook::bytes(std::string_view note) const {
    // A load of two thirds: short probes, and absent positions are told after a few.
    const std::size_t slots = entries_.size() + entries_.size() / 2 + 2;
    if (slots > 0xFFFFFFFFULL || note.size() > 0xFFFFFFFFULL) {
        throw std::invalid_argument("the book is too large for its format");
    }
    BookHeader header;
    header.entries = static_cast<std::uint32_t>(entries_.size());
    header.slots = static_cast<std::uint32_t>(slots);
    header.plies = static_cast<std::uint32_t>(plies_);
    header.note_bytes = static_cast<std::uint32_t>(note.size());
    header.games = games_;

    std::vector<BookEntry> sorted = entries_;
    std::sort(sorted.begin(), sorted.end(), comes_before);
    std::vector<BookEntry> table(slots);
    for (const BookEntry& entry : sorted) {
        std::uint32_t slot = home_slot(entry.position(), header.slots);
        std::uint32_t probe = 0;
        for (; !table[slot].is_empty(); ++probe) {
            slot = slot + 1 == header.slots ? 0 : slot + 1;
        }
        table[slot] = entry;
        header.longest_probe = std::max(header.longest_probe, probe);
    }

    std::vector<std::byte> file(sizeof header + slots * sizeof(BookEntry) + note.size());
    const std::span body = std::span(file).subspan(sizeof header);
    std::memcpy(body.data(), table.data(), slots * sizeof(BookEntry));
    std::memcpy(body.last(note.size()).data(), note.data(), note.size());
    header.body_checksum = checksum(body);
    std::memcpy(file.data(), &header, sizeof header);
    header.header_checksum = checksum(std::span(file).first(offsetof(BookHeader, header_checksum)));
    std::memcpy(file.data(), &header, sizeof header);
    return file;
}

}  // namespace outflank
