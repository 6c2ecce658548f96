// Which slots of a network a move changes: about a third of them, so that the others need not be
// looked up again.
#pragma once

#include "evaluators/ntuple_network.hpp"

namespace outflank {

// A set of slots for each square: those that read it.
class ChangedSlots {
  public:
    explicit ChangedSlots(const Slots& slots)
        : words_((static_cast<std::size_t>(slots.width) + 63) / 64), readers_(65 * words_, 0) {
        const auto width = static_cast<std::size_t>(slots.width);
        for (std::size_t square = 0; square < 64; ++square) {
            for (std::size_t k = 0; k < width; ++k) {
                readers_[square * words_ + k / 64] |= Bits{slots.steps[square * width + k] != 0}
                                                      << k % 64;
            }
        }
    }

    // Calls visit(word, set) for each 64 slots with the set of those that read the move's square or
    // a flipped one. WORDS: how many words a set has if that is known at compile time, else 0.
    template <std::size_t WORDS, class Visit>
    void for_each_word(int square, Bits flipped, Visit visit) const {
        const std::size_t words = WORDS > 0 ? WORDS : words_;
        std::array<const Bits*, 4> turned;
        for (const Bits*& readers : turned) {
            readers = readers_of(lowest_square(flipped), words);
            flipped = without_lowest(flipped);
        }
        for (std::size_t word = 0; word < words; ++word) {
            Bits changed = readers_of(square, words)[word];
            for (const Bits* readers : turned) {
                changed |= readers[word];
            }
            for (Bits rest = flipped; rest != 0; rest = without_lowest(rest)) [[unlikely]] {
                changed |= readers_of(lowest_square(rest), words)[word];
            }
            visit(word, changed);
        }
    }

    // Calls visit(k) for each of a set, and with 64 up to three times: a loop whose end is
    // mispredicted less often is worth it.
    template <class Visit>
    static void four_at_a_time(Bits set, Visit visit) {
        while (set != 0) {
            for (int i = 0; i < 4; ++i) {
                visit(static_cast<std::size_t>(lowest_square(set)));
                set = without_lowest(set);
            }
        }
    }

    std::size_t words() const { return words_; }
    std::size_t bytes() const { return readers_.size() * sizeof(Bits); }

  private:
    const Bits* readers_of(int square, std::size_t words) const {
        return readers_.data() + static_cast<std::size_t>(square) * words;
    }

    std::size_t words_;
    std::vector<Bits> readers_;  // [65][words]; row 64 is empty
};

}  // namespace outflank
