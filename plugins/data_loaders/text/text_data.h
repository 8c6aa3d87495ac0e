#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/data/data_loader.h"

namespace phraseq {

/// The loader has no options: the task determines the folder and the conversion of text to ids.
struct TextDataOptions : Options {
  void describe(OptionTable&) override {}
};

/// Splits as line-parallel raw text, tokenized by the task's functions.
class TextData final : public DataLoader {
 public:
  TextData(const TextDataOptions& options, const DataLoaderSetup& setup);
  bool has_split(const std::string& split) const override;
  /// Throws IoError if a file is missing, and DataError for bad text or if the sides have different
  /// numbers of lines. Outside of training, a missing target side means a split without targets.
  /// Bracketed trees in FOLDER/SPLIT.SRC.trees are the examples' extra kTreeExtra. A task's phrases
  /// are found when an example is requested.
  std::unique_ptr<Corpus> open(const std::string& split, bool training) const override;

 private:
  std::string file_of(const std::string& split, const std::string& language) const;
  std::optional<std::string> find(const std::string& split, const std::string& language) const;

  DataLoaderSetup setup_;
};

}  // namespace phraseq
