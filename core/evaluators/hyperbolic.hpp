// tanh by additions, multiplications and one division, so that the compiler vectorises it and every
// machine computes the same bits (libm's results differ between machines).
#pragma once

#include <bit>
#include <cstdint>

namespace outflank {

// tanh x = 1 - 2 / (e^2x + 1). e^y = 2^n e^r with |r| <= ln 2 / 2 and e^r by its series; beyond |x|
// = 20 tanh is 1 to the last bit. Absolute error below 1e-15.
inline double portable_tanh(double x) {
    constexpr double LOG2_E = 1.4426950408889634;
    constexpr double LN2_HIGH = 6.93147180369123816490e-01;  // fdlibm's split of ln 2
    constexpr double LN2_LOW = 1.90821492927058770002e-10;
    constexpr double ROUNDER = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
    x = x > 20.0 ? 20.0 : x;
    x = x < -20.0 ? -20.0 : x;
    const double y = 2.0 * x;
    const double shifted = y * LOG2_E + ROUNDER;
    const double n = shifted - ROUNDER;
    const double r = (y - n * LN2_HIGH) - n * LN2_LOW;
    double series = 1.0 / 6227020800.0;
    series = series * r + 1.0 / 479001600.0;
    series = series * r + 1.0 / 39916800.0;
    series = series * r + 1.0 / 3628800.0;
    series = series * r + 1.0 / 362880.0;
    series = series * r + 1.0 / 40320.0;
    series = series * r + 1.0 / 5040.0;
    series = series * r + 1.0 / 720.0;
    series = series * r + 1.0 / 120.0;
    series = series * r + 1.0 / 24.0;
    series = series * r + 1.0 / 6.0;
    series = series * r + 0.5;
    series = series * r + 1.0;
    series = series * r + 1.0;
    const auto exponent = std::bit_cast<std::uint64_t>(shifted) + 1023;  // n sits in the low bits
    const double power = std::bit_cast<double>(exponent << 52);
    return 1.0 - 2.0 / (power * series + 1.0);
}

}  // namespace outflank
