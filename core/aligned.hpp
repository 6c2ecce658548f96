// Vectors that begin on a cache line: a vector register loaded across two lines costs double.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace outflank {

template <class T>
struct OnCacheLine {
    using value_type = T;
    static constexpr std::align_val_t LINE{64};

    OnCacheLine() = default;
    template <class U>
    explicit OnCacheLine(const OnCacheLine<U>&) {}
    T* allocate(std::size_t count) {
        return static_cast<T*>(::operator new(count * sizeof(T), LINE));
    }
    void deallocate(T* memory, std::size_t) { ::operator delete(memory, LINE); }
    friend bool operator==(const OnCacheLine&, const OnCacheLine&) { return true; }
};

template <class T>
using AlignedVector = std::vector<T, OnCacheLine<T>>;

}  // namespace outflank
