#include "core/serve/translate_api.h"

#include <algorithm>
#include <functional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/utf8_characters.h"
#include "core/embed/text_layout.h"
#include "core/options/enum_name.h"
#include "core/serve/request_json.h"
#include "core/serve/service_error.h"

namespace phraseq {

namespace {

using Json = nlohmann::ordered_json;

ServiceError bad_request(const std::string& field, const std::string& problem) {
  return {400, "bad_request", fmt::format("{}: {}", field, problem), field};
}

size_t characters_of(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), std::not_fn(continues_character)));
}

void check_size(const std::vector<std::string>& texts,
                const std::string& field,
                const ServeOptions& options) {
  if (static_cast<int64_t>(texts.size()) > options.max_texts) {
    throw ServiceError(
        413,
        "too_many_texts",
        fmt::format(
            "{}: {} texts, at most {} are accepted", field, texts.size(), options.max_texts),
        field);
  }
  size_t length = 0;
  for (const std::string& text : texts) length += characters_of(text);
  if (static_cast<int64_t>(length) > options.max_text_length) {
    throw ServiceError(
        413,
        "text_too_long",
        fmt::format(
            "{}: {} characters, at most {} are accepted", field, length, options.max_text_length),
        field);
  }
}

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

/// The number of alternatives, which a form sends as text.
int64_t alternatives_of(const nlohmann::json& body) {
  const auto found = body.find("alternatives");
  if (found == body.end() || !found->is_string())
    return integer_field(body, "alternatives", 0);
  const std::string text = found->get<std::string>();
  const bool digits =
      !text.empty() && text.size() < 6 &&
      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
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

TranslateCall read_v1_call(const nlohmann::json& body,
                           const std::vector<ServedModel>& models,
                           const ServeOptions& options) {
  reject_unknown_fields(body, {"text", "model", "nbest", "alignment", "prefix", "split"});
  TranslateCall call;
  const auto texts = strings_field(body, "text");
  if (texts.items.empty() && !texts.is_list)
    throw bad_request("text", "missing");
  check_size(texts.items, "text", options);
  call.model = choose_by_name(string_field(body, "model", ""), models);
  call.request.texts = texts.items;
  call.request.options.nbest = integer_field(body, "nbest", 1);
  call.request.options.alignment = bool_field(body, "alignment", false);
  const std::string split(enum_name(kSplitNames, options.split));
  call.request.options.split = split_from(string_field(body, "split", split));
  call.request.options.prefixes = strings_field(body, "prefix").items;
  check_size(call.request.options.prefixes, "prefix", options);
  return call;
}

nlohmann::ordered_json v1_answer(const TranslateCall& call,
                                 const std::vector<api::Translation>& translations) {
  Json answer = {{"model", call.model}, {"translations", Json::array()}};
  for (const auto& translation : translations) {
    Json sentences = Json::array();
    for (const auto& sentence : translation.sentences)
      sentences.push_back(json_of(sentence, call.request.options.alignment));
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
  call.model = model.name;
  if (source == "auto")
    call.detected_source = model.source;
  call.alternatives = alternatives_of(body);
  if (call.alternatives < 0)
    throw bad_request("alternatives", "expected 0 or more");
  call.is_list = texts.is_list;
  call.request.texts = texts.items;
  call.request.options.nbest = std::min(call.alternatives, model.max_nbest - 1) + 1;
  call.request.options.split = options.split;
  return call;
}

nlohmann::ordered_json libre_answer(const TranslateCall& call,
                                    const std::vector<api::Translation>& translations) {
  Json texts = Json::array(), alternatives = Json::array();
  for (const auto& translation : translations) {
    texts.push_back(translation.text());
    alternatives.push_back(other_texts(translation, call.alternatives));
  }
  Json answer;
  if (call.alternatives > 0)
    answer["alternatives"] = call.is_list ? alternatives : alternatives.front();
  if (!call.detected_source.empty()) {
    const Json detected = {{"confidence", 100}, {"language", call.detected_source}};
    answer["detectedLanguage"] = call.is_list ? Json(translations.size(), detected) : detected;
  }
  answer["translatedText"] = call.is_list ? texts : texts.front();
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
