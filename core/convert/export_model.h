#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/text/dictionary.h"

namespace phraseq {

/// The options of `transformer` or `ssru_transformer` that describe a model, with their defaults.
/// Repeated here because exports do not load the architectures.
PHRASEQ_API nlohmann::json default_options_of(const std::string& architecture);

/// A checkpoint of the architecture `transformer` (or `ssru_transformer`), opened to be exported to
/// another format.
class PHRASEQ_API ExportModel {
 public:
  /// Throws FormatError or IoError for a file that is not a checkpoint, and UsageError for a model
  /// of a different architecture or task.
  static ExportModel open(const std::string& path);

  const std::string& architecture() const { return architecture_; }

  const std::string& path() const { return file_.path(); }
  const Dictionary& source() const { return source_; }
  const Dictionary& target() const { return target_; }
  /// An entry of the task: "source_language", "tokenizer" …
  std::string text(const std::string& name) const;
  /// The SentencePiece models; empty for text that another tokenizer splits.
  std::string source_tokenizer() const { return sentencepiece("source_tokenizer"); }
  std::string target_tokenizer() const;
  /// What no format can express: what the tokenizer does to text, and symbols with several ids.
  std::vector<std::string> text_problems() const;

  /// Options of the architecture; those that a checkpoint leaves out have their defaults.
  bool is_on(const char* name) const { return options_.at(name).get<bool>(); }
  int64_t size(const std::string& name) const { return options_.at(name).get<int64_t>(); }
  double number(const char* name) const { return options_.at(name).get<double>(); }
  std::string choice(const char* name) const { return options_.at(name).get<std::string>(); }

  bool has(std::string_view parameter) const { return file_.find(parameter) != nullptr; }
  /// Throws FormatError if there is none of that name or its shape is different.
  std::vector<float> values(const std::string& parameter, const std::vector<int64_t>& shape) const;

  /// Rows that are added to the embeddings of a stack ("encoder" or "decoder"), one for each
  /// position: sinusoids, learned vectors, or zeros. [positions, width]
  std::vector<float> positions(const std::string& stack, int64_t count) const;
  /// How many positions a stack is exported with.
  int64_t position_count(const std::string& stack) const;
  /// What is added to the scores of the target vocabulary, with a very low number for forbidden
  /// symbols; empty if it is zero.
  std::vector<float> output_bias() const;
  /// Throws UsageError if the architecture is not `transformer`, the only one that most formats
  /// support.
  void require_transformer(std::string_view format) const;
  /// Throws a UsageError that lists why the format cannot express the model, if there are any
  /// `problems`.
  void require_none(const std::vector<std::string>& problems, std::string_view format) const;

 private:
  explicit ExportModel(CheckpointFile file) : file_(std::move(file)) {}
  void read_options();
  void read_task();
  std::string sentencepiece(const std::string& name) const;

  CheckpointFile file_;
  std::string architecture_;
  nlohmann::json options_;
  std::map<std::string, std::string> texts_;
  Dictionary source_, target_;
};

}  // namespace phraseq
