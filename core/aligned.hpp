// Vectors aligned to a cache line, because a vector load across two lines costs double. Large ones
// are aligned to 2 MB and ask for huge pages, because random look-ups in megabytes of 4 KB pages
// cause TLB misses.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace outflank {

template <class T>
struct Aligned {
    using value_type = T;
    static constexpr std::size_t LINE = 64;
    static constexpr std::size_t PAGE = std::size_t{2} << 20;

    Aligned() = default;
    template <class U>
    explicit Aligned(const Aligned<U>&) {}
    T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        void* memory = ::operator new(bytes, alignment(bytes));
#if defined(__linux__)
        if (bytes >= PAGE) {
            (void)madvise(memory, bytes, MADV_HUGEPAGE);  // only a hint
        }
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t count) {
        ::operator delete(memory, alignment(count * sizeof(T)));
    }
    friend bool operator==(const Aligned&, const Aligned&) { return true; }

  private:
    static std::align_val_t alignment(std::size_t bytes) {
        return std::align_val_t{bytes >= PAGE ? PAGE : LINE};
    }
};

template <class T>
using AlignedVector = std::vector<T, Aligned<T>>;

}  // namespace outflank
