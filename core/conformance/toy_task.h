#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/data/task.h"

namespace phraseq::conformance {

inline constexpr const char* kToyTask = "conformance_toy";

struct PHRASEQ_API ToyTaskOptions final : Options {
  int64_t source_words = 8;
  int64_t target_words = 10;

  void describe(OptionTable& table) override;
};

/// A task over made-up words, w0, w1 …: vocabularies and batches without any file. Both sides have
/// one dictionary when they have equally many words.
class PHRASEQ_API ToyTask final : public Task {
 public:
  ToyTask(const ToyTaskOptions& options, const TaskSetup& setup);

  const Dictionary& source_dictionary() const override { return source_; }
  const Dictionary& target_dictionary() const override { return target_; }
  const std::string& source_language() const override { return source_language_; }
  const std::string& target_language() const override { return target_language_; }
  ArchitectureSetup architecture_setup() const override;
  void set_conventions(const SequenceConventions& conventions) override;
  bool has_split(const std::string& split) const override;
  std::unique_ptr<Corpus> open(const std::string& split, bool training) const override;
  Batch collate(const std::vector<Example>& examples) const override;
  Example encode(const std::string& source,
                 const std::optional<std::string>& target) const override;
  std::string symbols(std::span<const int64_t> ids, bool target_side) const override;
  std::string text(std::span<const int64_t> ids, bool target_side) const override;
  TaskState save() const override { return {}; }

 private:
  Dictionary source_, target_;
  std::string source_language_ = "toy-source", target_language_ = "toy-target";
  SequenceConventions conventions_;
};

/// Puts the toy task into a registry, so that checkpoints can name it.
PHRASEQ_API void add_toy_task(Registry& registry);

}  // namespace phraseq::conformance
