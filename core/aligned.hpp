// Vectors that begin on a cache line, for a vector register loaded across two lines costs double;
// large ones on pages of 2 MB, for look-ups all over many megabytes of small pages miss the
// processor's list of pages.
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
            (void)madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: all works without, only slower
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
