#pragma once

#include <cstdint>
#include <string>

#include "core/embed/translation_queue.h"

namespace phraseq {

/// The form of the answer to a request for translations.
struct AnswerForm {
  std::string model;
  bool alignment = false;            ///< /v1/translate
  bool is_list = false;              ///< LibreTranslate: q was a list
  int64_t alternatives = 0;          ///< LibreTranslate: hypotheses after the best
  std::string detected_source = {};  ///< LibreTranslate: the language that `auto` stood for
};

/// A checked request of either interface.
struct TranslateCall {
  TranslationRequest request;
  AnswerForm form;
};

}  // namespace phraseq
