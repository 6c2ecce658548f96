#include "books/opening_book.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "support/errors.hpp"
#include "support/random.hpp"

namespace outflank {
namespace {

template <class T>
T loaded(const std::byte* from) {  // bytes of a file need not be aligned
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

// symmetric(b, 0..7) with one transposition: transposing turns columns into rows.
std::array<Bits, 8> all_images(Bits b) {
    const Bits columns = flip_columns(b);
    const Bits turned = transpose(b);
    const Bits turned_columns = flip_columns(turned);
    return {b,      columns,           flip_rows(b),   flip_rows(columns),
            turned, flip_rows(turned), turned_columns, flip_rows(turned_columns)};
}

BookHeader checked_header(std::span<const std::byte> bytes) {
    if (bytes.size() < sizeof(BookHeader::MAGIC) ||
        loaded<std::array<char, 8>>(bytes.data()) != BookHeader::MAGIC) {
        fail("is not an opening book");
    }
    if (bytes.size() < sizeof(BookHeader)) {
        fail("is an opening book cut short within its header; make it again or take a copy");
    }
    const auto header = loaded<BookHeader>(bytes.data());
    if (header.byte_order != BookHeader::BYTE_ORDER_MARK) {
        fail("is an opening book in another byte order; books are little-endian");
    }
    if (header.version != BOOK_VERSION) {
        fail("is an opening book of version " + std::to_string(header.version) +
             ", but this outflank reads version " + std::to_string(BOOK_VERSION));
    }
    const std::uint64_t size =
        sizeof(BookHeader) + std::uint64_t{header.slots} * sizeof(BookEntry) + header.note_bytes;
    if (header.header_checksum != checksum(bytes.first(offsetof(BookHeader, header_checksum)))) {
        fail("is an opening book with a damaged header; make it again or take a copy");
    }
    if (bytes.size() != size) {
        fail("is an opening book of " + std::to_string(size) + " bytes, but the file has " +
             std::to_string(bytes.size()) + "; it may have been cut short");
    }
    if (header.units_per_disc != BOOK_UNITS_PER_DISC || header.entries >= header.slots ||
        header.longest_probe >= header.slots || header.plies > 60) {
        fail("is an opening book whose header contradicts itself; make it again");
    }
    return header;
}

}  // namespace

std::uint64_t checksum(std::span<const std::byte> bytes) {
    constexpr std::size_t LANES = 4;  // independent, so that the multiplications overlap
    std::array<std::uint64_t, LANES> lanes{1, 2, 3, 4};
    const std::size_t blocks = bytes.size() / (8 * LANES);
    for (std::size_t i = 0; i < blocks; ++i) {
        for (std::size_t lane = 0; lane < LANES; ++lane) {
            const auto word = loaded<std::uint64_t>(bytes.data() + 8 * (LANES * i + lane));
            lanes[lane] = std::rotl((lanes[lane] ^ word) * 0x9E3779B97F4A7C15ULL, 29);
        }
    }
    std::uint64_t sum = bytes.size();
    for (const std::uint64_t lane : lanes) {
        sum = finalise(sum ^ lane);
    }
    for (const std::byte byte : bytes.subspan(blocks * 8 * LANES)) {
        sum = finalise(sum ^ std::to_integer<std::uint64_t>(byte));
    }
    return sum;
}

CanonicalPosition canonical(const Position& position) {
    const std::array<Bits, 8> images = all_images(position.mover);
    std::size_t least = 0;
    for (std::size_t symmetry = 1; symmetry < 8; ++symmetry) {
        least = images[symmetry] < images[least] ? symmetry : least;
    }
    CanonicalPosition best{{images[least], symmetric(position.opponent, static_cast<int>(least))},
                           static_cast<int>(least)};
    for (std::size_t symmetry = least + 1; symmetry < 8; ++symmetry) {
        if (images[symmetry] == images[least]) [[unlikely]] {  // the mover's discs are symmetric
            const Bits opponent = symmetric(position.opponent, static_cast<int>(symmetry));
            if (opponent < best.position.opponent) {
                best = {{images[least], opponent}, static_cast<int>(symmetry)};
            }
        }
    }
    return best;
}

int square_before(int square, int symmetry) {
    // Undone in reverse order: first the transposition, then the flips; each is its own inverse.
    Bits b = bit(square);
    b = (symmetry & 4) != 0 ? transpose(b) : b;
    return lowest_square(symmetric(b, symmetry & 3));
}

BookChild book_child(const Position& position, int square) {
    const Position next = position.play(square);
    if (next.moves() == 0) [[unlikely]] {
        const Position passed = next.pass();
        if (passed.moves() != 0) {
            return {canonical(passed).position, square, 1};
        }
    }
    return {canonical(next).position, square, -1};
}

BookEntry BookSlots::at(std::uint32_t slot) const {
    return loaded<BookEntry>(first + std::size_t{slot} * sizeof(BookEntry));
}

std::uint32_t BookSlots::home_of(const Position& position) const {
    const std::uint64_t hash =
        finalise(position.mover * 0x9E3779B97F4A7C15ULL + std::rotl(position.opponent, 32));
    return static_cast<std::uint32_t>(((hash >> 32) * count) >> 32);
}

std::uint32_t BookSlots::slot_of(const Position& position) const {
    std::uint32_t slot = home_of(position);
    for (std::uint32_t probe = 0; probe <= longest_probe; ++probe) {
        const auto there = loaded<Position>(first + std::size_t{slot} * sizeof(BookEntry));
        if (there == position) {
            return slot;
        }
        if ((there.mover | there.opponent) == 0) {
            break;
        }
        slot = slot + 1 == count ? 0 : slot + 1;
    }
    return count;
}

std::optional<BookEntry> BookSlots::find(const Position& position) const {
    const auto [image, symmetry] = canonical(position);
    const std::uint32_t slot = slot_of(image);
    if (slot == count || !at(slot).has_value()) {
        return std::nullopt;
    }
    BookEntry entry = at(slot);
    entry.mover = position.mover;
    entry.opponent = position.opponent;
    if (entry.has_deviation()) {
        entry.set_deviation(square_before(entry.deviation(), symmetry), entry.deviation_value);
    }
    return entry;
}

BookChildren::BookChildren(const Position& position, Bits legal, const BookSlots& slots) {
    for (Bits rest = legal; rest != 0; rest = without_lowest(rest)) {
        const BookChild child = book_child(position, lowest_square(rest));
#if defined(__GNUC__)
        __builtin_prefetch(slots.first +
                           std::size_t{slots.home_of(child.position)} * sizeof(BookEntry));
#endif
        children[count++] = child;
    }
}

int BookSlots::moves(const Position& position, Bits legal, std::span<BookMove> out) const {
    const std::optional<BookEntry> here = find(position);
    if (!here) {
        return 0;
    }
    std::size_t listed = 0;
    const auto insert = [&](const BookMove& move) {
        std::size_t at = listed < out.size() ? listed++ : listed;
        for (; at > 0 && out[at - 1].value_for_mover < move.value_for_mover; --at) {
            if (at < listed) {
                out[at] = out[at - 1];
            }
        }
        if (at < listed) {
            out[at] = move;
        }
    };
    for (const BookChild& child : BookChildren(position, legal, *this)) {
        const std::uint32_t slot = slot_of(child.position);
        if (slot != count && at(slot).has_value()) {
            const BookEntry entry = at(slot);
            insert({child.square, in_discs(child.sign * entry.value), false, entry.games()});
        } else if (child.square == here->deviation()) {
            insert({child.square, in_discs(here->deviation_value), true, 0});
        }
    }
    return static_cast<int>(listed);
}

OpeningBook::OpeningBook(std::span<const std::byte> bytes)
    : header_(checked_header(bytes)),
      slots_{bytes.data() + sizeof(BookHeader), header_.slots, header_.longest_probe},
      body_(bytes.subspan(sizeof(BookHeader))) {}

bool OpeningBook::is_intact() const { return checksum(body_) == header_.body_checksum; }

std::string_view OpeningBook::note() const {
    const auto bytes = body_.last(header_.note_bytes);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<BookEntry> OpeningBook::entries() const {
    std::vector<BookEntry> filled;
    for (std::uint32_t slot = 0; slot < slots_.count; ++slot) {
        if (!slots_.at(slot).is_empty()) {
            filled.push_back(slots_.at(slot));
        }
    }
    return filled;
}

}  // namespace outflank
