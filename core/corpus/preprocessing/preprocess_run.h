#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/corpus/preprocess.h"
#include "core/corpus/preprocessing/run_files.h"
#include "core/corpus/split_writer.h"
#include "core/phrase_memory/stored_memory.h"
#include "core/text/dictionary.h"

namespace phraseq {

/// --threshold… and --nwords… of a side; their names end in `suffix`.
struct DictionaryLimits {
  int64_t threshold = 0;
  int64_t max_symbols = -1;
  const char* suffix = "src";

  bool any() const { return threshold != 0 || max_symbols != -1; }
  /// "--thresholdsrc and --nwordssrc"
  std::string names() const;
};

/// One run of `preprocess`, step by step, in the order of the public functions: each needs those
/// before it. Everything is written into RunFiles::folder().
class PreprocessRun {
 public:
  /// `options` and `tokenizer` must outlive the object.
  PreprocessRun(const PreprocessOptions& options, const ChosenTokenizer& tokenizer, RunFiles files);

  /// Reads the phrase table of --phrase-table.
  void read_phrase_memory();
  /// Uses the given subword models, or learns them (--subwords).
  void prepare_tokenizers();
  /// Loads or counts the dictionaries, and writes them.
  void prepare_dictionaries();
  /// Writes the ids of all texts, then trees, phrases and alignments.
  void write_splits();
  void write_manifest(const nlohmann::json& recorded_options) const;

 private:
  RunSides all();
  std::string learned_model(const RunSides& of) const;
  void use_model(const RunSides& of, const std::string& model, const std::string& name);
  void store_model(const RunSides& of, const std::string& model);
  void make_dictionary(const RunSides& of,
                       const std::string& given,
                       const DictionaryLimits& limits);
  void build_dictionary(const RunSides& of, const DictionaryLimits& limits);
  void log_type_count(const RunSides& of,
                      int64_t threshold,
                      const Dictionary& counted,
                      const Dictionary& finished) const;
  SplitCounts write_side(size_t split, const RunSide& side) const;
  void annotate_splits();

  const PreprocessOptions& options_;
  const ChosenTokenizer& chosen_;
  RunFiles files_;
  std::vector<RunSide> sides_;
  std::optional<StoredMemory> memory_;
  nlohmann::json models_ = nlohmann::json::object();
  nlohmann::json split_records_ = nlohmann::json::object();
};

}  // namespace phraseq
