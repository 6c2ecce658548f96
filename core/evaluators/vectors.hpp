// The machine's vectors of numbers: as wide as its registers, with the few operations that the
// language does not spell.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace outflank {

#if defined(__AVX512F__)
inline constexpr int VECTOR_BYTES = 64;
#elif defined(__AVX__)
inline constexpr int VECTOR_BYTES = 32;
#else
inline constexpr int VECTOR_BYTES = 16;
#endif
#if defined(__AVX512F__) || defined(__aarch64__)
inline constexpr int VECTOR_REGISTERS = 32;
#else
inline constexpr int VECTOR_REGISTERS = 16;
#endif

using Ints [[gnu::vector_size(VECTOR_BYTES)]] = std::int32_t;
using Floats [[gnu::vector_size(VECTOR_BYTES)]] = float;
using Doubles [[gnu::vector_size(VECTOR_BYTES)]] = double;

template <class Number>
using VectorOf =
    std::conditional_t<std::is_same_v<Number, float>, Floats,
                       std::conditional_t<std::is_same_v<Number, double>, Doubles, Ints>>;

template <class Number>
inline constexpr int LANES = VECTOR_BYTES / static_cast<int>(sizeof(Number));

template <class Number>
constexpr int whole_vectors(int numbers) {
    return (numbers + LANES<Number> - 1) / LANES<Number> * LANES<Number>;
}

template <class Number>
inline VectorOf<Number> load(const Number* from) {
    VectorOf<Number> vector;
    std::memcpy(&vector, from, sizeof vector);
    return vector;
}

template <class Number>
inline void store(Number* to, VectorOf<Number> vector) {
    std::memcpy(to, &vector, sizeof vector);
}

// a * b + c. Doubles are rounded twice on every machine; floats, which only estimate, once where
// the machine can.
inline Doubles multiply_add(Doubles a, Doubles b, Doubles c) { return a * b + c; }
inline Floats multiply_add(Floats a, Floats b, Floats c) {
#if defined(__AVX512F__)
    return _mm512_fmadd_ps(a, b, c);
#elif defined(__FMA__)
    return _mm256_fmadd_ps(a, b, c);
#else
    return a * b + c;
#endif
}

// Each lane within -limit..limit. GCC does not turn the comparisons into minimum and maximum.
inline Floats clamp(Floats numbers, float limit) {
    const Floats high = limit - Floats{};
#if defined(__AVX512F__)
    constexpr __mmask16 ALL = 0xFFFF;  // GCC 12 warns of the forms without a mask
    return _mm512_maskz_max_ps(ALL, _mm512_maskz_min_ps(ALL, numbers, high), -high);
#elif defined(__AVX__)
    return _mm256_max_ps(_mm256_min_ps(numbers, high), -high);
#else
    numbers = numbers > high ? high : numbers;
    return numbers < -high ? -high : numbers;
#endif
}

}  // namespace outflank
