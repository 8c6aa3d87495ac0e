#include "core/analysis/recorded.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace phraseq::analysis {
namespace {

std::string json_text(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The values from dimension `dimension` on, as nested lists; advances `next` past them.
void append_nested(std::string& text,
                   const RecordedTensor& tensor,
                   size_t dimension,
                   size_t& next) {
  if (dimension == tensor.shape.size()) {
    const float value = tensor.values[next++];
    text += std::isfinite(value) ? fmt::format("{:.6g}", value) : "null";
    return;
  }
  text += '[';
  for (int64_t i = 0; i < tensor.shape[dimension]; ++i) {
    if (i > 0)
      text += ',';
    append_nested(text, tensor, dimension + 1, next);
  }
  text += ']';
}

std::string tensor_json(const RecordedTensor& tensor) {
  std::string text = fmt::format("{{\"shape\":{}", json_text(tensor.shape));
  if (!tensor.notes.empty())
    text += fmt::format(",\"notes\":{}", json_text(tensor.notes));
  text += ",\"values\":";
  size_t next = 0;
  append_nested(text, tensor, 0, next);
  return text + '}';
}

}  // namespace

bool is_wanted(const std::string& name, const std::vector<std::string>& wanted) {
  return wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const std::string& part) {
           return name.find(part) != std::string::npos;
         });
}

std::string recorded_json(const RecordedSentence& sentence,
                          const std::vector<std::string>& wanted) {
  std::string text =
      fmt::format("{{\"id\":{},\"source\":{},\"target\":{},\"generated\":{},\"tensors\":{{",
                  sentence.id,
                  json_text(sentence.source),
                  json_text(sentence.target),
                  json_text(sentence.generated));
  bool first = true;
  for (const auto& tensor : sentence.tensors) {
    if (!is_wanted(tensor.name, wanted))
      continue;
    text += fmt::format("{}{}:{}", first ? "" : ",", json_text(tensor.name), tensor_json(tensor));
    first = false;
  }
  return text + "}}\n";
}

}  // namespace phraseq::analysis
