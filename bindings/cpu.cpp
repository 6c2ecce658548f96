// outflank._cpu: what this processor can run. Built for any machine, and without nanobind, so that
// a wheel asks it before it loads one of its cores (src/outflank/core_variants.py).
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "support/x86_level.hpp"

#if defined(_MSC_VER)
#include <immintrin.h>
#include <intrin.h>
#elif defined(__x86_64__)
#include <cpuid.h>
#endif

namespace {

#if defined(__x86_64__) || defined(_M_X64)
struct Leaf {
    std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

// All zero where the processor has no such leaf.
Leaf cpuid(std::uint32_t leaf) {
    Leaf found;
#if defined(_MSC_VER)
    int registers[4];
    __cpuid(registers, static_cast<int>(leaf & 0x80000000U));
    if (static_cast<std::uint32_t>(registers[0]) >= leaf) {
        __cpuidex(registers, static_cast<int>(leaf), 0);
        found = {static_cast<std::uint32_t>(registers[0]), static_cast<std::uint32_t>(registers[1]),
                 static_cast<std::uint32_t>(registers[2]),
                 static_cast<std::uint32_t>(registers[3])};
    }
#else
    __get_cpuid_count(leaf, 0, &found.eax, &found.ebx, &found.ecx, &found.edx);
#endif
    return found;
}

std::uint64_t saved_state() {
#if defined(_MSC_VER)
    return _xgetbv(0);
#else
    std::uint32_t low;
    std::uint32_t high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return std::uint64_t{high} << 32 | low;
#endif
}

int level() {
    constexpr std::uint32_t OSXSAVE = 1U << 27;
    outflank::X86Registers has;
    has.leaf_1_ecx = cpuid(1).ecx;
    has.leaf_7_ebx = cpuid(7).ebx;
    has.extended_leaf_ecx = cpuid(0x80000001U).ecx;
    has.saved_state = (has.leaf_1_ecx & OSXSAVE) != 0 ? saved_state() : 0;
    return outflank::x86_level(has);
}
#else
int level() { return 0; }
#endif

PyObject* x86_64_level(PyObject*, PyObject*) { return PyLong_FromLong(level()); }
PyObject* native_level(PyObject*, PyObject*) { return PyLong_FromLong(OUTFLANK_NATIVE_LEVEL); }

PyMethodDef methods[] = {
    {"x86_64_level", x86_64_level, METH_NOARGS,
     "The level of x86-64 that processor and system can run: 1, 3 (AVX2) or 4 (AVX-512); 0 on "
     "others."},
    {"native_level", native_level, METH_NOARGS,
     "The level that a core tuned for the machine it was built on needs; 0 if there is none."},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_cpu", nullptr, 0, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__cpu() { return PyModule_Create(&definition); }
