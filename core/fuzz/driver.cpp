// Drives the fuzz target where the compiler has no libFuzzer: every file of a corpus, then RUNS
// inputs derived from it or random. Not guided by coverage, but the same inputs everywhere.
//
//   fuzz_networks RUNS SEED CORPUS...
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/random.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using outflank::Generator;
using Input = std::vector<std::uint8_t>;

std::vector<Input> corpus_of(char** first, char** last) {
    std::vector<Input> corpus;
    for (; first != last; ++first) {
        std::vector<std::filesystem::path> paths;
        for (const auto& entry : std::filesystem::directory_iterator(*first)) {
            paths.push_back(entry.path());
        }
        std::sort(paths.begin(), paths.end());
        for (const auto& path : paths) {
            std::ifstream file(path, std::ios::binary);
            corpus.emplace_back(std::istreambuf_iterator<char>(file),
                                std::istreambuf_iterator<char>());
        }
    }
    return corpus;
}

std::uint8_t any_byte(Generator& generator) {
    return static_cast<std::uint8_t>(generator.below(256));
}

// A random shape or perceptron, or a member of the corpus with bytes changed, removed or repeated.
Input made(Generator& generator, const std::vector<Input>& corpus) {
    Input input;
    if (corpus.empty() || generator.below(2) == 0) {
        input.push_back(generator.below(8) == 0 ? 'm' : 's');
        for (int left = generator.below(200); left > 0; --left) {
            input.push_back(any_byte(generator));
        }
        return input;
    }
    input = corpus[static_cast<std::size_t>(generator.below(static_cast<int>(corpus.size())))];
    for (int changes = 1 + generator.below(8); changes > 0 && !input.empty(); --changes) {
        const auto size = static_cast<int>(input.size());
        const auto at = input.begin() + generator.below(size);
        switch (generator.below(4)) {
            case 0: *at = any_byte(generator); break;
            case 1:
                *at = static_cast<std::uint8_t>("0123456789 {}.-+e,"[generator.below(18)]);
                break;
            case 2:
                input.erase(at, at + generator.below(static_cast<int>(input.end() - at)));
                break;
            default: {
                const Input copied(at, at + generator.below(static_cast<int>(input.end() - at)));
                input.insert(input.begin() + generator.below(size), copied.begin(), copied.end());
            }
        }
    }
    return input;
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 3) {
        std::fputs("usage: fuzz_networks RUNS SEED CORPUS...\n", stderr);
        return 2;
    }
    const std::uint64_t runs = std::strtoull(arguments[1], nullptr, 10);
    const std::uint64_t seed = std::strtoull(arguments[2], nullptr, 10);
    const auto corpus = corpus_of(arguments + 3, arguments + count);
    for (const Input& input : corpus) {
        LLVMFuzzerTestOneInput(input.data(), input.size());
    }
    for (std::uint64_t run = 0; run < runs; ++run) {
        Generator generator(seed, run);
        const Input input = made(generator, corpus);
        LLVMFuzzerTestOneInput(input.data(), input.size());
    }
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    std::printf("%zu files of the corpus and %llu made inputs: refused or played; %ld MB at most\n",
                corpus.size(), static_cast<unsigned long long>(runs), used.ru_maxrss >> 10);
}
