// Threads, in one place: work shared among them, and whatever one of them throws handed on to the
// caller.
//
// A thread that cannot be started (no memory for its stack, a limit on processes) is done without:
// the others do its share, and results do not depend on how many there are.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace outflank {

// Threads that are joined when this goes out of scope.
class ThreadGroup {
  public:
    // False if the system has no room for another thread.
    template <class Work>
    bool start(Work work) {
        try {
            threads_.emplace_back(std::move(work));
        } catch (const std::system_error&) {
            return false;
        }
        return true;
    }
    void join() { threads_.clear(); }

  private:
    std::vector<std::jthread> threads_;
};

// The first exception that any of several threads met.
class FirstError {
  public:
    // Inside a catch block.
    void keep_current() {
        const std::lock_guard lock(mutex_);
        if (!error_) {
            error_ = std::current_exception();
        }
    }
    void rethrow() const {
        if (error_) {
            std::rethrow_exception(error_);
        }
    }

  private:
    std::mutex mutex_;
    std::exception_ptr error_;
};

// Calls work(0) on this thread and work(1), work(2)... on others; returns when all have returned.
// The first exception is thrown again here.
template <class Work>
void run_on_threads(int threads, Work work) {
    FirstError error;
    const auto guarded = [&](int number) {
        try {
            work(number);
        } catch (...) {
            error.keep_current();
        }
    };
    {
        ThreadGroup others;
        for (int i = 1; i < threads && others.start([&, i] { guarded(i); }); ++i) {
        }
        guarded(0);
    }
    error.rethrow();
}

// Shares pieces of work number 0..count-1 among threads: each takes `at_a_time` before it asks for
// more. `worker()` makes what does them, once per thread. After an exception no new piece is begun.
template <class MakeWorker>
void share_work(std::size_t count, std::size_t at_a_time, int threads, MakeWorker worker) {
    std::atomic<std::size_t> next{0};
    const auto take = [&] {
        // Not a plain fetch_add: `next` stays near count, whatever count is, and cannot wrap.
        std::size_t from = next.load(std::memory_order_relaxed);
        while (from < count &&
               !next.compare_exchange_weak(from, from + std::min(at_a_time, count - from))) {
        }
        return from;
    };
    run_on_threads(threads, [&](int) {
        try {
            auto&& piece = worker();
            for (std::size_t from = take(); from < count; from = take()) {
                for (std::size_t i = from; i < from + std::min(at_a_time, count - from); ++i) {
                    piece(i);
                }
            }
        } catch (...) {
            next = count;
            throw;
        }
    });
}

}  // namespace outflank
