// The fuzz targets in an ordinary build, with every seed and thousands of mutations from a fixed
// random seed (PHRASEQ_FUZZ_INPUTS sets another number). tests/fuzz/run.sh searches further, with
// sanitizers and coverage.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#define FUZZ_TARGET(name) extern "C" int fuzz_##name(const uint8_t* data, size_t size);
#include "fuzz_targets.inc"
#undef FUZZ_TARGET

namespace phraseq::fuzz {
namespace {

struct Target {
  const char* name;
  int (*run)(const uint8_t*, size_t);
};

#define FUZZ_TARGET(name) {#name, fuzz_##name},
const std::vector<Target> kTargets = {
#include "fuzz_targets.inc"
};
#undef FUZZ_TARGET

/// The number of mutated inputs for each target.
int changed_inputs() {
  const char* asked = std::getenv("PHRASEQ_FUZZ_INPUTS");
  return asked == nullptr ? 3000 : std::atoi(asked);
}

std::vector<std::string> seeds_of(const std::string& target) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(PHRASEQ_SOURCE_FOLDER "/tests/fuzz/corpus/" + target))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds;
  for (const auto& file : files) {
    std::ifstream stream(file, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
  }
  return seeds;
}

/// Makes inputs from seeds by a few changes each.
class Mutator {
 public:
  explicit Mutator(std::vector<std::string> seeds) : seeds_(std::move(seeds)) {}

  std::string next() {
    std::string text = seeds_[below(seeds_.size())];
    for (size_t changes = 1 + below(4); changes > 0; --changes) change(text);
    return text;
  }

 private:
  size_t below(size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  void change(std::string& text) {
    const size_t at = below(text.size() + 1);
    const size_t length = std::min(1 + below(16), text.size() - at);
    switch (below(6)) {
      case 0:
        return void(text.insert(at, 1, static_cast<char>(below(256))));
      case 1:
        return void(text.erase(at, length));
      case 2:
        return void(text.insert(at, text.substr(at, length)));
      case 3:
        return void(text.resize(at));
      case 4: {
        const std::string& other = seeds_[below(seeds_.size())];
        return void(text.insert(at, other.substr(below(other.size()))));
      }
      default:
        if (at < text.size())
          text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
    }
  }

  std::vector<std::string> seeds_;
  std::minstd_rand random_{7};
};

class FuzzTarget : public ::testing::TestWithParam<Target> {
 protected:
  static void run(const std::string& input) {
    EXPECT_NO_THROW(GetParam().run(reinterpret_cast<const uint8_t*>(input.data()), input.size()))
        << ::testing::PrintToString(input);
  }
};

TEST_P(FuzzTarget, AcceptsOrRejectsItsSeedsAndTheirMutations) {
  const auto seeds = seeds_of(GetParam().name);
  ASSERT_FALSE(seeds.empty()) << "tests/fuzz/corpus/" << GetParam().name;
  run("");
  for (const std::string& seed : seeds) run(seed);
  Mutator mutator(seeds);
  const int inputs = changed_inputs();
  for (int i = 0; i < inputs && !HasFailure(); ++i) run(mutator.next());
}

INSTANTIATE_TEST_SUITE_P(Targets,
                         FuzzTarget,
                         ::testing::ValuesIn(kTargets),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace phraseq::fuzz
