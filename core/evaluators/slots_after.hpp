// The indices of a network's slots after each move from a board.
#pragma once

#include "evaluators/index_vectors.hpp"
#include "evaluators/ntuple_network.hpp"

namespace outflank {

// Calls visit(i, indices) for the first `count` moves. `seen` has read the board. WIDTH: the number
// of slots allotted if that is known at compile time, which lets the compiler unroll loops, else 0.
template <int WIDTH, class Visit>
void for_each_after(const Slots& slots, TableReader::Seen& seen, const Board& board,
                    const MoveList& moves, SeenAs seen_as, std::size_t count, Visit visit) {
    using Vector = IndexVector<Index>;
    const auto width = static_cast<std::size_t>(WIDTH > 0 ? WIDTH : slots.width);
    const bool as_white = seen_as == SeenAs::mover_is_white;
    const bool mirrored = (board.mover == Colour::white) != as_white;
    for (std::size_t from = 0; mirrored && from < width; from += Slots::LANES) {
        auto indices = Vector::load(slots.mirror.data() + from);
        indices -= Vector::load(seen.indices.data() + from);
        indices.store(seen.mirrored.data() + from);
    }
    const Index* before = mirrored ? seen.mirrored.data() : seen.indices.data();
    alignas(64) std::array<Index, std::max(WIDTH, 1)> on_stack;
    Index* after = WIDTH > 0 ? on_stack.data() : seen.after.data();
    for (std::size_t i = 0; i < count; ++i) {
        const MoveSteps<Index> move(slots.steps.data(), width, moves.squares[i], moves.flipped[i]);
        for (std::size_t from = 0; from < width; from += Slots::LANES) {
            auto indices = Vector::load(before + from);
            as_white ? indices -= move.at(from) : indices += move.at(from);
            indices.store(after + from);
        }
        write_to_memory(after);
        visit(i, after);
    }
}

}  // namespace outflank
