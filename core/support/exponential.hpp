// e^x by additions and multiplications alone, so that every machine computes the same bits: the
// results of libm and of NumPy's vector code differ in the last bit between processors.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace outflank {

// A number as the unevaluated sum of two doubles, about 106 bits (Dekker 1971).
struct DoubleDouble {
    double high;
    double low;
};

// The exact product of two doubles: each is split into halves of 26 bits, whose products are exact.
inline DoubleDouble exact_product(double a, double b) {
    constexpr double SPLITTER = 134217729.0;  // 2^27 + 1
    const double a_high = SPLITTER * a - (SPLITTER * a - a);
    const double b_high = SPLITTER * b - (SPLITTER * b - b);
    const double a_low = a - a_high;
    const double b_low = b - b_high;
    const double product = a * b;
    return {product,
            ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

// The sum of two doubles of which the first is not the smaller one.
inline DoubleDouble ordered_sum(double large, double small) {
    const double sum = large + small;
    return {sum, small - (sum - large)};
}

// e^x = 2^n (e^(r / 256))^256 with |r| <= ln 2 / 2: a short series, then eight squarings. The error
// is below 0.501 units in the last place. Beyond +-708, near the end of the doubles, x counts as
// +-708.
inline double portable_exp(double x) {
    constexpr double LOG2_E = 1.4426950408889634;
    constexpr double LN2_HIGH = 6.93147180369123816490e-01;  // fdlibm's split: n LN2_HIGH is exact
    constexpr double LN2_LOW = 1.90821492927058770002e-10;
    constexpr double LN2_REST = 1.1612227229362532e-26;  // ln 2 - LN2_HIGH - LN2_LOW
    constexpr double ROUNDER = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
    x = std::clamp(x, -708.0, 708.0);
    const double shifted = x * LOG2_E + ROUNDER;
    const double n = shifted - ROUNDER;
    const DoubleDouble part = exact_product(n, LN2_LOW);
    const double near = x - n * LN2_HIGH;
    DoubleDouble r = {near - part.high, 0};
    const double back = near - r.high;  // the rounding of that difference (Knuth's sum)
    r.low = ((near - (r.high + back)) + (back - part.high)) - part.low - n * LN2_REST;
    r = {r.high / 256, r.low / 256};
    double series = 1.0 / 720;
    series = series * r.high + 1.0 / 120;
    series = series * r.high + 1.0 / 24;
    series = series * r.high + 1.0 / 6;
    series = series * r.high + 0.5;
    // e^r - 1 rather than e^r: its squarings lose no bits to the one. (1 + a)^2 - 1 = 2 a + a^2.
    DoubleDouble a = ordered_sum(r.high, r.low + r.high * r.high * series);
    for (int squaring = 0; squaring < 8; ++squaring) {
        const DoubleDouble square = exact_product(a.high, a.high);
        const DoubleDouble sum = ordered_sum(2 * a.high, square.high);
        a = ordered_sum(sum.high, sum.low + (square.low + 2 * a.low + 2 * a.high * a.low));
    }
    const DoubleDouble power = ordered_sum(1, a.high);
    const double mantissa = power.high + (power.low + a.low);
    const auto exponent = std::bit_cast<std::uint64_t>(shifted) + 1023;  // n sits in the low bits
    return mantissa * std::bit_cast<double>(exponent << 52);
}

}  // namespace outflank
