// Recorded games, replayed.
#include "arrays.hpp"
#include "rules/replay.hpp"

namespace outflank::bindings {
namespace {

using Counts = NewVector<std::uint8_t>;
using Discs = NewVector<Bits>;

// For each record: the number of legal entries, unwritten passes before them, whether the game is
// over, and the board after the last legal entry.
std::tuple<Counts, Discs, Counts, Discs, Discs> replay_records(const Matrix<std::uint8_t>& records,
                                                               const Vector<Bits>& black,
                                                               const Vector<Bits>& white,
                                                               const Vector<bool>& black_moves) {
    require(records.shape(0) == black.shape(0), "there must be one start for each record");
    require(records.shape(1) <= 255, "a record has at most 255 entries");
    const std::vector<Board> starts = boards_of(black, white, black_moves);
    const auto replays = without_gil(
        [&] { return replay_games(starts, {records.data(), records.size()}, records.shape(1)); });
    const auto legal = [](const Replay& game) { return static_cast<std::uint8_t>(game.legal); };
    const auto over = [](const Replay& game) -> std::uint8_t { return game.over ? 1 : 0; };
    return {column_of(replays, legal), column_of(replays, &Replay::passes),
            column_of(replays, over),
            column_of(replays, [](const Replay& game) { return game.board.black; }),
            column_of(replays, [](const Replay& game) { return game.board.white; })};
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
