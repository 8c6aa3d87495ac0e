#include "core/serve/api/v1_api.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/embed/text_layout.h"
#include "core/options/enum_name.h"
#include "core/serve/api/field_checks.h"
#include "core/serve/request_json.h"

namespace phraseq {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> names_of(const std::vector<ServedModel>& models) {
  std::vector<std::string> names;
  for (const ServedModel& model : models) names.push_back(model.name);
  return names;
}

/// The name of the requested model; if it is empty, of the only model.
std::string choose_by_name(const std::string& name, const std::vector<ServedModel>& models) {
  const auto names = names_of(models);
  if (name.empty() && names.size() == 1)
    return names.front();
  const std::string known = fmt::format("{}", fmt::join(names, ", "));
  if (name.empty())
    throw bad_request("model", "missing; choose one of: " + known);
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw ServiceError(404,
                       "model_not_found",
                       fmt::format("there is no model '{}'; choose one of: {}", name, known),
                       "model");
  }
  return name;
}

api::Split split_from(const std::string& name) {
  if (const auto split = enum_value(kSplitNames, name))
    return *split;
  throw bad_request("split", "expected long, always or never");
}

Json json_of(const api::Hypothesis& hypothesis, bool alignment) {
  Json object = {{"text", hypothesis.text},
                 {"score", hypothesis.score},
                 {"log_probability", hypothesis.log_probability},
                 {"tokens", hypothesis.tokens}};
  if (alignment)
    object["alignment"] = hypothesis.alignment;
  return object;
}

Json json_of(const api::Sentence& sentence, bool alignment) {
  Json object = {{"source", sentence.source},
                 {"source_tokens", sentence.source_tokens},
                 {"hypotheses", Json::array()}};
  for (const auto& hypothesis : sentence.hypotheses)
    object["hypotheses"].push_back(json_of(hypothesis, alignment));
  return object;
}

}  // namespace

TranslateCall read_v1_call(const nlohmann::json& body,
                           const std::vector<ServedModel>& models,
                           const ServeOptions& options) {
  reject_unknown_fields(body, {"text", "model", "nbest", "alignment", "prefix", "split"});
  TranslateCall call;
  const auto texts = strings_field(body, "text");
  if (texts.items.empty() && !texts.is_list)
    throw bad_request("text", "missing");
  check_size(texts.items, "text", options);
  call.form.model = choose_by_name(string_field(body, "model", ""), models);
  call.request.texts = texts.items;
  call.request.options.nbest = integer_field(body, "nbest", 1);
  call.form.alignment = bool_field(body, "alignment", false);
  call.request.options.alignment = call.form.alignment;
  const std::string split(enum_name(kSplitNames, options.split));
  call.request.options.split = split_from(string_field(body, "split", split));
  call.request.options.prefixes = strings_field(body, "prefix").items;
  check_size(call.request.options.prefixes, "prefix", options);
  return call;
}

nlohmann::ordered_json v1_answer(const AnswerForm& form,
                                 const std::vector<api::Translation>& translations) {
  Json answer = {{"model", form.model}, {"translations", Json::array()}};
  for (const auto& translation : translations) {
    Json sentences = Json::array();
    for (const auto& sentence : translation.sentences)
      sentences.push_back(json_of(sentence, form.alignment));
    answer["translations"].push_back(
        {{"text", translation.text()}, {"sentences", std::move(sentences)}});
  }
  return answer;
}

nlohmann::ordered_json v1_models(const std::vector<ServedModel>& models) {
  Json list = Json::array();
  for (const ServedModel& model : models) {
    list.push_back({{"name", model.name},
                    {"source", model.source},
                    {"target", model.target},
                    {"max_source_tokens", model.max_source_tokens},
                    {"max_nbest", model.max_nbest}});
  }
  Json answer;
  answer["models"] = std::move(list);
  return answer;
}

}  // namespace phraseq
