#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/corpus/alignments/alignment_writer.h"
#include "core/corpus/trees/tree_writer.h"
#include "core/io/line_reader.h"
#include "core/options/option_table.h"
#include "core/options/shards/shard_options.h"
#include "core/phrase_memory/phrase_memory_options.h"
#include "core/text/sentencepiece/sentencepiece_training.h"

namespace phraseq {

inline constexpr EnumName<OnBadTree> kOnBadTreeNames[] = {{"error", OnBadTree::kError},
                                                          {"skip", OnBadTree::kSkip}};

inline constexpr EnumName<OnBadAlignment> kOnBadAlignmentNames[] = {
    {"error", OnBadAlignment::kError}, {"skip", OnBadAlignment::kSkip}};

/// The options of fairseq-preprocess with the same meanings, and phraseq's own for subwords and
/// invalid text.
struct PHRASEQ_API PreprocessOptions final : Options {
  std::string source_lang;
  std::string target_lang;
  std::string trainpref;
  std::vector<std::string> validpref;
  std::vector<std::string> testpref;
  std::string destdir = "data-bin";
  int64_t thresholdsrc = 0;
  int64_t thresholdtgt = 0;
  int64_t nwordssrc = -1;
  int64_t nwordstgt = -1;
  std::string srcdict;
  std::string tgtdict;
  bool joined_dictionary = false;
  bool only_source = false;
  int64_t padding_factor = 8;
  int64_t workers = 1;
  bool dict_only = false;
  bool overwrite = false;
  ShardOptions shards;  ///< of the training text
  int64_t seed = 1;

  std::string tokenizer = "auto";
  int64_t subwords = 0;
  SentencePieceType subword_type = SentencePieceType::kBpe;
  double character_coverage = 1.0;
  int64_t subword_sentences = 2'000'000;
  std::string subword_model;
  std::string source_subword_model;
  std::string target_subword_model;

  OnBadLine on_bad_line = OnBadLine::kError;
  int64_t max_line_bytes = 1 << 20;
  bool check_only = false;
  bool trees = false;
  OnBadTree on_bad_tree = OnBadTree::kError;
  std::string align_suffix;
  OnBadAlignment on_bad_alignment = OnBadAlignment::kError;
  PhraseMemoryOptions memory;
  bool pn_lowercase = false;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;

  LineReaderOptions reading() const;
  bool has_subword_model() const;
  /// The component that `tokenizer` means: "auto" is SentencePiece if a subword model is given
  /// or trained; otherwise, like "none", words separated by whitespace.
  std::string tokenizer_component() const;
};

}  // namespace phraseq
