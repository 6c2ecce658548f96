#include "rules/stability.hpp"

#include <vector>

namespace outflank {
namespace {

constexpr Bits ROW_1 = 0x00000000000000FFULL;
constexpr Bits ROW_8 = 0xFF00000000000000ULL;
constexpr Bits COLUMN_A = 0x0101010101010101ULL;
constexpr Bits COLUMN_H = 0x8080808080808080ULL;
constexpr Bits EDGES = ROW_1 | ROW_8 | COLUMN_A | COLUMN_H;

struct Edge {
    unsigned owner;
    unsigned other;

    // The edge after the owner (or the other side) has placed a disc on an empty square.
    Edge with_disc(int square, bool of_owner) const {
        const unsigned own = of_owner ? owner : other;
        const unsigned theirs = of_owner ? other : owner;
        unsigned turned = 0;
        for (const int step : {-1, 1}) {
            unsigned run = 0;
            int at = square + step;
            while (at >= 0 && at < 8 && (theirs >> at & 1) != 0) {
                run |= 1U << at;
                at += step;
            }
            if (at >= 0 && at < 8 && (own >> at & 1) != 0) {
                turned |= run;
            }
        }
        const unsigned grown = own | turned | 1U << square;
        const unsigned shrunk = theirs & ~turned;
        return of_owner ? Edge{grown, shrunk} : Edge{shrunk, grown};
    }
};

// stable[256 * owner + other]: the owner's discs on an edge that no sequence of moves on that edge
// can flip. A move may flip discs elsewhere only, so either side may take any empty square at any
// time.
class StableEdges {
  public:
    StableEdges() : known_(65536, false), stable_(65536, 0) {
        for (unsigned owner = 0; owner < 256; ++owner) {
            for (unsigned other = 0; other < 256; ++other) {
                if ((owner & other) == 0) {
                    find({owner, other});
                }
            }
        }
    }
    unsigned operator()(unsigned owner, unsigned other) const {
        return stable_[256 * owner + other];
    }

  private:
    unsigned find(Edge edge) {
        const std::size_t at = 256 * edge.owner + edge.other;
        if (!known_[at]) {
            unsigned stable = edge.owner;
            const unsigned empty = ~(edge.owner | edge.other) & 0xFF;
            for (int square = 0; square < 8; ++square) {
                if ((empty >> square & 1) != 0) {
                    stable &= find(edge.with_disc(square, true));
                    stable &= find(edge.with_disc(square, false));
                }
            }
            known_[at] = true;
            stable_[at] = static_cast<std::uint8_t>(stable);
        }
        return stable_[at];
    }

    std::vector<bool> known_;
    std::vector<std::uint8_t> stable_;
};

const StableEdges& stable_edges() {
    static const StableEdges edges;
    return edges;
}

constexpr unsigned column_bits(Bits set, int column) {
    return static_cast<unsigned>(((set >> column & COLUMN_A) * 0x0102040810204080ULL) >> 56);
}
constexpr Bits column_of(unsigned bits, int column) {
    return (((bits * 0x0101010101010101ULL & 0x8040201008040201ULL) + 0x7F7F7F7F7F7F7F7FULL) >> 7 &
            COLUMN_A)
           << column;
}

Bits stable_on_edges(Bits owner, Bits other) {
    const StableEdges& edges = stable_edges();
    const auto row = [](Bits set, int shift) { return static_cast<unsigned>(set >> shift & 0xFF); };
    Bits stable = Bits{edges(row(owner, 0), row(other, 0))};
    stable |= Bits{edges(row(owner, 56), row(other, 56))} << 56;
    stable |= column_of(edges(column_bits(owner, 0), column_bits(other, 0)), 0);
    stable |= column_of(edges(column_bits(owner, 7), column_bits(other, 7)), 7);
    return stable;
}

// The squares whose whole line along each of the four axes is taken.
struct FullLines {
    Bits rows, columns, up, down;

    explicit FullLines(Bits taken) {
        rows = taken;
        rows &= rows >> 4;
        rows &= rows >> 2;
        rows &= rows >> 1;
        rows = (rows & COLUMN_A) * 0xFF;
        columns = taken;
        columns &= std::rotr(columns, 8);
        columns &= std::rotr(columns, 16);
        columns &= std::rotr(columns, 32);
        up = along(taken, 7);
        down = along(taken, 9);
    }

    // A diagonal is full if both ways from the square to the edge are taken.
    static Bits along(Bits taken, int shift) {
        Bits to_higher = taken;
        Bits to_lower = taken;
        for (int i = 0; i < 7; ++i) {
            to_higher &= EDGES | to_higher >> shift;
            to_lower &= EDGES | to_lower << shift;
        }
        return to_higher & to_lower;
    }
};

}  // namespace

Bits stable_discs(Bits owner, Bits other) {
    const FullLines full(owner | other);
    const Bits inner = owner & ~EDGES;
    Bits stable =
        stable_on_edges(owner, other) | (inner & full.rows & full.columns & full.up & full.down);
    for (Bits before = 0; before != stable;) {
        before = stable;
        const Bits row = stable >> 1 | stable << 1 | full.rows;
        const Bits column = stable >> 8 | stable << 8 | full.columns;
        const Bits up = stable >> 7 | stable << 7 | full.up;
        const Bits down = stable >> 9 | stable << 9 | full.down;
        stable |= inner & row & column & up & down;
    }
    return stable;
}

}  // namespace outflank
