#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// The arguments of a tokenizer besides its options: the bytes of its model (--subword-model), from
/// a file or a checkpoint; empty for a tokenizer without a model.
struct TokenizerSetup {
  std::string model;
  std::string model_name;  ///< for error messages
  std::string language = {};
};

/// Turns a line of text into the symbols of a vocabulary and back. Thread-safe.
class PHRASEQ_API Tokenizer {
 public:
  static constexpr const char* kKind = "tokenizer";
  using Setup = TokenizerSetup;
  using Factory = std::function<std::unique_ptr<Tokenizer>(const Options&, const Setup&)>;

  virtual ~Tokenizer() = default;
  /// Returns the symbols of a line; none contains white space.
  virtual std::vector<std::string> encode(std::string_view line) const = 0;
  /// Returns a random segmentation (subword regularization, BPE-dropout); the same `seed` gives the
  /// same symbols. A tokenizer without random segmentation returns encode(line); a tokenizer with
  /// random segmentation has the option `bpe-dropout` (or `sentencepiece-alpha`), which `train
  /// --bpe-dropout` sets.
  virtual std::vector<std::string> sample(std::string_view line, uint64_t seed) const;
  /// Returns the text that symbols represent. Any symbols are valid, because they may belong to a
  /// hypothesis.
  virtual std::string decode(const std::vector<std::string>& symbols) const = 0;
  /// The bytes of the model that a checkpoint stores: `Setup::model` when it is loaded.
  virtual std::string model() const { return {}; }
};

}  // namespace phraseq
