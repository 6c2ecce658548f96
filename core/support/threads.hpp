// Threads, in one place: work shared among them, and exceptions of any of them rethrown to the
// caller.
//
// If a thread cannot be started (no memory for its stack, a limit on processes), the others do its
// share: results do not depend on the number of threads. With OUTFLANK_THREADS=0 no thread can be
// started at all, locks do nothing, and all work is done by the caller.
#pragma once

#ifndef OUTFLANK_THREADS
#define OUTFLANK_THREADS 1
#endif

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <vector>
#if OUTFLANK_THREADS
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#endif

#include "support/errors.hpp"

namespace outflank {

#if OUTFLANK_THREADS

using Mutex = std::mutex;
using Lock = std::unique_lock<std::mutex>;
using ConditionVariable = std::condition_variable;
inline void yield_thread() { std::this_thread::yield(); }

// Joined when it goes out of scope.
class ThreadGroup {
  public:
    ThreadGroup() = default;
    ThreadGroup(const ThreadGroup&) = delete;
    ThreadGroup& operator=(const ThreadGroup&) = delete;
    ~ThreadGroup() { join(); }

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
    void join() {
        for (std::thread& thread : threads_) {
            thread.join();
        }
        threads_.clear();
    }

  private:
    std::vector<std::thread> threads_;  // not std::jthread, which Apple's library lacks
};

// The first exception of several threads.
class FirstError {
  public:
    // Calls work(); false if it threw.
    template <class Work>
    bool guard(Work work) {
        try {
            work();
        } catch (...) {
            const Lock lock(mutex_);
            if (!error_) {
                error_ = std::current_exception();
            }
            return false;
        }
        return true;
    }
    void rethrow() const {
        if (error_) {
            std::rethrow_exception(error_);
        }
    }

  private:
    Mutex mutex_;
    std::exception_ptr error_;
};

#else

struct Mutex {};
class Lock {
  public:
    explicit Lock(Mutex&) {}
    ~Lock() {}  // not trivial: a lock is never an unused variable
    void lock() {}
    void unlock() {}
};
struct ConditionVariable {
    void wait(Lock&) {}
    void notify_all() {}
};
inline void yield_thread() {}

class ThreadGroup {
  public:
    template <class Work>
    bool start(Work) {
        return false;
    }
    void join() {}
};

// With one thread an exception needs nobody to carry it.
class FirstError {
  public:
    template <class Work>
    bool guard(Work work) {
        work();
        return true;
    }
    void rethrow() const {}
};

#endif

// Asks a search to stop: set by another thread, or, where there is none, by a function that the
// search calls every few microseconds.
class StopFlag {
  public:
    StopFlag() = default;
    explicit StopFlag(std::function<bool()> poll) : poll_(std::move(poll)) {}
    void set() { is_set_.store(true, std::memory_order_relaxed); }
    bool is_set() const { return is_set_.load(std::memory_order_relaxed) || (poll_ && poll_()); }

  private:
    std::atomic<bool> is_set_{false};
    std::function<bool()> poll_;
};

// Calls work(0) on this thread and work(1), work(2)... on others; returns when all have returned.
// Rethrows the first exception.
template <class Work>
void run_on_threads(int threads, Work work) {
    FirstError error;
    const auto guarded = [&](int number) { error.guard([&] { work(number); }); };
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
    const auto work_until_done = [&] {
        auto&& work_on = make_worker();
        for (std::size_t from = take(); from < count; from = take()) {
            for (std::size_t i = from; i < from + std::min(chunk, count - from); ++i) {
                work_on(i);
            }
        }
    };
    run_on_threads(threads, [&](int) { on_error(work_until_done, [&] { next = count; }); });
}

}  // namespace outflank
