// A few lines instead of a test framework: a failed check prints where, and both values.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace outflank::tests {

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
