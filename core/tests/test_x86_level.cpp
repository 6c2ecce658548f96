// Which core a wheel loads: processors with more and less, also under systems that save fewer
// registers than the processor has.
#include "check.hpp"
#include "support/x86_level.hpp"

using namespace outflank;

namespace {

constexpr std::uint64_t SAVES_SSE = 0x3;
constexpr std::uint64_t SAVES_AVX = 0x7;
constexpr std::uint64_t SAVES_AVX512 = 0xE7;
// As read on one.
constexpr X86Registers CASCADE_LAKE{0xFFFA3203, 0xD19F67EB, 0x121, SAVES_AVX512};
// With the features that the manuals list.
constexpr X86Registers HASWELL{0x7FFAFBFF, 0x000027AB, 0x21, SAVES_AVX};
constexpr X86Registers SANDY_BRIDGE{0x1FBAE3FF, 0, 0x1, SAVES_AVX};  // AVX without AVX2
constexpr X86Registers OLDEST{};

X86Registers with_state(X86Registers has, std::uint64_t saved) {
    has.saved_state = saved;
    return has;
}

void test_processors() {
    CHECK(x86_level(CASCADE_LAKE) == X86_64_V4);
    CHECK(x86_level(HASWELL) == X86_64_V3);
    CHECK(x86_level(SANDY_BRIDGE) == X86_64_V1);
    CHECK(x86_level(OLDEST) == X86_64_V1);
}

void test_systems_that_save_fewer_registers() {
    CHECK(x86_level(with_state(CASCADE_LAKE, SAVES_AVX)) == X86_64_V3);
    CHECK(x86_level(with_state(CASCADE_LAKE, SAVES_AVX | 1U << 5)) == X86_64_V3);
    CHECK(x86_level(with_state(CASCADE_LAKE, SAVES_SSE)) == X86_64_V1);
    CHECK(x86_level(with_state(HASWELL, 0)) == X86_64_V1);
    CHECK(x86_level(with_state(HASWELL, 0x5)) == X86_64_V1);  // YMM without XMM: no system does
}

// Each feature of a level is asked for: without it, the level is lower.
void test_single_features() {
    for (const int bit : {0, 9, 12, 13, 19, 20, 22, 23, 27, 28, 29}) {
        X86Registers has = CASCADE_LAKE;
        has.leaf_1_ecx &= ~(1U << bit);
        CHECK(x86_level(has) == X86_64_V1);
    }
    for (const int bit : {3, 5, 8, 16, 17, 28, 30, 31}) {
        X86Registers has = CASCADE_LAKE;
        has.leaf_7_ebx &= ~(1U << bit);
        CHECK(x86_level(has) == (bit < 16 ? X86_64_V1 : X86_64_V3));
    }
    for (const int bit : {0, 5}) {
        X86Registers has = CASCADE_LAKE;
        has.extended_leaf_ecx &= ~(1U << bit);
        CHECK(x86_level(has) == X86_64_V1);
    }
}

}  // namespace

int main() {
    test_processors();
    test_systems_that_save_fewer_registers();
    test_single_features();
    return 0;
}
