// Threads, in one place: work shared among them, and exceptions of any of them rethrown to the
// caller.
//
// If a thread cannot be started (no memory for its stack, a limit on processes), the others do its
// share: results do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace outflank {

// Joined when it goes out of scope.
class ThreadGroup {
  public:
    // False if the system cannot start another thread.
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

// The first exception of several threads.
class FirstError {
  public:
    // Called inside a catch block.
    void capture() {
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
// Rethrows the first exception.
template <class Work>
void run_on_threads(int threads, Work work) {
    FirstError error;
    const auto guarded = [&](int number) {
        try {
            work(number);
        } catch (...) {
            error.capture();
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

// Shares items 0..count-1 among threads in chunks. `make_worker()` is called once per thread; what
// it returns is called with each item. After an exception no new item is started.
template <class MakeWorker>
void share_work(std::size_t count, std::size_t chunk, int threads, MakeWorker make_worker) {
    std::atomic<std::size_t> next{0};
    const auto take = [&] {
        // Not fetch_add, which could wrap if chunk is huge.
        std::size_t from = next.load(std::memory_order_relaxed);
        while (from < count &&
               !next.compare_exchange_weak(from, from + std::min(chunk, count - from))) {
        }
        return from;
    };
    run_on_threads(threads, [&](int) {
        try {
            auto&& work_on = make_worker();
            for (std::size_t from = take(); from < count; from = take()) {
                for (std::size_t i = from; i < from + std::min(chunk, count - from); ++i) {
                    work_on(i);
                }
            }
        } catch (...) {
            next = count;
            throw;
        }
    });
}

}  // namespace outflank
