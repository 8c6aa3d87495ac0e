#pragma once

#include <string>
#include <vector>

#include "core/options/option_table.h"

namespace phraseq {

enum class Toolkit { kAuto, kFairseq, kHuggingFace, kCTranslate2, kMarian, kJoeyNmt, kOpenNmt };

inline constexpr EnumName<Toolkit> kToolkitNames[] = {{"auto", Toolkit::kAuto},
                                                      {"fairseq", Toolkit::kFairseq},
                                                      {"hf", Toolkit::kHuggingFace},
                                                      {"ctranslate2", Toolkit::kCTranslate2},
                                                      {"marian", Toolkit::kMarian},
                                                      {"joeynmt", Toolkit::kJoeyNmt},
                                                      {"opennmt", Toolkit::kOpenNmt}};

/// A model of another toolkit; what a toolkit has no use for must be empty.
struct ForeignModel {
  Toolkit toolkit = Toolkit::kAuto;   ///< kAuto: what the file or the folder looks like
  std::string weights{};              ///< the file or the folder of the model
  std::string options{};              ///< fairseq: JSON, for weights in a safetensors file
  std::string data{};                 ///< fairseq: folder with dict.LANG.txt; empty = the model's
  std::vector<std::string> vocabs{};  ///< Marian, JoeyNMT: of the source and the target, or one
  std::string sentencepiece{};        ///< subword model for both languages
  std::string source_lang{};          ///< empty = as recorded, or as files of `data` are named
  std::string target_lang{};
};

}  // namespace phraseq
