// Recorded games, replayed.
#include "../core/replay.hpp"
#include "arrays.hpp"

namespace outflank::bindings {
namespace {

using Counts = NewVector<std::uint8_t>;
using Discs = NewVector<Bits>;

// For each record: legal entries, unwritten passes before them, whether the game is over, and the
// board after the last legal move.
std::tuple<Counts, Discs, Counts, Discs, Discs> replay_records(const Matrix<std::uint8_t>& records,
                                                               const Vector<Bits>& black,
                                                               const Vector<Bits>& white,
                                                               const Vector<bool>& black_moves) {
    require(records.shape(0) == black.shape(0), "there must be one start for each record");
    require(records.shape(1) <= 255, "a record has at most 255 entries");
    const std::vector<Board> starts = boards_of(black, white, black_moves);
    std::vector<Replay> replays;
    {
        nb::gil_scoped_release release;
        replays = replay_games(starts, {records.data(), records.size()}, records.shape(1));
    }
    std::vector<std::uint8_t> legal;
    std::vector<Bits> passes;
    std::vector<std::uint8_t> over;
    std::vector<Bits> black_discs;
    std::vector<Bits> white_discs;
    for (const Replay& replayed : replays) {
        legal.push_back(static_cast<std::uint8_t>(replayed.legal));
        passes.push_back(replayed.passes);
        over.push_back(replayed.over ? 1 : 0);
        black_discs.push_back(replayed.board.black);
        white_discs.push_back(replayed.board.white);
    }
    return {to_numpy(std::move(legal)), to_numpy(std::move(passes)), to_numpy(std::move(over)),
            to_numpy(std::move(black_discs)), to_numpy(std::move(white_discs))};
}

}  // namespace

void bind_records(nb::module_& m) {
    m.attr("WRITTEN_PASS") = static_cast<int>(WRITTEN_PASS);
    m.def("replay_records", &replay_records, "records"_a, "black"_a, "white"_a, "black_moves"_a,
          "Replays records (squares, 64 for a written pass, 255 after the end) from their starts: "
          "legal entries, set of entries with an unwritten pass before them, over, black discs, "
          "white discs.");
}

}  // namespace outflank::bindings
