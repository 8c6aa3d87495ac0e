#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/batch_options.h"
#include "core/options/on_bad_line.h"
#include "core/options/option_table.h"
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
  BatchOptions batches;
  int64_t buffer_size;
  int64_t seed = 1;
  bool truncate_source = false;
  OnBadLine on_bad_line = OnBadLine::kError;
  bool quiet = false;
  bool profile = false;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

}  // namespace phraseq
