#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/io/line_reader.h"
#include "core/options/batch_options.h"
#include "core/options/option_table.h"
#include "core/options/shards/shard_options.h"
#include "core/run/options/decoder_choice.h"
#include "core/score/mbr/expected_utility.h"
#include "core/translate/translation_text.h"

namespace phraseq {

/// The value of --replace-unk without a file: copy the source word.
inline constexpr const char* kCopySource = "copy";

/// The text to translate, the search, and the format of the output.
struct PHRASEQ_API GenerateOptions : Options {
  explicit GenerateOptions(bool line_by_line);

  bool interactive;  ///< translates line by line: no data folder, small buffers
  std::string data;
  std::string gen_subset = "test";
  std::string input = "-";
  std::string trees;
  std::string output = "-";
  TranslationFormat format;
  DecoderChoice search;
  std::string metric = "bleu";
  BatchOptions batches;
  ShardOptions shards;
  int64_t buffer_size;
  int64_t seed = 1;
  bool truncate_source = false;
  OnBadLine on_bad_line = OnBadLine::kError;
  bool quiet = false;
  bool score_reference = false;  ///< score the references instead of translating
  bool profile = false;
  std::string tokenizer;    ///< tokenizer for text; empty = the checkpoint's
  std::string replace_unk;  ///< a file, kCopySource, or empty = off
  std::string mbr;          ///< name of the metric; empty = off
  std::string lm_path;      ///< checkpoint of a language model; empty = none
  double lm_weight = 0;
  score::MbrWeights mbr_weights = score::MbrWeights::kUniform;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;

  /// The format of the output: the value of --format; for auto, fairseq's for a data folder and
  /// plain text for text.
  OutputFormat output_format() const;

 private:
  /// Options that cannot be combined with --score-reference.
  std::vector<std::string> reference_problems() const;
};

}  // namespace phraseq
