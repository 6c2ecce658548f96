// Opening books: those in files, and those under construction.
#include <cmath>
#include <limits>

#include "arrays.hpp"
#include "books/growing_book.hpp"

namespace outflank::bindings {
namespace {

using FoundMove = std::tuple<int, double, bool, std::uint32_t>;
using EntryArrays =
    std::tuple<NewVector<Bits>, NewVector<Bits>, NewVector<std::int16_t>, NewVector<std::uint8_t>,
               NewVector<std::int16_t>, NewVector<std::uint32_t>>;

// A value in discs as Python prints it: 0.07, not 0.07000000029802322.
double to_hundredths(float discs) {
    return std::round(static_cast<double>(discs) * BOOK_UNITS_PER_DISC) / BOOK_UNITS_PER_DISC;
}

// Square, value in discs, whether it leaves the book, games: best first.
template <class Book>
std::vector<FoundMove> moves(const Book& book, Bits mover, Bits opponent) {
    const Position position = checked_position(mover, opponent);
    std::array<BookMove, 64> found;
    const int count = book.moves(position, position.moves(), found);
    std::vector<FoundMove> listed;
    for (const BookMove& move : std::span(found).first(static_cast<std::size_t>(count))) {
        listed.emplace_back(move.square, to_hundredths(move.value_for_mover), move.is_deviation,
                            move.games);
    }
    return listed;
}

// The value of a position in discs, and the number of games that reached it.
template <class Book>
std::optional<std::pair<double, std::uint32_t>> find(const Book& book, Bits mover, Bits opponent) {
    const auto entry = book.find(checked_position(mover, opponent));
    return entry ? std::optional(std::pair(to_hundredths(in_discs(entry->value)), entry->games()))
                 : std::nullopt;
}

EntryArrays arrays_of(std::span<const BookEntry> entries) {
    const auto deviation = [](const BookEntry& entry) {
        return static_cast<std::uint8_t>(entry.deviation());
    };
    return {
        column_of(entries, &BookEntry::mover),           column_of(entries, &BookEntry::opponent),
        column_of(entries, &BookEntry::value),           column_of(entries, deviation),
        column_of(entries, &BookEntry::deviation_value), column_of(entries, &BookEntry::games)};
}

NewVector<float> values(const OpeningBook& book, const Vector<Bits>& mover,
                        const Vector<Bits>& opponent) {
    check_boards(mover, opponent);
    std::vector<float> found(mover.shape(0));
    without_gil([&] {
        for (std::size_t i = 0; i < found.size(); ++i) {
            const auto entry = book.find({mover.data()[i], opponent.data()[i]});
            found[i] = entry ? in_discs(entry->value) : std::numeric_limits<float>::quiet_NaN();
        }
    });
    return to_numpy(std::move(found));
}

NewVector<std::uint8_t> move_counts(const OpeningBook& book, const Vector<Bits>& mover,
                                    const Vector<Bits>& opponent) {
    check_boards(mover, opponent);
    std::vector<std::uint8_t> counts(mover.shape(0));
    without_gil([&] {
        std::array<BookMove, 64> found;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            const Position position{mover.data()[i], opponent.data()[i]};
            counts[i] = static_cast<std::uint8_t>(book.moves(position, position.moves(), found));
        }
    });
    return to_numpy(std::move(counts));
}

void add_games(GrowingBook& book, const Vector<Bits>& black, const Vector<Bits>& white,
               const Vector<bool>& black_moves, const Matrix<std::uint8_t>& games) {
    const std::vector<Board> starts = boards_of(black, white, black_moves);
    require(starts.size() == games.shape(0), "there must be one start for each game");
    const std::size_t columns = games.shape(1);
    for (std::size_t i = 0; i < starts.size(); ++i) {
        try {
            book.add_game(starts[i], {games.data() + i * columns, columns});
        } catch (const std::invalid_argument& error) {
            throw nb::value_error(("game " + std::to_string(i + 1) + ": " + error.what()).c_str());
        }
    }
}

std::pair<NewVector<Bits>, NewVector<Bits>> not_judged(const GrowingBook& book) {
    const auto positions = book.not_judged();
    return {column_of(positions, &Position::mover), column_of(positions, &Position::opponent)};
}

}  // namespace

void bind_book(nb::module_& m) {
    m.attr("NO_BOOK_VALUE") = static_cast<int>(BookEntry::NO_VALUE);
    m.attr("BOOK_GAME_OVER") = BookEntry::GAME_OVER;
    m.attr("BOOK_UNITS_PER_DISC") = BOOK_UNITS_PER_DISC;

    nb::class_<OpeningBook>(m, "OpeningBook", "A book, read in place.")
        .def(
            "__init__",
            [](OpeningBook* self, const Vector<std::uint8_t>& bytes) {
                new (self) OpeningBook(std::as_bytes(span_of(bytes)));
            },
            // Never a converted copy: the bytes must live as long as the book.
            "bytes"_a.noconvert(), nb::keep_alive<1, 2>())
        .def("__len__", [](const OpeningBook& book) { return book.header().entries; })
        .def_prop_ro("plies", [](const OpeningBook& book) { return book.header().plies; })
        .def_prop_ro("games", [](const OpeningBook& book) { return book.header().games; })
        .def_prop_ro("note",
                     [](const OpeningBook& book) {
                         return nb::bytes(book.note().data(), book.note().size());
                     })
        .def("is_intact", &OpeningBook::is_intact, nb::call_guard<nb::gil_scoped_release>())
        .def("find", &find<OpeningBook>, "mover"_a, "opponent"_a)
        .def("moves", &moves<OpeningBook>, "mover"_a, "opponent"_a)
        .def("values", &values, "mover"_a, "opponent"_a,
             "The values of many positions in discs; NaN where the book has none.")
        .def("move_counts", &move_counts, "mover"_a, "opponent"_a,
             "How many book moves each of many positions has.")
        .def("entries", [](const OpeningBook& book) { return arrays_of(book.entries()); });

    nb::class_<GrowingBook>(m, "GrowingBook", "A book under construction.")
        .def(
            "__init__",
            [](GrowingBook* self, int plies) {
                require(plies >= 0 && plies <= 60, "plies must be within 0..60");
                new (self) GrowingBook(plies);
            },
            "plies"_a)
        .def_static(
            "of", [](const OpeningBook& book) { return GrowingBook(book); }, "book"_a)
        .def("__len__", &GrowingBook::size)
        .def_prop_rw("plies", &GrowingBook::plies,
                     [](GrowingBook& book, int plies) {
                         require(plies >= 0 && plies <= 60, "plies must be within 0..60");
                         book.set_plies(plies);
                     })
        .def_prop_ro("games", &GrowingBook::games)
        .def("add_games", &add_games, "black"_a, "white"_a, "black_moves"_a, "games"_a)
        .def("drop_rare", &GrowingBook::drop_rare, "fewest_games"_a)
        .def("not_judged", &not_judged)
        .def(
            "moves_out",
            [](const GrowingBook& book, Bits mover, Bits opponent) {
                return book.moves_out(checked_position(mover, opponent));
            },
            "mover"_a, "opponent"_a, "The legal moves that lead out of the book, as a set.")
        .def(
            "set_deviation",
            [](GrowingBook& book, Bits mover, Bits opponent, std::optional<int> square,
               double value_for_mover) {
                book.set_deviation(checked_position(mover, opponent),
                                   square.value_or(BookEntry::ALL_MOVES_IN_BOOK), value_for_mover);
            },
            "mover"_a, "opponent"_a, "square"_a.none(), "value_for_mover"_a)
        .def("propagate", &GrowingBook::propagate, nb::call_guard<nb::gil_scoped_release>())
        .def("find", &find<GrowingBook>, "mover"_a, "opponent"_a)
        .def("moves", &moves<GrowingBook>, "mover"_a, "opponent"_a)
        .def("entries", [](const GrowingBook& book) { return arrays_of(book.entries()); })
        .def(
            "bytes",
            [](const GrowingBook& book, const std::string& note) {
                const auto file = book.bytes(note);
                return nb::bytes(file.data(), file.size());
            },
            "note"_a, "The book as a file.");
}

}  // namespace outflank::bindings
