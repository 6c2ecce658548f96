// Books: symmetric images are one entry, propagation equals a slow recursive negamax, files are
// read back as written, and a damaged file never leads out of bounds or to an illegal move.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>

#include "boards.hpp"
#include "books/growing_book.hpp"
#include "check.hpp"

using namespace outflank;

namespace {

using Key = std::pair<Bits, Bits>;

Key slow_canonical(const Position& position) {
    Key least{~Bits{0}, ~Bits{0}};
    for (int symmetry = 0; symmetry < 8; ++symmetry) {
        Key image{0, 0};
        for (int square = 0; square < 64; ++square) {
            const int row = square / 8;
            const int column = square % 8;
            const int r = (symmetry & 2) != 0 ? 7 - row : row;
            const int c = (symmetry & 1) != 0 ? 7 - column : column;
            const Bits there = (symmetry & 4) != 0 ? bit(8 * c + r) : bit(8 * r + c);
            image.first |= (position.mover & bit(square)) != 0 ? there : 0;
            image.second |= (position.opponent & bit(square)) != 0 ? there : 0;
        }
        least = std::min(least, image);
    }
    return least;
}

void check_symmetries() {
    Generator generator(1, 0);
    for (int i = 0; i < 500; ++i) {
        // Some positions are their own images, or the mover's discs are.
        Position position = tests::random_discs(generator).position();
        if (i % 3 != 0) {
            const int own = 1 + generator.below(7);
            position.mover |= symmetric(position.mover, own) | symmetric(position.mover, 3);
            position.opponent =
                (position.opponent | symmetric(position.opponent, i % 8)) & ~position.mover;
        }
        const auto [image, symmetry] = canonical(position);
        CHECK(Key(image.mover, image.opponent) == slow_canonical(position));
        CHECK_EQUAL(symmetric(position.mover, symmetry), image.mover);
        CHECK_EQUAL(symmetric(position.opponent, symmetry), image.opponent);
        for (int square = 0; square < 64; ++square) {
            CHECK_EQUAL(symmetric(bit(square_before(square, symmetry)), symmetry), bit(square));
        }
    }
}

// Random games; the game's number also makes a symmetric image of another's.
std::vector<std::uint8_t> random_moves(std::uint64_t number) {
    OpenGame game(START, 11, number);
    std::vector<std::uint8_t> moves;
    for (Bits legal = game.settle(); legal != 0; legal = game.settle()) {
        const Choice chosen = game.random_choice(legal);
        moves.push_back(static_cast<std::uint8_t>(chosen.square));
        game.play(chosen);
    }
    return moves;
}

// A made-up judge: any function of the child will do.
double judged(const Position& position, int square) {
    const Bits mixed = (position.play(square).mover + 1) * 0x9E3779B97F4A7C15ULL;
    return static_cast<double>(mixed >> 52) / 64.0 - 32.0;
}

void judge_all(GrowingBook& book) {
    for (const Position& position : book.not_judged()) {
        int best = BookEntry::ALL_MOVES_IN_BOOK;
        double most = 0;
        for (Bits out = book.moves_out(position); out != 0; out = without_lowest(out)) {
            const double value = judged(position, lowest_square(out));
            if (best == BookEntry::ALL_MOVES_IN_BOOK || value > most) {
                best = lowest_square(out);
                most = value;
            }
        }
        book.set_deviation(position, best, most);
    }
    book.propagate();
}

// Judged twice, so that some deviations have been played when the book is judged again.
GrowingBook random_book(int games, int plies) {
    GrowingBook book(plies);
    for (int i = 0; i < games; ++i) {
        if (i == games / 2) {
            book.propagate();
            judge_all(book);
        }
        book.add_game(START, random_moves(static_cast<std::uint64_t>(i)));
    }
    book.propagate();
    judge_all(book);
    return book;
}

// The slow twin: negamax over a map of positions, from any orientation.
class SlowBook {
  public:
    explicit SlowBook(const GrowingBook& book) {
        for (const BookEntry& entry : book.entries()) {
            entries_[slow_canonical(entry.position())] = entry;
        }
    }
    bool has(const Position& position) const { return entries_.contains(slow_canonical(position)); }
    int value(const Position& position) const {
        const BookEntry& entry = entries_.at(slow_canonical(position));
        const Bits moves = position.moves();
        if (moves == 0) {
            const Position passed = position.pass();
            CHECK_EQUAL(passed.moves(), Bits{0});
            return BOOK_UNITS_PER_DISC * position.disc_difference_for_mover();
        }
        int best = entry.has_deviation() ? int{entry.deviation_value} : -100000;
        for (Bits rest = moves; rest != 0; rest = without_lowest(rest)) {
            const Position next = position.play(lowest_square(rest));
            const Position passed = next.pass();
            if (next.moves() == 0 && passed.moves() != 0) {
                best = has(passed) ? std::max(best, value(passed)) : best;
            } else {
                best = has(next) ? std::max(best, -value(next)) : best;
            }
        }
        return best;
    }
    std::size_t size() const { return entries_.size(); }

  private:
    std::map<Key, BookEntry> entries_;
};

void check_propagation(int games, int plies) {
    const GrowingBook book = random_book(games, plies);
    const SlowBook slow(book);
    CHECK_EQUAL(slow.size(), book.size());
    CHECK_EQUAL(book.not_judged().size(), std::size_t{0});
    for (const BookEntry& entry : book.entries()) {
        CHECK_EQUAL(int{entry.value}, slow.value(entry.position()));
        const Position position = entry.position();
        if (entry.has_deviation()) {
            CHECK((book.moves_out(position) & bit(entry.deviation())) != 0);
        }
        if (position.moves() == 0) {
            continue;
        }
        // Every image has the same moves at the same values, and the best is the position's value.
        for (int symmetry = 0; symmetry < 8; ++symmetry) {
            const Position image{symmetric(position.mover, symmetry),
                                 symmetric(position.opponent, symmetry)};
            std::array<BookMove, 64> moves;
            const int count = book.moves(image, image.moves(), moves);
            CHECK(count > 0);
            CHECK_EQUAL(moves[0].value_for_mover, in_discs(entry.value));
            for (int i = 0; i < count; ++i) {
                const BookMove& move = moves[static_cast<std::size_t>(i)];
                CHECK((image.moves() & bit(move.square)) != 0);
                CHECK(move.is_deviation == !slow.has(book_child(image, move.square).position));
                CHECK(i == 0 || moves[static_cast<std::size_t>(i - 1)].value_for_mover >=
                                    move.value_for_mover);
            }
            std::array<BookMove, 2> best_two;
            CHECK_EQUAL(book.moves(image, image.moves(), best_two), std::min(count, 2));
            CHECK_EQUAL(best_two[0].square, moves[0].square);
            CHECK(count < 2 || best_two[1].square == moves[1].square);
        }
    }
}

void check_symmetric_games() {
    GrowingBook book(20);
    std::size_t size = 0;
    for (int symmetry = 0; symmetry < 8; ++symmetry) {
        std::vector<std::uint8_t> moves = random_moves(3);
        Board start = START;
        start = {symmetric(start.black, symmetry), symmetric(start.white, symmetry), start.mover};
        for (std::uint8_t& move : moves) {
            move = static_cast<std::uint8_t>(lowest_square(symmetric(bit(move), symmetry)));
        }
        book.add_game(start, moves);
        size = symmetry == 0 ? book.size() : size;
        CHECK_EQUAL(book.size(), size);
    }
    CHECK_EQUAL(size, std::size_t{21});
    for (const BookEntry& entry : book.entries()) {
        CHECK_EQUAL(entry.games(), 8U);
    }
    CHECK_EQUAL(book.games(), std::uint64_t{8});
}

void check_illegal_games() {
    GrowingBook book(20);
    std::vector<std::uint8_t> moves = random_moves(0);
    moves[7] = 0;
    try {
        book.add_game(START, moves);
        CHECK(false);
    } catch (const std::invalid_argument& error) {
        CHECK_EQUAL(std::string(error.what()), "move 8 is not legal");
    }
    CHECK_EQUAL(book.size(), std::size_t{0});
}

void check_files() {
    const GrowingBook book = random_book(300, 24);
    const std::vector<std::byte> file = book.bytes("made by a test");
    const OpeningBook read(file);
    CHECK(read.is_intact());
    CHECK_EQUAL(read.note(), "made by a test");
    CHECK_EQUAL(std::size_t{read.header().entries}, book.size());
    CHECK_EQUAL(read.header().games, std::uint64_t{300});
    for (const BookEntry& entry : book.entries()) {
        const auto found = read.find(entry.position());
        CHECK(found.has_value() && found->value == entry.value && found->games() == entry.games() &&
              found->deviation() == entry.deviation());
    }
    Generator generator(2, 0);
    for (int i = 0; i < 2000; ++i) {
        const Position absent = tests::random_discs(generator).position();
        CHECK(!read.find(absent).has_value());
        std::array<BookMove, 64> moves;
        CHECK_EQUAL(read.moves(absent, absent.moves(), moves), 0);
    }
    // What was read and grows on gives the same file, in another order too.
    CHECK(GrowingBook(read).bytes("made by a test") == file);
    GrowingBook backwards(24);
    for (int i = 299; i >= 0; --i) {
        backwards.add_game(START, random_moves(static_cast<std::uint64_t>(i)));
    }
    backwards.propagate();
    judge_all(backwards);
    CHECK(backwards.bytes("made by a test") == file);
}

std::string refusal(std::span<const std::byte> bytes) {
    try {
        const OpeningBook book(bytes);
        return "";
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
}

std::vector<std::byte> with_header(std::vector<std::byte> file, BookHeader header) {
    std::memcpy(file.data(), &header, sizeof header);
    header.header_checksum = checksum(std::span(file).first(56));
    std::memcpy(file.data(), &header, sizeof header);
    return file;
}

void check_refusals() {
    const std::vector<std::byte> file = random_book(5, 10).bytes("");
    const std::span whole(file);
    for (std::size_t size = 0; size < file.size(); size += size < 128 ? 1 : 97) {
        CHECK(!refusal(whole.first(size)).empty());
    }
    CHECK_EQUAL(refusal(whole), "");
    BookHeader header = OpeningBook(whole).header();
    header.version = 2;
    CHECK_EQUAL(refusal(with_header(file, header)),
                "is an opening book of version 2, but this outflank reads version 1");
    header = OpeningBook(whole).header();
    header.byte_order = 0x04030201;
    CHECK(refusal(with_header(file, header)).find("byte order") != std::string::npos);
    header = OpeningBook(whole).header();
    header.slots = 0xFFFFFFFF;
    CHECK(refusal(with_header(file, header)).find("but the file has") != std::string::npos);
    header = OpeningBook(whole).header();
    header.entries = header.slots;
    CHECK(refusal(with_header(file, header)).find("contradicts itself") != std::string::npos);
    std::vector<std::byte> damaged = file;
    damaged[30] ^= std::byte{1};
    CHECK(refusal(damaged).find("damaged header") != std::string::npos);
}

// Random bytes changed in the table: the checksum fails, and look-ups still return legal moves in
// finite time, within bounds (this test runs under sanitizers too).
void check_damaged_tables() {
    const GrowingBook book = random_book(50, 16);
    const std::vector<std::byte> file = book.bytes("");
    Generator generator(3, 0);
    for (int round = 0; round < 20; ++round) {
        std::vector<std::byte> damaged = file;
        for (int i = 0; i < 1 + 40 * round; ++i) {
            const int body = static_cast<int>(file.size() - sizeof(BookHeader));
            const auto at = sizeof(BookHeader) + static_cast<std::size_t>(generator.below(body));
            damaged[at] ^= static_cast<std::byte>(1 + generator.below(255));
        }
        const OpeningBook read(damaged);
        CHECK_EQUAL(read.is_intact(), damaged == file);
        std::array<BookMove, 64> moves;
        for (const BookEntry& entry : book.entries()) {
            const Position position = entry.position();
            const int count = read.moves(position, position.moves(), moves);
            for (const BookMove& move : std::span(moves).first(static_cast<std::size_t>(count))) {
                CHECK((position.moves() & bit(move.square)) != 0);
            }
        }
        GrowingBook grown(read);
        grown.propagate();
    }
}

}  // namespace

int main() {
    check_symmetries();
    check_propagation(1, 60);
    check_propagation(40, 60);
    check_propagation(300, 12);
    check_symmetric_games();
    check_illegal_games();
    check_files();
    check_refusals();
    check_damaged_tables();
    std::puts("opening book: passed");
}
