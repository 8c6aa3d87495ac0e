#include "@name@.h"

#include <filesystem>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/io/crc32c.h"
#include "core/io/line_reader.h"

namespace @name@_plugin {
namespace {

using namespace phraseq;

/// A complete split in memory. Several threads may read it at the same time, so nothing changes
/// after construction.
class Pairs final : public Corpus {
 public:
  explicit Pairs(std::vector<Example> examples, uint32_t checksum)
      : examples_(std::move(examples)), checksum_(checksum) {}

  int64_t size() const override { return static_cast<int64_t>(examples_.size()); }
  int64_t source_length(int64_t index) const override {
    return static_cast<int64_t>(at(index).source.size());
  }
  int64_t target_length(int64_t index) const override {
    return static_cast<int64_t>(at(index).target.size());
  }
  Example get(int64_t index) const override { return at(index); }
  /// Equal for equal text; compared when a run is resumed.
  std::string fingerprint() const override {
    return fmt::format("@name@ {} pairs, crc32c {:08x}", size(), checksum_);
  }

 private:
  const Example& at(int64_t index) const { return examples_[static_cast<size_t>(index)]; }

  std::vector<Example> examples_;
  uint32_t checksum_;
};

uint32_t checksum_of(const std::vector<std::string>& lines, uint32_t checksum) {
  for (const std::string& line : lines) {
    checksum = crc32c(std::as_bytes(std::span(line)), checksum);
    checksum = crc32c(std::as_bytes(std::span("\n", 1)), checksum);
  }
  return checksum;
}

}  // namespace

std::string Loader::file(const std::string& split, const std::string& language) const {
  return fmt::format("{}/{}.{}", setup_.folder, split, language);
}

bool Loader::has_split(const std::string& split) const {
  return std::filesystem::is_regular_file(file(split, setup_.source_language));
}

std::unique_ptr<Corpus> Loader::open(const std::string& split, bool training) const {
  // Such a loader encodes in Corpus::get, with a seed that is a function of setup_.seed, the epoch
  // (Corpus::start_epoch) and the line.
  if (training && setup_.sample) {
    throw UsageError("--bpe-dropout: the data loader @name@ does not segment text at random",
                     "Train without --bpe-dropout, or with --data-loader text.");
  }
  if (setup_.phrases || (training && setup_.alignments)) {
    throw UsageError("the data loader @name@ reads neither phrases nor alignments",
                     "Use --data-loader indexed with the folder that phraseq preprocess makes.");
  }
  const std::string source_file = file(split, setup_.source_language);
  const std::string target_file = file(split, setup_.target_language);
  const auto sources = read_lines(source_file);
  const auto targets = read_lines(target_file);
  if (sources.size() != targets.size()) {
    throw DataError(fmt::format("{} has {} lines, but {} has {}",
                                source_file,
                                sources.size(),
                                target_file,
                                targets.size()),
                    "Line i of one file must be the translation of line i of the other.");
  }
  std::vector<Example> examples;
  for (size_t i = 0; i < sources.size(); ++i) {
    examples.push_back({static_cast<int64_t>(i),
                        setup_.encode_source(sources[i], std::nullopt),
                        setup_.encode_target(targets[i], std::nullopt),
                        {}});
  }
  return std::make_unique<Pairs>(std::move(examples),
                                 checksum_of(targets, checksum_of(sources, 0)));
}

}  // namespace @name@_plugin
