#pragma once

#include <string>

#include "core/base/api.h"
#include "core/data/task.h"
#include "core/translate/translator.h"

namespace phraseq {

/// How translations are written down (docs/formats/output.md).
struct TranslationFormat {
  std::string format = "plain";  ///< plain, fairseq, jsonl
  std::string post_process;      ///< --remove-bpe: of symbols and of text
  std::string print_alignment;   ///< hard, soft, or empty for none
};

/// The lines of one translation, each ending in '\n'.
///
/// plain: the best hypothesis as text. fairseq: S-, T- (with a reference), then H-, D-, P- (and A-)
/// for each hypothesis, scores in base 2. jsonl: one object with everything, natural logarithms.
PHRASEQ_API std::string translation_text(const Translation& translation,
                                         const Task& task,
                                         const TranslationFormat& format);

}  // namespace phraseq
