// Slots of a network in blocks of four that cannot read the same entry.
#pragma once

#include <algorithm>

#include "evaluators/ntuple_network.hpp"

namespace outflank {

// Slots of different tables have no entry in common, so that the weights of a block may be changed
// at once. Slots of one table keep their order. What is left when fewer than four tables have slots
// comes last, one by one.
class DistinctEntries {
  public:
    static constexpr std::size_t BLOCK = 4;

    explicit DistinctEntries(const Slots& slots) {
        struct Queue {
            Index table;
            std::vector<std::uint32_t> slots;  // last first
        };
        std::vector<Queue> queues;
        for (auto k = static_cast<std::size_t>(slots.count); k-- > 0;) {
            auto queue = std::ranges::find(queues, slots.tables[k].first, &Queue::table);
            if (queue == queues.end()) {
                queue = queues.insert(queue, {slots.tables[k].first, {}});
            }
            queue->slots.push_back(static_cast<std::uint32_t>(k));
        }
        const auto longer = [](const Queue& a, const Queue& b) {
            return a.slots.size() > b.slots.size();
        };
        std::ranges::stable_sort(queues, longer);
        while (queues.size() >= BLOCK && !queues[BLOCK - 1].slots.empty()) {
            for (std::size_t i = 0; i < BLOCK; ++i) {
                order_.push_back(queues[i].slots.back());
                queues[i].slots.pop_back();
            }
            std::ranges::stable_sort(queues, longer);
        }
        in_blocks_ = order_.size();
        for (Queue& queue : queues) {
            order_.insert(order_.end(), queue.slots.rbegin(), queue.slots.rend());
        }
    }

    std::span<const std::uint32_t> in_blocks() const { return std::span(order_).first(in_blocks_); }
    std::span<const std::uint32_t> left() const { return std::span(order_).subspan(in_blocks_); }
    std::size_t bytes() const { return order_.size() * sizeof(std::uint32_t); }

  private:
    std::vector<std::uint32_t> order_;
    std::size_t in_blocks_ = 0;
};

}  // namespace outflank
