// NumPy arrays in and out, and the argument checks that all bindings share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <optional>

#include "evaluators/board_counts.hpp"
#include "evaluators/deep_layers.hpp"
#include "evaluators/ntuple_network.hpp"
#include "playing/players.hpp"
#include "rules/position.hpp"

namespace outflank::bindings {

namespace nb = nanobind;
using namespace nb::literals;

template <class T>
using Vector = nb::ndarray<const T, nb::numpy, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::numpy, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using NewVector = nb::ndarray<nb::numpy, T, nb::ndim<1>, nb::c_contig>;
template <class T>
using NewMatrix = nb::ndarray<nb::numpy, T, nb::ndim<2>, nb::c_contig>;

inline void require(bool condition, const char* message) {
    if (!condition) {
        throw nb::value_error(message);
    }
}

inline void check_threads(int threads) {
    require(threads >= 1 && threads <= 1024, "threads must be within 1..1024");
}

// Searches and books have positions as (mover, opponent), games and evaluators boards by colour.
inline Position checked_position(Bits mover, Bits opponent) {
    require((mover & opponent) == 0, "a square holds a black and a white disc");
    return {mover, opponent};
}
inline Board checked_board(Bits black, Bits white, bool black_moves) {
    checked_position(black, white);
    return {black, white, black_moves ? Colour::black : Colour::white};
}

// Calls work() without the GIL.
template <class Work>
auto without_gil(Work work) {
    const nb::gil_scoped_release release;
    return work();
}

template <class T>
std::span<const T> span_of(const Vector<T>& array) {
    return {array.data(), array.shape(0)};
}

// Hands a vector's memory to numpy.
template <class T>
nb::capsule owner_of(std::vector<T>* moved) {
    return nb::capsule(moved, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
}

template <class T>
NewVector<T> to_numpy(std::vector<T> values) {
    auto* moved = new std::vector<T>(std::move(values));
    return NewVector<T>(moved->data(), {moved->size()}, owner_of(moved));
}

template <class T>
NewMatrix<T> to_numpy(std::vector<T> values, std::size_t columns) {
    auto* moved = new std::vector<T>(std::move(values));
    return NewMatrix<T>(moved->data(), {moved->size() / columns, columns}, owner_of(moved));
}

// get(item) of every item.
template <class Items, class Get>
auto column_of(const Items& items, Get get) {
    std::vector<std::decay_t<std::invoke_result_t<Get, decltype(*items.begin())>>> values;
    values.reserve(items.size());
    for (const auto& item : items) {
        values.push_back(std::invoke(get, item));
    }
    return to_numpy(std::move(values));
}

inline void check_boards(const Vector<Bits>& black, const Vector<Bits>& white) {
    require(black.shape(0) == white.shape(0), "black and white must have the same length");
    for (std::size_t i = 0; i < black.shape(0); ++i) {
        checked_position(black.data()[i], white.data()[i]);
    }
}

// Boards from three arrays.
inline std::vector<Board> boards_of(const Vector<Bits>& black, const Vector<Bits>& white,
                                    const Vector<bool>& black_moves) {
    require(black.shape(0) == white.shape(0), "black and white must have the same length");
    require(black_moves.shape(0) == black.shape(0), "there must be one mover for each board");
    std::vector<Board> boards;
    for (std::size_t i = 0; i < black.shape(0); ++i) {
        boards.push_back(checked_board(black.data()[i], white.data()[i], black_moves.data()[i]));
    }
    return boards;
}

// One matrix per table: a row of squares per placement.
using Placements = std::vector<Matrix<std::uint8_t>>;
std::vector<TupleTable> tables_of(const Placements& placements);
DeepShape deep_shape(int vector, int hidden, int stages);

// Opponents of a learner; None: itself.
using Opponents = std::vector<std::optional<std::shared_ptr<Player>>>;
std::vector<std::shared_ptr<Player>> players_of(const Opponents& opponents);
std::vector<BoardCount> counts_of(const std::vector<std::string>& names);

void bind_batched_games(nb::module_& m);
void bind_book(nb::module_& m);
void bind_evaluators(nb::module_& m);
void bind_games(nb::module_& m);
void bind_learning(nb::module_& m);
void bind_search(nb::module_& m);
void bind_records(nb::module_& m);
void bind_teaching(nb::module_& m);

}  // namespace outflank::bindings
