#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "core/serve/api/translate_call.h"
#include "core/serve/model_pool.h"
#include "core/serve/serve_options.h"

namespace phraseq {

/// For POST /v1/translate and GET /v1/models (docs/guide/serving.md). Errors are ServiceErrors.
TranslateCall read_v1_call(const nlohmann::json& body,
                           const std::vector<ServedModel>& models,
                           const ServeOptions& options);
nlohmann::ordered_json v1_answer(const AnswerForm& form,
                                 const std::vector<api::Translation>& translations);
nlohmann::ordered_json v1_models(const std::vector<ServedModel>& models);

}  // namespace phraseq
