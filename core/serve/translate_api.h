#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/embed/translation_queue.h"
#include "core/serve/model_pool.h"
#include "core/serve/serve_options.h"

namespace phraseq {

/// A checked request of either interface, and the form of its answer.
struct TranslateCall {
  std::string model;
  TranslationRequest request;
  bool is_list = false;              ///< LibreTranslate: q was a list
  int64_t alternatives = 0;          ///< LibreTranslate: hypotheses after the best
  std::string detected_source = {};  ///< LibreTranslate: the language that `auto` stood for
};

/// For POST /v1/translate and GET /v1/models (docs/guide/serving.md). Errors are ServiceErrors.
TranslateCall read_v1_call(const nlohmann::json& body,
                           const std::vector<ServedModel>& models,
                           const ServeOptions& options);
nlohmann::ordered_json v1_answer(const TranslateCall& call,
                                 const std::vector<api::Translation>& translations);
nlohmann::ordered_json v1_models(const std::vector<ServedModel>& models);

/// For LibreTranslate's POST /translate and GET /languages.
TranslateCall read_libre_call(const nlohmann::json& body,
                              const std::vector<ServedModel>& models,
                              const ServeOptions& options);
nlohmann::ordered_json libre_answer(const TranslateCall& call,
                                    const std::vector<api::Translation>& translations);
nlohmann::ordered_json libre_languages(const std::vector<ServedModel>& models);

}  // namespace phraseq
