// The exact solver and the search.
#include "../core/endgame.hpp"
#include "arrays.hpp"

namespace outflank::bindings {

void bind_search(nb::module_& m) {
    nb::class_<EndgameSolver>(m, "EndgameSolver")
        .def(
            "__init__",
            [](EndgameSolver* self, int table_bits,
               std::optional<std::shared_ptr<Evaluator>> order_by, double weight, int threads) {
                new (self) EndgameSolver(table_bits, {order_by.value_or(nullptr), weight}, threads);
            },
            "table_bits"_a, "order_by"_a.none(), "weight"_a, "threads"_a)
        .def("solve", [](EndgameSolver& solver, Bits mover, Bits opponent, int alpha, int beta) {
            Solved solved;
            {
                nb::gil_scoped_release release;
                solved = solver.solve({mover, opponent}, {alpha, beta});
            }
            return std::tuple{solved.score, solved.line, solved.nodes};
        });
}

}  // namespace outflank::bindings
