// Bounds of positions with few empty squares, for one thread: small enough for its L2 cache. The
// shared table (search/transposition.hpp) is for subtrees that are worth a cache miss.
#pragma once

#include "search/transposition.hpp"
#include "support/aligned.hpp"

namespace outflank::endgame {

struct LocalBounds {
    std::int8_t lower = -64;
    std::int8_t upper = 64;
    std::uint8_t best = 64;  // 64: none
};

// Each position has one slot, and the last one stored keeps it. Entries count as empty in all
// searches but their own, as in the shared table.
class LocalTable {
  public:
    static constexpr int BITS = 12;  // 128 KB

    void next_search() {
        if (slots_.empty() || ++search_ == 0) {
            slots_ = AlignedVector<Slot>(std::size_t{1} << BITS);
            search_ = 1;
        }
    }
    // Where a position's bounds are kept, forgetting those of another position.
    LocalBounds& at(const Position& position) {
        Slot& slot = slots_[hash_of(position) >> (64 - BITS)];
        if (slot.position != position || slot.search != search_) {
            slot = {position, search_, {}};
        }
        return slot.known;
    }

    void prefetch(const Position& position) const {
        outflank::prefetch(&slots_[hash_of(position) >> (64 - BITS)]);
    }

  private:
    struct alignas(32) Slot {
        Position position;
        std::uint32_t search = 0;
        LocalBounds known;
    };
    std::uint32_t search_ = 0;
    AlignedVector<Slot> slots_;
};

}  // namespace outflank::endgame
