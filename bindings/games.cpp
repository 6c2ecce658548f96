// Players, matches, and games in step.
#include <algorithm>
#include <mutex>

#include "arrays.hpp"
#include "playing/games_in_step.hpp"

namespace outflank::bindings {
namespace {

View view_of(const std::string& name) {
    require(name == "inversion" || name == "negation" || name == "doubled",
            "a view is inversion, negation or doubled");
    return name == "inversion"  ? View::inversion
           : name == "negation" ? View::negation
                                : View::doubled;
}

std::shared_ptr<Player> player(std::optional<std::shared_ptr<Evaluator>> for_black,
                               std::optional<std::shared_ptr<Evaluator>> for_white,
                               const std::string& view, int depth, std::uint64_t nodes,
                               std::vector<std::vector<ProbCut>> prob_cuts, int solve_from,
                               const MoveOrdering* ordering,
                               std::optional<std::shared_ptr<OpeningBook>> book, int book_best) {
    require(for_black.has_value() == for_white.has_value(),
            "a player needs both evaluators or none");
    require(depth >= 1 && depth <= 60, "depth must be within 1..60");
    require(solve_from >= 0 && solve_from <= 60, "solve must be within 0..60");
    require(book_best >= 1 && book_best <= 64, "book_best must be within 1..64");
    Player made;
    made.judgement = {for_black.value_or(nullptr), for_white.value_or(nullptr), view_of(view)};
    made.depth = depth;
    made.nodes = nodes;
    made.search.prob_cuts = std::move(prob_cuts);
    made.solve_from = solve_from;
    made.ordering = ordering == nullptr ? MoveOrdering{} : *ordering;
    made.book = book.value_or(nullptr);
    made.book_best = book_best;
    return std::make_shared<Player>(std::move(made));
}

// The legal moves of each board with the player's value of each: those of board k are at first[k]
// up to first[k + 1].
std::tuple<NewVector<std::uint32_t>, NewVector<std::uint8_t>, NewVector<double>> judge(
    const Player& judge, const Vector<Bits>& black, const Vector<Bits>& white,
    const Vector<bool>& black_moves, int threads) {
    check_threads(threads);
    const std::vector<Board> boards = boards_of(black, white, black_moves);
    std::vector<std::uint32_t> first(boards.size() + 1);
    for (std::size_t i = 0; i < boards.size(); ++i) {
        const int count = std::popcount(boards[i].position().moves());
        first[i + 1] = first[i] + static_cast<std::uint32_t>(count);
    }
    std::vector<std::uint8_t> squares(first.back());
    std::vector<double> values(first.back());
    without_gil([&] {
        judge_boards(judge, boards, threads, [&](std::size_t i, const MoveList& list) {
            std::copy_n(list.squares.begin(), list.count, squares.begin() + first[i]);
            return std::span(values).subspan(first[i], static_cast<std::size_t>(list.count));
        });
    });
    return {to_numpy(std::move(first)), to_numpy(std::move(squares)), to_numpy(std::move(values))};
}

// A player that keeps its tables from move to move: allocating them takes longer than a small
// search. Of calls at the same time, one has these tables and the others have tables of their own.
class Chooser {
  public:
    explicit Chooser(const Player& player) : player_(player), seated_(player_) {}

    // The player's own choice; it draws from stream(seed, 0).
    int choose(Bits black, Bits white, bool black_moves, std::uint64_t seed) {
        OpenGame game(checked_board(black, white, black_moves), seed, 0);
        const Bits moves = game.position.moves();
        require(moves != 0, "the mover has no legal move");
        return without_gil([&] {
            const std::unique_lock lock(mutex_, std::try_to_lock);
            return lock ? seated_.choose(game, moves).square
                        : SeatedPlayer(player_).choose(game, moves).square;
        });
    }

  private:
    Player player_;
    SeatedPlayer seated_;
    std::mutex mutex_;
};

MatchRules match_rules(const Vector<Bits>& black, const Vector<Bits>& white,
                       const Vector<bool>& black_moves, std::array<double, 2> epsilon,
                       std::uint64_t seed, bool alternate_colours, Conventions conventions) {
    require(black.shape(0) >= 1, "there must be at least one start position");
    for (const double share : epsilon) {
        require(share >= 0 && share <= 1, "epsilon must be within 0..1");
    }
    require(conventions.most_passes >= 0, "a number of passes is 0 or more");
    return {boards_of(black, white, black_moves), epsilon, seed, alternate_colours, conventions};
}

using Differences = NewVector<std::int8_t>;
using Moves = std::optional<NewMatrix<std::uint8_t>>;

std::pair<Differences, Moves> play(const Player& first, const Player& second,
                                   const MatchRules& rules, std::uint64_t first_game,
                                   std::size_t count, int threads, bool record) {
    check_threads(threads);
    std::vector<std::int8_t> differences(count);
    std::vector<std::uint8_t> moves(record ? count * LONGEST_GAME : 0);
    without_gil([&] {
        play_games(first, second, rules, {first_game, count}, threads, {differences, moves});
    });
    Moves recorded;
    if (record) {
        recorded = to_numpy(std::move(moves), LONGEST_GAME);
    }
    return {to_numpy(std::move(differences)), std::move(recorded)};
}

// Pairings as rows (first player, second player, number of the first game, games); outcomes as rows
// (wins, draws, losses) of the first player.
NewMatrix<std::uint32_t> pairings(const std::vector<std::shared_ptr<Player>>& players,
                                  const Matrix<std::int64_t>& rows, const MatchRules& rules) {
    require(rows.shape(1) == 4, "a pairing is first player, second player, first game, games");
    std::vector<const Player*> seats;
    for (const auto& one : players) {
        seats.push_back(one.get());
    }
    std::vector<Pairing> played;
    for (std::size_t k = 0; k < rows.shape(0); ++k) {
        const std::int64_t* row = rows.data() + 4 * k;
        require(std::all_of(row, row + 4, [](auto number) { return number >= 0; }) &&
                    std::max(row[0], row[1]) < static_cast<std::int64_t>(players.size()),
                "a pairing names a player that is not there, or a number below zero");
        played.push_back({static_cast<std::size_t>(row[0]),
                          static_cast<std::size_t>(row[1]),
                          {static_cast<std::uint64_t>(row[2]), static_cast<std::size_t>(row[3])}});
    }
    std::vector<Outcome> outcomes(played.size());
    without_gil([&] { play_pairings(seats, played, rules, outcomes); });
    std::vector<std::uint32_t> flat;
    for (const auto& [wins, draws, losses] : outcomes) {
        flat.insert(flat.end(), {wins, draws, losses});
    }
    return to_numpy(std::move(flat), 3);
}

// Black's disc difference before the first move and after each move of recorded games, repeated to
// the end of the row. Raises for an illegal move.
NewMatrix<std::int8_t> disc_differences(const MatchRules& rules, std::uint64_t first_game,
                                        const Matrix<std::uint8_t>& moves) {
    require(moves.shape(1) == LONGEST_GAME, "a record holds 60 moves");
    constexpr std::size_t COLUMNS = LONGEST_GAME + 1;
    std::vector<std::int8_t> result(moves.shape(0) * COLUMNS);
    for (std::size_t i = 0; i < moves.shape(0); ++i) {
        OpenGame game = rules.open(first_game + i);
        bool over = false;
        for (std::size_t ply = 0; ply < COLUMNS; ++ply) {
            result[i * COLUMNS + ply] = static_cast<std::int8_t>(game.disc_difference_for_black());
            const int square = ply < LONGEST_GAME ? moves.data()[i * LONGEST_GAME + ply] : NO_MOVE;
            over = over || square == NO_MOVE;
            if (!over) {
                require(square < 64 && (game.settle() & bit(square)) != 0,
                        "a record holds a move that is not legal");
                game.play(game.choice(square));
            }
        }
    }
    return to_numpy(std::move(result), COLUMNS);
}

using BoardArrays = std::tuple<NewVector<Bits>, NewVector<Bits>, NewVector<std::uint8_t>>;

BoardArrays waiting_boards(const GamesInStep& games) {
    const auto boards = games.waiting_boards();
    const auto black_moves = [](const Board& board) -> std::uint8_t {
        return board.mover == Colour::black ? 1 : 0;
    };
    return {column_of(boards, &Board::black), column_of(boards, &Board::white),
            column_of(boards, black_moves)};
}

std::tuple<NewVector<Bits>, NewVector<Bits>, NewVector<std::uint32_t>> afterstates(
    const GamesInStep& games) {
    auto all = games.afterstates();
    return {to_numpy(std::move(all.black)), to_numpy(std::move(all.white)),
            to_numpy(std::move(all.first))};
}

// All boards one move after each of the given ones: where each one's begin, the moves, and the
// boards.
std::tuple<NewVector<std::uint32_t>, NewVector<std::uint8_t>, NewVector<Bits>, NewVector<Bits>>
afterstates_of(const Vector<Bits>& black, const Vector<Bits>& white,
               const Vector<bool>& black_moves) {
    const std::vector<Board> boards = boards_of(black, white, black_moves);
    Afterstates all;
    without_gil([&] {
        for (const Board& board : boards) {
            all.add(board.position(), board.mover, board.position().moves());
        }
    });
    return {to_numpy(std::move(all.first)), to_numpy(std::move(all.squares)),
            to_numpy(std::move(all.black)), to_numpy(std::move(all.white))};
}

// Who moves next: -1 nobody, the game is over; else 1 for Black, 0 for White. The given side, or
// the other one where it has to pass.
NewVector<std::int8_t> next_movers(const Vector<Bits>& black, const Vector<Bits>& white,
                                   const Vector<bool>& black_moves) {
    return column_of(boards_of(black, white, black_moves), [](const Board& board) {
        const Position position = board.position();
        const bool is_black = board.mover == Colour::black;
        if (position.moves() != 0) {
            return static_cast<std::int8_t>(is_black);
        }
        return static_cast<std::int8_t>(position.pass().moves() == 0 ? -1 : !is_black);
    });
}

template <class T>
std::vector<T> copied(std::span<const T> values) {
    return {values.begin(), values.end()};
}

void bind_games_in_step(nb::module_& m) {
    nb::class_<GamesInStep>(m, "GamesInStep", "Many games in step, for players outside the core.")
        .def(
            "__init__",
            [](GamesInStep* self, const MatchRules& rules, std::uint64_t first_game,
               std::size_t count,
               bool record) { new (self) GamesInStep(rules, {first_game, count}, record); },
            "rules"_a, "first_game"_a, "count"_a, "record"_a = false)
        .def_prop_ro("over", &GamesInStep::over)
        .def_prop_ro("games_over", &GamesInStep::games_over)
        .def(
            "gather",
            [](GamesInStep& games, std::size_t turn) {
                require(turn < 2, "a turn is 0 or 1");
                games.gather(turn);
                return games.waiting();
            },
            "turn"_a, "Gathers the games that wait for player 0 or 1; returns how many.")
        .def("waiting_boards", &waiting_boards)
        .def("afterstates", &afterstates)
        .def(
            "answer_values",
            [](GamesInStep& games, const Vector<double>& judged) {
                for (const double value : span_of(judged)) {
                    require(!std::isnan(value), "an evaluator returned NaN");
                }
                games.answer_values(span_of(judged));
            },
            "values_for_mover"_a)
        .def(
            "answer_squares",
            [](GamesInStep& games, const Vector<std::uint8_t>& chosen) {
                games.answer_squares(span_of(chosen));
            },
            "squares"_a)
        .def(
            "answer_by",
            [](GamesInStep& games, const std::shared_ptr<Player>& asked) {
                nb::gil_scoped_release release;
                games.answer_by(asked);
            },
            "player"_a)
        .def("disc_differences",
             [](const GamesInStep& games) { return to_numpy(copied(games.disc_differences())); })
        .def("moves", [](const GamesInStep& games) {
            return to_numpy(copied(games.moves()), static_cast<std::size_t>(LONGEST_GAME));
        });
}

}  // namespace

void bind_games(nb::module_& m) {
    nb::class_<Player>(m, "Player")
        .def("judge", &judge, "black"_a, "white"_a, "black_moves"_a, "threads"_a = 1,
             "The legal moves of boards with the player's value of each: first, squares, values.");
    nb::class_<Chooser>(m, "Chooser", "A player that keeps its tables from move to move.")
        .def(nb::init<const Player&>(), "player"_a)
        .def("choose", &Chooser::choose, "black"_a, "white"_a, "black_moves"_a, "seed"_a);
    m.def("player", &player, "for_black"_a.none(), "for_white"_a.none(), "view"_a, "depth"_a = 1,
          "nodes"_a = 0, "prob_cuts"_a = std::vector<std::vector<ProbCut>>{}, "solve_from"_a = 0,
          "ordering"_a.none() = nb::none(), "book"_a.none() = nb::none(), "book_best"_a = 1);

    nb::class_<MatchRules>(m, "MatchRules")
        .def(
            "__init__",
            [](MatchRules* self, const Vector<Bits>& black, const Vector<Bits>& white,
               const Vector<bool>& black_moves, std::array<double, 2> epsilon, std::uint64_t seed,
               bool alternate_colours, bool first_of_ties, int most_passes) {
                new (self) MatchRules(match_rules(black, white, black_moves, epsilon, seed,
                                                  alternate_colours, {first_of_ties, most_passes}));
            },
            "black"_a, "white"_a, "black_moves"_a, "epsilon"_a, "seed"_a,
            "alternate_colours"_a = true, "first_of_ties"_a = false,
            "most_passes"_a = Conventions{}.most_passes);
    m.def("play_games", &play, "first"_a, "second"_a, "rules"_a, "first_game"_a, "count"_a,
          "threads"_a = 1, "record"_a = false);
    m.def(
        "play_pairings", &pairings, "players"_a, "pairings"_a, "rules"_a,
        "Pairings are rows of first player, second player, first game, games; returns wins, draws "
        "and losses of the first.");
    m.def("disc_differences", &disc_differences, "rules"_a, "first_game"_a, "moves"_a);
    m.def("afterstates", &afterstates_of, "black"_a, "white"_a, "black_moves"_a,
          "All boards one move after each of the given ones: first, squares, black, white.");
    m.def("next_movers", &next_movers, "black"_a, "white"_a, "black_moves"_a,
          "Who moves next, passes included: 1 for Black, 0 for White, -1 if the game is over.");
    bind_games_in_step(m);
}

}  // namespace outflank::bindings
