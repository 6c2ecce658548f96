// Batches of games for reinforcement learning.
#include "playing/batched_games.hpp"

#include "arrays.hpp"

namespace outflank::bindings {
namespace {

constexpr std::size_t MOST_GAMES = std::size_t{1} << 24;

// Arrays that the core writes to: never converted, which would fill a copy.
template <class T>
using Output = nb::ndarray<T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Bytes = Output<std::uint8_t>;

template <class T>
std::span<T> output(const Output<T>& array, std::size_t size) {
    require(array.shape(0) == size, "an array has the wrong length");
    return {array.data(), size};
}

BatchView view_of(const BatchedGames& games, const Bytes& planes, const Bytes& masks,
                  const Bytes& black_turn) {
    const std::size_t size = games.size();
    return {output(planes, 128 * size), output(masks, 64 * size), output(black_turn, size)};
}

void step(BatchedGames& games, const Vector<std::uint8_t>& squares, int threads, const Bytes& over,
          const Output<std::int8_t>& differences, const Bytes& planes, const Bytes& masks,
          const Bytes& black_turn) {
    check_threads(threads);
    const BatchView view = view_of(games, planes, masks, black_turn);
    const StepResults results{output(over, games.size()), output(differences, games.size())};
    without_gil([&] { games.step(span_of(squares), threads, results, view); });
}

std::pair<NewVector<Bits>, NewVector<Bits>> positions(const BatchedGames& games) {
    std::vector<Bits> mover(games.size());
    std::vector<Bits> opponent(games.size());
    for (std::size_t i = 0; i < games.size(); ++i) {
        mover[i] = games.position(i).mover;
        opponent[i] = games.position(i).opponent;
    }
    return {to_numpy(std::move(mover)), to_numpy(std::move(opponent))};
}

NewVector<std::uint8_t> draw_moves(BatchedGames& games) {
    std::vector<std::uint8_t> squares(games.size());
    without_gil([&] { games.draw_moves(squares); });
    return to_numpy(std::move(squares));
}

}  // namespace

void bind_batched_games(nb::module_& m) {
    nb::class_<BatchedGames>(m, "BatchedGames", "Thousands of games in step, replaced when over.")
        .def(
            "__init__",
            [](BatchedGames* self, const MatchRules& rules, std::size_t size,
               std::optional<std::shared_ptr<Player>> opponent) {
                require(size >= 1 && size <= MOST_GAMES, "games must be within 1..16777216");
                const nb::gil_scoped_release release;
                new (self) BatchedGames(rules, size, opponent.value_or(nullptr));
            },
            "rules"_a, "size"_a, "opponent"_a.none() = nb::none())
        .def("step", &step, "squares"_a, "threads"_a, "over"_a.noconvert(),
             "disc_differences"_a.noconvert(), "planes"_a.noconvert(), "masks"_a.noconvert(),
             "black_turn"_a.noconvert())
        .def(
            "observe",
            [](const BatchedGames& games, const Bytes& planes, const Bytes& masks,
               const Bytes& black_turn) {
                games.observe(view_of(games, planes, masks, black_turn));
            },
            "planes"_a.noconvert(), "masks"_a.noconvert(), "black_turn"_a.noconvert())
        .def("positions", &positions, "The discs of the movers and of their opponents.")
        .def("draw_moves", &draw_moves, "A random legal move for each game.");
}

}  // namespace outflank::bindings
