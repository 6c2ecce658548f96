#include "rules/replay.hpp"

#include <algorithm>

#include "playing/playouts.hpp"

namespace outflank {

Replay replay(const Board& start, std::span<const std::uint8_t> record) {
    Position position = start.position();
    Colour mover = start.mover;
    Replay result;
    const auto pass = [&] {
        position = position.pass();
        mover = other(mover);
    };
    for (const std::uint8_t entry : record) {
        if (entry == NO_MOVE) {
            break;
        }
        const Bits moves = position.moves();
        if (entry == WRITTEN_PASS) {
            if (moves != 0) {
                break;
            }
            pass();
        } else {
            const bool passes = moves == 0;
            const Bits open = passes ? position.pass().moves() : moves;
            if (entry >= 64 || (open & bit(entry)) == 0) {
                break;
            }
            if (passes) {
                pass();
                result.passes |= bit(std::min(result.legal, 63));
            }
            position = position.play(entry);
            mover = other(mover);
        }
        ++result.legal;
    }
    result.over = position.moves() == 0 && position.pass().moves() == 0;
    result.board = Board::of(position, mover);
    return result;
}

std::vector<Replay> replay_games(std::span<const Board> starts,
                                 std::span<const std::uint8_t> records, std::size_t columns) {
    std::vector<Replay> results(starts.size());
    for (std::size_t i = 0; i < starts.size(); ++i) {
        results[i] = replay(starts[i], records.subspan(i * columns, columns));
    }
    return results;
}

}  // namespace outflank
