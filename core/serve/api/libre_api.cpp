#include "core/serve/api/libre_api.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

#include "core/base/text_fields.h"
#include "core/embed/text_layout.h"
#include "core/serve/api/field_checks.h"
#include "core/serve/request_json.h"

namespace phraseq {
namespace {

using Json = nlohmann::ordered_json;

/// The model of a language pair. The source language may be "auto" if only one is possible.
const ServedModel& choose_by_languages(const std::string& source,
                                       const std::string& target,
                                       const std::vector<ServedModel>& models) {
  std::vector<const ServedModel*> found;
  for (const ServedModel& model : models) {
    if (model.translates && model.target == target && (source == "auto" || model.source == source))
      found.push_back(&model);
  }
  if (found.empty())
    throw bad_request("source, target", fmt::format("{} to {} is not supported", source, target));
  const auto differs = [&found](const ServedModel* model) {
    return model->source != found.front()->source;
  };
  if (std::any_of(found.begin(), found.end(), differs))
    throw bad_request("source", "automatic detection is not supported; give the language");
  return *found.front();
}

/// The number of alternatives, which a form sends as text.
int64_t alternatives_of(const nlohmann::json& body) {
  const auto found = body.find("alternatives");
  if (found == body.end() || !found->is_string())
    return integer_field(body, "alternatives", 0);
  const std::string text = found->get<std::string>();
  const bool digits =
      !text.empty() && text.size() < 6 && std::all_of(text.begin(), text.end(), is_ascii_digit);
  if (!digits)
    throw bad_request("alternatives", "expected an integer");
  return std::stoll(text);
}

std::vector<std::string> other_texts(const api::Translation& translation, int64_t count) {
  size_t most = 0;
  for (const auto& sentence : translation.sentences)
    most = std::max(most, sentence.hypotheses.size());
  std::vector<std::string> texts;
  for (size_t rank = 1; rank < most && static_cast<int64_t>(texts.size()) < count; ++rank)
    texts.push_back(translation.text(rank));
  return texts;
}

}  // namespace

TranslateCall read_libre_call(const nlohmann::json& body,
                              const std::vector<ServedModel>& models,
                              const ServeOptions& options) {
  TranslateCall call;
  const auto texts = strings_field(body, "q");
  if (texts.items.empty() && !texts.is_list)
    throw bad_request("q", "missing");
  check_size(texts.items, "q", options);
  const std::string source = string_field(body, "source", "");
  const std::string target = string_field(body, "target", "");
  if (source.empty())
    throw bad_request("source", "missing");
  if (target.empty())
    throw bad_request("target", "missing");
  if (string_field(body, "format", "text") != "text")
    throw bad_request("format", "only text is supported");
  const ServedModel& model = choose_by_languages(source, target, models);
  call.form.model = model.name;
  if (source == "auto")
    call.form.detected_source = model.source;
  call.form.alternatives = alternatives_of(body);
  if (call.form.alternatives < 0)
    throw bad_request("alternatives", "expected 0 or more");
  call.form.is_list = texts.is_list;
  call.request.texts = texts.items;
  call.request.options.nbest = std::min(call.form.alternatives, model.max_nbest - 1) + 1;
  call.request.options.split = options.split;
  return call;
}

nlohmann::ordered_json libre_answer(const AnswerForm& form,
                                    const std::vector<api::Translation>& translations) {
  Json texts = Json::array(), alternatives = Json::array();
  for (const auto& translation : translations) {
    texts.push_back(translation.text());
    alternatives.push_back(other_texts(translation, form.alternatives));
  }
  Json answer;
  if (form.alternatives > 0)
    answer["alternatives"] = form.is_list ? alternatives : alternatives.front();
  if (!form.detected_source.empty()) {
    const Json detected = {{"confidence", 100}, {"language", form.detected_source}};
    answer["detectedLanguage"] = form.is_list ? Json(translations.size(), detected) : detected;
  }
  answer["translatedText"] = form.is_list ? texts : texts.front();
  return answer;
}

nlohmann::ordered_json libre_languages(const std::vector<ServedModel>& models) {
  std::map<std::string, std::set<std::string>> targets;
  for (const ServedModel& model : models) {
    if (!model.translates)
      continue;
    targets[model.source].insert(model.target);
    targets[model.target];  // LibreTranslate also lists pure targets
  }
  Json list = Json::array();
  for (const auto& [code, reached] : targets)
    list.push_back({{"code", code}, {"name", language_name(code)}, {"targets", reached}});
  return list;
}

}  // namespace phraseq
