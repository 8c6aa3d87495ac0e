#pragma once

#include <vector>

#include "core/data/translation_task.h"

/// Translation whose batches also contain the length of each source. A starting point:
/// replace the added tensor, and let your architecture or criterion read it from Batch::extras.
namespace @name@_plugin {

struct Settings final : phraseq::TranslationOptions {
  bool count_end = true;

  void describe(phraseq::OptionTable& table) override {
    TranslationOptions::describe(table);
    table.field("@flag@-count-end", count_end, "Count </s> as a source token.");
  }
};

class Task final : public phraseq::TranslationTask {
 public:
  Task(const Settings& options, const phraseq::TaskSetup& setup)
      : TranslationTask(options, setup), options_(options) {}
  /// Adds "source_lengths", [sentences] int64.
  phraseq::Batch collate(const std::vector<phraseq::Example>& examples,
                         const phraseq::SequenceConventions& conventions = {}) const override;

 private:
  Settings options_;
};

}  // namespace @name@_plugin
