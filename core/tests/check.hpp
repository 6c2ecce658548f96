// A few lines instead of a test framework: a failed check prints where, and both values.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace outflank::tests {

// How many of n random cases on one thread are tried: all, but an eighth under ThreadSanitizer,
// which is slow and finds nothing in them.
template <class Number>
constexpr Number cases(Number n) {
#if defined(__SANITIZE_THREAD__)
    return n / 8;
#else
    return n;
#endif
}

template <class A, class B>
void check_equal(const A& actual, const B& expected, const char* what, const char* file, int line) {
    if (!(actual == expected)) {
        std::cerr << file << ":" << line << ": " << what << ": got " << actual << ", expected "
                  << expected << "\n";
        std::exit(1);
    }
}

}  // namespace outflank::tests

#define CHECK_EQUAL(actual, expected) \
    ::outflank::tests::check_equal((actual), (expected), #actual, __FILE__, __LINE__)
#define CHECK(condition) CHECK_EQUAL(static_cast<bool>(condition), true)
