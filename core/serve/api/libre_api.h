#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "core/serve/api/translate_call.h"
#include "core/serve/model_pool.h"
#include "core/serve/serve_options.h"

namespace phraseq {

/// For LibreTranslate's POST /translate and GET /languages. Errors are ServiceErrors.
TranslateCall read_libre_call(const nlohmann::json& body,
                              const std::vector<ServedModel>& models,
                              const ServeOptions& options);
nlohmann::ordered_json libre_answer(const AnswerForm& form,
                                    const std::vector<api::Translation>& translations);
nlohmann::ordered_json libre_languages(const std::vector<ServedModel>& models);

}  // namespace phraseq
