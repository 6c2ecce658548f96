// Which level of the x86-64 psABI a processor and its operating system can run, from the registers
// that the instructions CPUID and XGETBV give. Pure, so that tests can try machines they lack.
//
// An extension counts only if the system saves its registers when it switches threads: a processor
// with AVX-512 under a system (or a virtual machine) that does not is one of level 3.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace outflank {

struct X86Registers {
    std::uint32_t leaf_1_ecx = 0;         // CPUID 1
    std::uint32_t leaf_7_ebx = 0;         // CPUID 7, subleaf 0
    std::uint32_t extended_leaf_ecx = 0;  // CPUID 0x80000001
    std::uint64_t saved_state = 0;        // XGETBV 0; 0 if the system does not use XSAVE
};

inline constexpr int X86_64_V1 = 1;  // any 64-bit processor: SSE2
inline constexpr int X86_64_V3 = 3;  // AVX2, BMI1, BMI2, FMA, F16C, LZCNT, MOVBE, with all of v2
inline constexpr int X86_64_V4 = 4;  // AVX-512: F, BW, CD, DQ, VL

// Level 2 counts as 1: no core is built for it.
constexpr int x86_level(const X86Registers& has) {
    const auto every_bit = [](std::uint64_t set, std::initializer_list<int> bits) {
        for (const int bit : bits) {
            if ((set >> bit & 1) == 0) {
                return false;
            }
        }
        return true;
    };
    // SSE3, SSSE3, FMA, CMPXCHG16B, SSE4.1, SSE4.2, MOVBE, POPCNT, OSXSAVE, AVX, F16C; BMI1, AVX2,
    // BMI2; LAHF, LZCNT; the system saves XMM and YMM registers.
    if (!every_bit(has.leaf_1_ecx, {0, 9, 12, 13, 19, 20, 22, 23, 27, 28, 29}) ||
        !every_bit(has.leaf_7_ebx, {3, 5, 8}) || !every_bit(has.extended_leaf_ecx, {0, 5}) ||
        !every_bit(has.saved_state, {1, 2})) {
        return X86_64_V1;
    }
    // AVX512F, DQ, CD, BW, VL; the system saves mask registers and both parts of ZMM registers.
    return every_bit(has.leaf_7_ebx, {16, 17, 28, 30, 31}) && every_bit(has.saved_state, {5, 6, 7})
               ? X86_64_V4
               : X86_64_V3;
}

}  // namespace outflank
