#include "books/growing_book.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "rules/epsilon_othello.hpp"
#include "support/errors.hpp"

namespace outflank {
namespace {

constexpr int NO_MORE_MOVES = 64;  // from this number on, an entry ends its record

bool comes_before(const BookEntry& a, const BookEntry& b) {
    return a.mover != b.mover ? a.mover < b.mover : a.opponent < b.opponent;
}

struct Table {
    std::vector<BookEntry> slots;
    std::uint32_t longest_probe = 0;
};

Table table_of(std::span<const BookEntry> entries, std::size_t count) {
    if (count > 0xFFFFFFFFULL) {
        fail("a book cannot have so many positions");
    }
    Table table{std::vector<BookEntry>(count)};
    const BookSlots slots{nullptr, static_cast<std::uint32_t>(count), 0};
    for (const BookEntry& entry : entries) {
        std::uint32_t slot = slots.home_of(entry.position());
        std::uint32_t probe = 0;
        for (; !table.slots[slot].is_empty(); ++probe) {
            slot = slot + 1 == count ? 0 : slot + 1;
        }
        table.slots[slot] = entry;
        table.longest_probe = std::max(table.longest_probe, probe);
    }
    return table;
}

}  // namespace

GrowingBook::GrowingBook(const OpeningBook& book)
    : plies_(static_cast<int>(book.header().plies)), games_(book.header().games) {
    set_entries(book.entries());
}

BookSlots GrowingBook::slots() const {
    const auto count = static_cast<std::uint32_t>(table_.size());
    return {std::as_bytes(std::span(table_)).data(), count, count - 1};
}

// A table four times as large as its entries, so that it need not grow again soon.
void GrowingBook::set_entries(std::span<const BookEntry> entries) {
    size_ = entries.size();
    table_ = table_of(entries, 4 * entries.size() + 64).slots;
}

std::vector<BookEntry> GrowingBook::entries() const {
    std::vector<BookEntry> filled;
    std::copy_if(table_.begin(), table_.end(), std::back_inserter(filled),
                 [](const BookEntry& entry) { return !entry.is_empty(); });
    std::sort(filled.begin(), filled.end(), comes_before);
    return filled;
}

BookEntry& GrowingBook::added(const Position& position) {
    const Position image = canonical(position).position;
    const std::uint32_t found = slots().slot_of(image);
    if (found != table_.size()) {
        return table_[found];
    }
    if (2 * (size_ + 1) > table_.size()) {
        set_entries(entries());
    }
    std::uint32_t slot = slots().home_of(image);
    while (!table_[slot].is_empty()) {
        slot = slot + 1 == table_.size() ? 0 : slot + 1;
    }
    ++size_;
    return table_[slot] = {image.mover, image.opponent};
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
            fail("move " + std::to_string(ply + 1) + " is not legal");
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
    std::vector<BookEntry> kept = entries();
    std::erase_if(kept, [=](const BookEntry& entry) {
        return !entry.has_value() && entry.games() < fewest_games;
    });
    set_entries(kept);
}

std::vector<Position> GrowingBook::not_judged() const {
    std::vector<Position> waiting;
    for (const BookEntry& entry : entries()) {
        if (entry.deviation() == BookEntry::NOT_JUDGED) {
            waiting.push_back(entry.position());
        }
    }
    std::stable_sort(waiting.begin(), waiting.end(),
                     [](const Position& a, const Position& b) { return a.discs() < b.discs(); });
    return waiting;
}

Bits GrowingBook::moves_out(const Position& position) const {
    Bits out = 0;
    for (const BookChild& child : BookChildren(position, position.moves(), slots())) {
        out |= slots().slot_of(child.position) == table_.size() ? bit(child.square) : 0;
    }
    return out;
}

void GrowingBook::set_deviation(const Position& position, int square, double value_for_mover) {
    const auto [image, symmetry] = canonical(position);
    const std::uint32_t slot = slots().slot_of(image);
    const bool is_out = square >= 0 && square < 64 && (moves_out(position) & bit(square)) != 0;
    if (slot == table_.size() || (!is_out && square != BookEntry::ALL_MOVES_IN_BOOK)) {
        fail("a deviation is a legal move of a book's position out of it");
    }
    const double most = 64.0;  // discs: no game ends with a larger difference
    const double value = std::clamp(value_for_mover, -most, most) * BOOK_UNITS_PER_DISC;
    const int there = is_out ? lowest_square(symmetric(bit(square), symmetry)) : square;
    table_[slot].set_deviation(there, static_cast<int>(std::lround(value)));
}

void GrowingBook::propagate_to(BookEntry& entry) const {
    const Position position = entry.position();
    if (entry.deviation() == BookEntry::GAME_OVER) {
        entry.value =
            static_cast<std::int16_t>(BOOK_UNITS_PER_DISC * position.disc_difference_for_mover());
        return;
    }
    int best = BookEntry::NO_VALUE;
    for (const BookChild& child : BookChildren(position, position.moves(), slots())) {
        const std::uint32_t slot = slots().slot_of(child.position);
        if (slot == table_.size()) {
            continue;
        }
        if (child.square == entry.deviation()) {
            entry.set_deviation(BookEntry::NOT_JUDGED, 0);
        }
        if (table_[slot].has_value()) {
            best = std::max(best, child.sign * table_[slot].value);
        }
    }
    if (entry.has_deviation()) {
        best = std::max(best, int{entry.deviation_value});
    }
    entry.value = static_cast<std::int16_t>(best);
}

void GrowingBook::propagate() {
    std::array<std::vector<std::uint32_t>, 65> slots_by_discs;
    for (std::uint32_t slot = 0; slot < table_.size(); ++slot) {
        if (!table_[slot].is_empty()) {
            const int discs = table_[slot].position().discs();
            slots_by_discs[static_cast<std::size_t>(discs)].push_back(slot);
        }
    }
    // Every move adds a disc, so children are done before their parents.
    for (auto discs = slots_by_discs.rbegin(); discs != slots_by_discs.rend(); ++discs) {
        for (const std::uint32_t slot : *discs) {
            propagate_to(table_[slot]);
        }
    }
}

std::vector<std::byte> GrowingBook::bytes(std::string_view note) const {
    // A load factor of two thirds keeps probes short, also for positions that are not there.
    const Table table = table_of(entries(), size_ + size_ / 2 + 2);
    if (note.size() > 0xFFFFFFFFULL) {
        fail("the note is too long for a book");
    }
    BookHeader header;
    header.entries = static_cast<std::uint32_t>(size_);
    header.slots = static_cast<std::uint32_t>(table.slots.size());
    header.longest_probe = table.longest_probe;
    header.plies = static_cast<std::uint32_t>(plies_);
    header.note_bytes = static_cast<std::uint32_t>(note.size());
    header.games = games_;

    const std::span entries_as_bytes = std::as_bytes(std::span(table.slots));
    std::vector<std::byte> file(sizeof header + entries_as_bytes.size() + note.size());
    const std::span body = std::span(file).subspan(sizeof header);
    std::copy(entries_as_bytes.begin(), entries_as_bytes.end(), body.begin());
    const std::span note_as_bytes = std::as_bytes(std::span(note));
    std::copy(note_as_bytes.begin(), note_as_bytes.end(), body.last(note.size()).begin());
    header.body_checksum = checksum(body);
    std::memcpy(file.data(), &header, sizeof header);
    header.header_checksum = checksum(std::span(file).first(offsetof(BookHeader, header_checksum)));
    std::memcpy(file.data(), &header, sizeof header);
    return file;
}

}  // namespace outflank
