#include "core/checkpoint/checkpoint_report.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/wording/counted.h"
#include "core/base/wording/first_items.h"
#include "core/checkpoint/checkpoint_format.h"
#include "core/checkpoint/derived/quantize.h"
#include "core/checkpoint/safetensors/tensor_role.h"

namespace phraseq {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// An entry's JSON, or the text itself if it is not JSON. What is nested deeper than anything that
/// phraseq writes is omitted: printing it would need an equally deep stack.
json value_of(const std::string& text) {
  constexpr int kDeepest = 64;
  const auto is_shallow = [](int depth, json::parse_event_t, const json&) {
    return depth < kDeepest;
  };
  json value = json::parse(text, is_shallow, /*allow_exceptions=*/false);
  return value.is_object() || value.is_array() ? value : json(text);
}

/// One entry's JSON object; an empty one when it is missing or something else.
json object_entry(const CheckpointFile& file, const std::string& name) {
  const auto entry = file.metadata().find(name);
  json value = entry == file.metadata().end() ? json() : value_of(entry->second);
  return value.is_object() ? value : json::object();
}

std::string text_entry(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// 1234567 as "1,234,567".
std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  for (auto place = static_cast<int64_t>(digits.size()) - 3; place > 0; place -= 3) {
    digits.insert(static_cast<size_t>(place), ",");
  }
  return digits;
}

struct Totals {
  int64_t tensors = 0;
  int64_t elements = 0;
  int64_t bytes = 0;
};

Totals totals_of(const CheckpointFile& file, TensorRole role) {
  Totals totals;
  for (const auto& tensor : file.tensors()) {
    if (role_of(tensor.name) != role)
      continue;
    totals.tensors += 1;
    totals.elements += tensor.elements();
    totals.bytes += static_cast<int64_t>(tensor.bytes.size());
  }
  return totals;
}

std::string line(std::string_view name, std::string_view value) {
  return value.empty() ? std::string() : fmt::format("{:<14}{}\n", name, value);
}

/// "transformer (plugin transformer 0.1.0)"
std::string component_text(const json& record) {
  const std::string name = text_entry(record, "name");
  if (name.empty())
    return {};
  return fmt::format("{} (plugin {} {})",
                     name,
                     text_entry(record, "plugin"),
                     text_entry(record, "plugin_version"));
}

/// Symbols in a dictionary's text, the four special ones counted.
int64_t dictionary_size(const std::string& text) {
  constexpr int64_t kSpecials = 4;
  return kSpecials + std::ranges::count(text, '\n');
}

std::string vocabulary_text(const json& texts) {
  const std::string source = text_entry(texts, "source_dictionary");
  if (source.empty())
    return {};
  const std::string target = text_entry(texts, "target_dictionary");
  const std::string size = grouped(dictionary_size(source));
  if (target.empty())
    return fmt::format("{} symbols, joined", size);
  return fmt::format("{} and {} symbols", size, grouped(dictionary_size(target)));
}

std::string totals_text(const Totals& totals) {
  if (totals.tensors == 0)
    return {};
  return fmt::format("{} in {}, {} bytes",
                     grouped(totals.elements),
                     counted(totals.tensors, "tensor"),
                     grouped(totals.bytes));
}

std::string origin_text(const CheckpointFile& file) {
  if (file.is_foreign())
    return "a plain safetensors file, without checksums";
  return fmt::format("checkpoint format {}, written by phraseq {}, fingerprint {}",
                     kCheckpointFormatVersion,
                     file.writer_version(),
                     file.fingerprint());
}

/// The summary in the `train` entry; its layout is the trainer's.
std::string training_text(const CheckpointFile& file) {
  const json train = object_entry(file, kTrainEntry);
  const auto state = train.find("state");
  if (state == train.end() || !state->is_object() || !state->contains("updates"))
    return {};
  return fmt::format("updates: {}, finished epochs: {}",
                     (*state)["updates"].dump(),
                     state->value("finished_epochs", json()).dump());
}

std::string averaged_text(const CheckpointFile& file) {
  const auto entry = file.metadata().find("averaged");
  if (entry == file.metadata().end())
    return {};
  std::vector<std::string> names;
  for (const auto& input : value_of(entry->second)) names.push_back(text_entry(input, "file"));
  return fmt::format("{}", fmt::join(names, "\n              "));
}

/// All entries by name, with the bytes of their texts.
std::string entries_text(const CheckpointFile& file) {
  std::vector<std::string> names;
  for (const auto& [name, text] : file.metadata())
    names.push_back(fmt::format("{} ({})", name, grouped(std::ssize(text))));
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string options_of(const json& record, std::string_view kind) {
  const auto options = record.find("options");
  if (options == record.end() || !options->is_object())
    return {};
  std::string text = fmt::format("# {} {}\n", kind, text_entry(record, "name"));
  for (const auto& [name, value] : options->items()) {
    text +=
        fmt::format("{} = {}\n", name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

}  // namespace

std::string languages_summary(const json& texts) {
  constexpr size_t kMaxListed = 8;
  std::vector<std::string> languages;
  for (const json& language : value_of(text_entry(texts, "languages"))) {
    if (language.is_string())
      languages.push_back(language.get<std::string>());
  }
  const std::string source = text_entry(texts, "source_language");
  if (languages.size() > 1)
    return first_items(languages, kMaxListed, ", ");
  const std::string target = text_entry(texts, "target_language");
  return source.empty() || source == target ? source : fmt::format("{} to {}", source, target);
}

ordered_json checkpoint_report(const CheckpointFile& file) {
  ordered_json report = {{"file", file.path()},
                         {"format_version", nullptr},
                         {"writer_version", nullptr},
                         {"fingerprint", nullptr}};
  if (!file.is_foreign()) {
    report["format_version"] = kCheckpointFormatVersion;
    report["writer_version"] = file.writer_version();
    report["fingerprint"] = file.fingerprint();
  }
  report["parameters"] = totals_of(file, TensorRole::kParameter).elements;
  report["metadata"] = ordered_json::object();
  for (const auto& [name, text] : file.metadata()) report["metadata"][name] = value_of(text);
  report["tensors"] = ordered_json::array();
  for (const auto& tensor : file.tensors()) {
    report["tensors"].push_back({{"name", tensor.name},
                                 {"dtype", to_string(tensor.dtype)},
                                 {"shape", tensor.shape},
                                 {"bytes", tensor.bytes.size()}});
  }
  return report;
}

std::string checkpoint_summary(const CheckpointFile& file) {
  const json texts = object_entry(file, "task_texts");
  std::string text = line("file", file.path());
  text += line("format", origin_text(file));
  text += line("architecture", component_text(object_entry(file, "architecture")));
  text += line("task", component_text(object_entry(file, "task")));
  text += line("languages", languages_summary(texts));
  text += line("vocabulary", vocabulary_text(texts));
  text += line("tokenizer", text_entry(texts, "tokenizer"));
  text += line("parameters", totals_text(totals_of(file, TensorRole::kParameter)));
  text += line("quantization", text_entry(object_entry(file, kQuantizationEntry), "type"));
  text += line("scales", totals_text(totals_of(file, TensorRole::kScales)));
  text += line("blobs", totals_text(totals_of(file, TensorRole::kBlob)));
  text += line("optimizer", totals_text(totals_of(file, TensorRole::kOptimizer)));
  text += line("training", training_text(file));
  text += line("averaged", averaged_text(file));
  text += line("metadata", entries_text(file));
  return text;
}

std::string tensor_list(const CheckpointFile& file) {
  std::string text;
  for (const auto& tensor : file.tensors()) {
    text += fmt::format("{:<5}{:<16}{:>14}  {}\n",
                        to_string(tensor.dtype),
                        fmt::format("[{}]", fmt::join(tensor.shape, ", ")),
                        grouped(std::ssize(tensor.bytes)),
                        tensor.name);
  }
  return text;
}

std::string options_list(const CheckpointFile& file) {
  return options_of(object_entry(file, "architecture"), "architecture") +
         options_of(object_entry(file, "task"), "task");
}

}  // namespace phraseq
