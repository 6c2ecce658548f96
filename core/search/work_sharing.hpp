// The young brothers wait concept (Feldmann 1993): once a node's first move has failed to cut, its
// other moves may be searched by several threads.
//
// A thread that has such a node opens a SharedNode, so that a thread that becomes idle finds work
// at once; it joins the oldest, whose moves have the largest subtrees, and takes moves one by one.
// A thread whose own node has no moves left, but is still worked on by others, helps them: it joins
// nodes that were opened below.
#pragma once

#include <functional>

#include "support/threads.hpp"

namespace outflank {

struct SharedNode {
    const SharedNode* parent = nullptr;  // the shared node in whose subtree this one was opened
    // Takes moves until none is left, on thread number 0, 1, ...
    std::function<void(SharedNode&, int)> work;
    std::atomic<bool> cut{false};  // no further move matters
    int workers = 0;               // guarded by the team's mutex
    FirstError error;

    bool is_below(const SharedNode* other) const {
        const SharedNode* node = this;
        while (node != nullptr && node != other) {
            node = node->parent;
        }
        return node == other;
    }
    bool is_cut() const {
        for (const SharedNode* node = this; node != nullptr; node = node->parent) {
            if (node->cut.load(std::memory_order_relaxed)) {
                return true;
            }
        }
        return false;
    }
};

class Team {
  public:
    explicit Team(int helpers) {
        for (int i = 1; i <= helpers; ++i) {
            if (!threads_.start([this, i] { help(nullptr, i, [this] { return quit_; }); })) {
                break;
            }
            has_helpers_ = true;
        }
    }
    ~Team() {
        const Lock lock(mutex_);
        quit_ = true;
        wake();
    }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    bool has_helpers() const { return has_helpers_; }
    // Whether a thread waits for work; it may have found some since.
    bool has_idle() const { return idle_.load(std::memory_order_relaxed) > 0; }

    // Works on a node together with idle threads; returns when all its moves are done and no thread
    // uses it any more. `thread`: the caller's number, 0 unless it is a helper. Rethrows the first
    // exception.
    void share(SharedNode& node, int thread) {
        {
            const Lock lock(mutex_);
            open_.push_back(&node);
            wake();
        }
        work_on(node, thread);
        {
            const Lock lock(mutex_);
            std::erase(open_, &node);
        }
        help(&node, thread, [&node] { return node.workers == 0; });
        node.error.rethrow();
    }

  private:
    static void work_on(SharedNode& node, int thread) {
        if (!node.error.guard([&] { node.work(node, thread); })) {
            node.cut = true;
        }
    }

    // Joins open nodes (below one, if given) until done(), which is called under the mutex.
    template <class Done>
    void help(const SharedNode* below, int thread, Done done) {
        Lock lock(mutex_);
        while (!done()) {
            const auto found = std::find_if(
                open_.begin(), open_.end(),
                [&](const SharedNode* node) { return below == nullptr || node->is_below(below); });
            if (found == open_.end()) {
                wait(lock);
                continue;
            }
            SharedNode& node = **found;
            ++node.workers;
            lock.unlock();
            work_on(node, thread);
            lock.lock();
            std::erase(open_, &node);  // it has no move left to give
            --node.workers;
            wake();
        }
    }

    // Waits for a change. Most waits are shorter than it takes to wake a thread that sleeps, so a
    // thread first looks for a while, but lets others run.
    void wait(Lock& lock) {
        constexpr int LOOKS = 3000;
        const std::uint64_t seen = changes_;
        ++idle_;
        lock.unlock();
        for (int i = 0; i < LOOKS && changes_.load(std::memory_order_relaxed) == seen; ++i) {
            yield_thread();
        }
        lock.lock();
        if (changes_ == seen) {
            ++asleep_;
            changed_.wait(lock);
            --asleep_;
        }
        --idle_;
    }
    // Called under the mutex.
    void wake() {
        ++changes_;
        if (asleep_ > 0) {
            changed_.notify_all();
        }
    }

    Mutex mutex_;
    ConditionVariable changed_;
    std::vector<SharedNode*> open_;
    std::atomic<std::uint64_t> changes_{0};  // written under the mutex
    std::atomic<int> idle_{0};               // written under the mutex
    int asleep_ = 0;
    bool has_helpers_ = false;
    bool quit_ = false;
    ThreadGroup threads_;  // last: joined first
};

}  // namespace outflank
