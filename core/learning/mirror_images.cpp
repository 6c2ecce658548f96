#include "learning/mirror_images.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "support/errors.hpp"

namespace outflank {
namespace {

using Squares = std::vector<std::uint8_t>;
using Order = std::vector<std::size_t>;  // order[i]: which square of a placement is an image's i-th

Squares image_of(const Squares& squares, int symmetry) {
    Squares image;
    for (const std::uint8_t square : squares) {
        image.push_back(static_cast<std::uint8_t>(lowest_square(symmetric(bit(square), symmetry))));
    }
    return image;
}

// How an image reads the squares of the placement that covers them.
Order order_of(const Squares& image, const TupleTable& table, std::size_t number) {
    // Read in this very order, by snakes for example: nothing to share.
    if (std::ranges::find(table.placements, image) != table.placements.end()) {
        Order same(image.size());
        std::iota(same.begin(), same.end(), std::size_t{0});
        return same;
    }
    for (const Squares& placement : table.placements) {
        if (!std::ranges::is_permutation(placement, image)) {
            continue;
        }
        Order order;
        for (const std::uint8_t square : image) {
            order.push_back(
                static_cast<std::size_t>(std::ranges::find(placement, square) - placement.begin()));
        }
        return order;
    }
    fail("table " + std::to_string(number + 1) +
         " lacks the mirror image of one of its placements, so the network "
         "cannot be symmetric");
}

std::vector<Order> orders_of(const TupleTable& table, std::size_t number) {
    std::vector<Order> orders;
    for (const Squares& placement : table.placements) {
        for (int symmetry = 0; symmetry < 8; ++symmetry) {
            orders.push_back(order_of(image_of(placement, symmetry), table, number));
        }
    }
    std::ranges::sort(orders);
    const auto [first, last] = std::ranges::unique(orders);
    orders.erase(first, last);
    return orders;
}

// The entry that an image finds where the placement finds `entry`.
Index entry_read_in(const Order& order, Index entry, std::size_t length) {
    Index found = 0;
    for (const std::size_t at : order) {
        found = 3 * found + entry / POWERS_OF_3[length - 1 - at] % 3;
    }
    return found;
}

// Joins the rings of two entries, unless they are one: exchanging two links does.
void join(std::span<Index> ring, Index one, Index two) {
    for (Index i = ring[one]; i != one; i = ring[i]) {
        if (i == two) {
            return;
        }
    }
    if (one != two) {
        std::swap(ring[one], ring[two]);
    }
}

}  // namespace

std::vector<Index> mirror_images(std::span<const TupleTable> tables) {
    std::vector<Index> ring(weights_of_one_stage(tables) + 1);
    std::iota(ring.begin(), ring.end(), Index{0});
    Index first = 0;
    for (std::size_t number = 0; number < tables.size(); ++number) {
        const TupleTable& table = tables[number];
        const auto length = static_cast<std::size_t>(table.length);
        for (const Order& order : orders_of(table, number)) {
            for (Index entry = 0; entry < table.weight_count(); ++entry) {
                join(ring, first + entry, first + entry_read_in(order, entry, length));
            }
        }
        first += table.weight_count();
    }
    return ring;
}

}  // namespace outflank
