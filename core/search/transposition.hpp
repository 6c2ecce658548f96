// Transposition table: what a search has found out about positions, shared by all threads.
//
// Lock-free. A slot is a few 64-bit words written one by one; the position is stored XORed with a
// hash of the entry (Hyatt's lockless hashing), so a slot torn by two threads fails the comparison
// and counts as empty. An entry carries the number of its search and counts as empty in all others,
// so the result of a search does not depend on earlier ones.
#pragma once

#include <atomic>
#include <bit>
#include <climits>
#include <optional>

#include "rules/position.hpp"
#include "support/aligned.hpp"

namespace outflank {

inline std::uint64_t hash_of(const Position& position) {
    std::uint64_t h = position.mover * 0x9E3779B97F4A7C15ULL;
    h ^= std::rotl(position.opponent * 0xD1B54A32D192ED03ULL, 29);
    h ^= h >> 32;
    h *= 0xBF58476D1CE4E5B9ULL;
    return h ^ (h >> 29);
}

// Entry: a plain struct of whole 64-bit words with a member `std::uint16_t search`, which belongs
// to the table, and `int worth() const`: the entry worth least is replaced. A position may be in
// any of WAYS slots, the first of which has a multiple of STRIDE as its number: with 2 and 2 they
// share a cache line.
template <class Entry, std::size_t WAYS, std::size_t STRIDE>
class TranspositionTable {
    static constexpr std::size_t WORDS = sizeof(Entry) / 8;
    static_assert(sizeof(Entry) % 8 == 0 && std::is_trivially_copyable_v<Entry>);
    using Words = std::array<std::uint64_t, WORDS>;

    struct alignas(32) Slot {
        std::array<std::atomic<std::uint64_t>, 2 + WORDS> words;
    };
    struct Seen {
        Position position;
        Entry known;
    };

  public:
    // Room for at least 2^bits positions.
    explicit TranspositionTable(int bits)
        : mask_((std::size_t{1} << bits) - 1), slots_(mask_ + WAYS) {}

    // Forgets everything.
    void next_search() {
        if (++search_ == 0) {
            slots_ = AlignedVector<Slot>(slots_.size());
            search_ = 1;
        }
    }
    // As above, and from now on has room for 2^bits positions: a small search is faster in a part
    // of the table that fits a cache.
    void next_search(int bits) {
        mask_ = (std::size_t{1} << bits) - 1;
        if (mask_ + WAYS > slots_.size()) {
            slots_ = AlignedVector<Slot>();  // before the larger one is allocated
            slots_ = AlignedVector<Slot>(mask_ + WAYS);
        }
        next_search();
    }

    std::optional<Entry> find(const Position& position) const {
        const Slot* slot = &slots_[first_of(position)];
        for (std::size_t way = 0; way < WAYS; ++way) {
            const Seen seen = read(slot[way]);
            if (seen.position == position && seen.known.search == search_) {
                return seen.known;
            }
        }
        return std::nullopt;
    }

    // Replaces the entry of this position, or else the one worth least.
    void store(const Position& position, const Entry& known) {
        Slot* slot = &slots_[first_of(position)];
        Slot* chosen = slot;
        int least = INT_MAX;
        for (std::size_t way = 0; way < WAYS; ++way) {
            const Seen seen = read(slot[way]);
            if (seen.position == position && seen.known.search == search_) {
                chosen = slot + way;
                break;
            }
            const int worth = seen.known.search == search_ ? seen.known.worth() : -1;
            if (worth < least) {
                least = worth;
                chosen = slot + way;
            }
        }
        Seen stored{position, known};
        stored.known.search = search_;
        write(*chosen, stored);
    }

    void prefetch(const Position& position) const {
        outflank::prefetch(&slots_[first_of(position)]);
    }

  private:
    std::size_t first_of(const Position& position) const {
        return hash_of(position) & mask_ & ~(STRIDE - 1);
    }
    static std::uint64_t mixed(std::uint64_t x) {
        x ^= x >> 31;
        x *= 0x94D049BB133111EBULL;
        return x ^ (x >> 30);
    }
    static std::uint64_t mix_of(const Words& words) {
        std::uint64_t mix = 0;
        for (const std::uint64_t word : words) {
            mix = mixed(mix ^ word);
        }
        return mix;
    }
    static Seen read(const Slot& slot) {
        Words words;
        for (std::size_t i = 0; i < WORDS; ++i) {
            words[i] = slot.words[2 + i].load(std::memory_order_relaxed);
        }
        const std::uint64_t mix = mix_of(words);
        return {{slot.words[0].load(std::memory_order_relaxed) ^ mix,
                 slot.words[1].load(std::memory_order_relaxed) ^ std::rotl(mix, 32)},
                std::bit_cast<Entry>(words)};
    }
    static void write(Slot& slot, const Seen& seen) {
        const auto words = std::bit_cast<Words>(seen.known);
        const std::uint64_t mix = mix_of(words);
        slot.words[0].store(seen.position.mover ^ mix, std::memory_order_relaxed);
        slot.words[1].store(seen.position.opponent ^ std::rotl(mix, 32), std::memory_order_relaxed);
        for (std::size_t i = 0; i < WORDS; ++i) {
            slot.words[2 + i].store(words[i], std::memory_order_relaxed);
        }
    }

    std::size_t mask_;
    std::uint16_t search_ = 1;
    AlignedVector<Slot> slots_;
};

}  // namespace outflank
