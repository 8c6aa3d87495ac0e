#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/run/model_options.h"
#include "core/run/run_components.h"
#include "core/translate/translation_text.h"

namespace phraseq {

/// What is translated and how it is written down.
struct PHRASEQ_API GenerateOptions : Options {
  explicit GenerateOptions(bool line_by_line);

  bool interactive;  ///< line by line: no data folder, small buffers
  std::string data;
  std::string gen_subset = "test";
  std::string input = "-";
  std::string trees;
  std::string output = "-";
  TranslationFormat format;
  std::string decoder = "beam";
  bool sampling = false;
  std::string metric = "bleu";
  int64_t max_tokens = 0;
  int64_t batch_size = 0;
  int64_t buffer_size;
  int64_t seed = 1;
  bool truncate_source = false;
  std::string on_bad_line = "error";
  bool quiet = false;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

/// `phraseq generate` and `phraseq interactive`: everything chosen and described, not yet parsed.
struct PHRASEQ_API GenerateRun {
  GenerateRun(std::span<const std::string> arguments, bool line_by_line);

  std::unique_ptr<LoadedPlugins> loaded;
  GenerateOptions options;
  ModelOptions model;
  OptionTable table;
  Selection decoder;
  Selection metric;  ///< chosen and described when --scoring is given

  std::vector<std::string> problems();
};

/// Translates everything; the exit code.
PHRASEQ_API int generate(GenerateRun& run);

}  // namespace phraseq
