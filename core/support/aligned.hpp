// Vectors aligned to a cache line, because a vector load across two lines costs double. Large ones
// take whole huge pages of 2 MB, because random look-ups in megabytes of 4 KB pages cause TLB
// misses; a page that is only partly theirs would not become a huge one.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace outflank {

template <class T>
struct Aligned {
    using value_type = T;
    using propagate_on_container_move_assignment = std::true_type;
    static constexpr std::size_t LINE = 64;
    static constexpr std::size_t PAGE = std::size_t{2} << 20;
    static constexpr std::size_t LARGE = PAGE / 2;  // at most half of the memory is unused
    static constexpr std::size_t LARGEST = ~std::size_t{} / 4;  // no overflow by rounding up

    Aligned() = default;
    template <class U>
    explicit Aligned(const Aligned<U>&) {}
    T* allocate(std::size_t count) {
        const std::size_t bytes = count * sizeof(T);
        if (bytes < LARGE || bytes > LARGEST) {
            return static_cast<T*>(::operator new(bytes, alignment(bytes)));
        }
        const std::size_t whole = (bytes + PAGE - 1) / PAGE * PAGE;
        void* memory = ::operator new(whole, alignment(bytes));
#if defined(__linux__)
        (void)madvise(memory, whole, MADV_HUGEPAGE);  // only a hint
#endif
        return static_cast<T*>(memory);
    }
    void deallocate(T* memory, std::size_t count) {
        ::operator delete(memory, alignment(count * sizeof(T)));
    }
    friend bool operator==(const Aligned&, const Aligned&) { return true; }

  private:
    static std::align_val_t alignment([[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
        return std::align_val_t{bytes >= LARGE ? PAGE : LINE};
#else
        return std::align_val_t{LINE};
#endif
    }
};

template <class T>
using AlignedVector = std::vector<T, Aligned<T>>;

// Asks for a cache line that will be needed.
inline void prefetch([[maybe_unused]] const void* memory) {
#if defined(__GNUC__) || defined(__clang__)
    __builtin_prefetch(memory);
#endif
}

}  // namespace outflank
