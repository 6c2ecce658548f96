// Errors, in one place: throwing, and the few places that clean up after an exception.
//
// Without exceptions (-fno-exceptions, as in WebAssembly) an error cannot be caught: fail() hands
// its sentence to the host, which gives up on the whole instance. See bindings/wasm/.
#pragma once

#include <stdexcept>
#include <string>

namespace outflank {

#if defined(__cpp_exceptions)

template <class Error = std::invalid_argument>
[[noreturn]] void fail(const std::string& sentence) {
    throw Error(sentence);
}

// Calls work(); if it throws, calls clean_up() and rethrows.
template <class Work, class CleanUp>
void on_error(Work work, CleanUp clean_up) {
    try {
        work();
    } catch (...) {
        clean_up();
        throw;
    }
}

#else

// Provided by the host.
[[noreturn]] void host_fail(const char* sentence, std::size_t length);

template <class Error = std::invalid_argument>
[[noreturn]] void fail(const std::string& sentence) {
    host_fail(sentence.data(), sentence.size());
}

template <class Work, class CleanUp>
void on_error(Work work, CleanUp) {
    work();
}

#endif

}  // namespace outflank
