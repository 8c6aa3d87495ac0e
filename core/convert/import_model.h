#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/convert/imported_model.h"
#include "core/options/enum_name.h"

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
  Toolkit toolkit = Toolkit::kAuto;  ///< kAuto: what the file or the folder looks like
  std::string weights;               ///< the file or the folder of the model
  std::string options;               ///< fairseq: JSON, for weights in a safetensors file
  std::string data;                  ///< fairseq: folder with the dictionaries
  std::vector<std::string> vocabs;   ///< Marian, JoeyNMT: of the source and the target, or one
  std::string sentencepiece;         ///< subword model for both languages
  std::string source_lang;           ///< empty: as recorded
  std::string target_lang;
};

/// Reads a model of any toolkit. Throws what the toolkit's own function throws, and UsageError if
/// the toolkit is not recognized or has no use for one of the files.
PHRASEQ_API ImportedModel import_model(const ForeignModel& model);

/// The files of a model, with those of its folders.
PHRASEQ_API std::vector<std::string> files_of(const ForeignModel& model);

}  // namespace phraseq
