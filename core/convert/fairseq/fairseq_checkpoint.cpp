#include "core/convert/fairseq/fairseq_checkpoint.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/wording/message_text.h"
#include "core/convert/pickle/pickle_json.h"

namespace phraseq {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const TorchFile& file, std::string_view problem) {
  throw FormatError(
      fmt::format("{}: not a checkpoint of fairseq: {}", file.path(), problem),
      "Expected a dictionary with 'model' and 'args' or 'cfg', as fairseq-train writes "
      "it.");
}

PickleRef find_value(const PickleGraph& values, PickleRef dictionary, std::string_view key) {
  const PickleRef found = dictionary == kNoPickle ? kNoPickle : values.find(dictionary, key);
  const bool is_none = found != kNoPickle && values.at(found).kind == PickleKind::kNone;
  return is_none ? kNoPickle : found;
}

/// omegaconf keeps the members of a container in `_content`.
PickleRef content_of(const PickleGraph& values, PickleRef ref) {
  const PickleRef inner = find_value(values, ref, "_content");
  return inner == kNoPickle ? ref : inner;
}

/// A language as part of a file's name: never a path.
std::string language_at(const TorchFile& file, const json& options, const char* name) {
  std::string language = recorded_text(options, name);
  if (language.find('/') != std::string::npos)
    refuse(file,
           fmt::format("{} is '{}', which is not the name of a language", name, excerpt(language)));
  return language;
}

/// The options of the task, wherever this version of fairseq keeps them.
json task_options(const TorchFile& file, PickleRef cfg, const json& model) {
  const PickleRef task = find_value(file.values(), cfg, "task");
  json options = task == kNoPickle ? model : json_of(file.values(), task, file.path());
  if (task != kNoPickle && options.is_object() && !recorded_text(options, "_name").empty())
    options["task"] = options["_name"];
  return options.is_object() ? options : model;
}

}  // namespace

std::string recorded_text(const json& options, const char* name) {
  const auto found = options.find(name);
  return found != options.end() && found->is_string() ? found->get<std::string>() : std::string();
}

FairseqCheckpoint read_fairseq_checkpoint(const TorchFile& file) {
  const PickleGraph& values = file.values();
  const PickleRef weights = find_value(values, values.root(), "model");
  const PickleRef args = find_value(values, values.root(), "args");
  PickleRef cfg = find_value(values, values.root(), "cfg");
  if (weights == kNoPickle)
    refuse(file, "it has no 'model'");
  if (cfg != kNoPickle)
    cfg = content_of(values, cfg);
  const PickleRef model = args != kNoPickle ? args : find_value(values, cfg, "model");
  if (model == kNoPickle)
    refuse(file, "it has neither 'args' nor 'cfg' with the options of the model");

  FairseqCheckpoint found;
  found.options = json_of(values, model, file.path());
  if (!found.options.is_object())
    refuse(file, "the options of the model are not a dictionary");
  found.task_options = task_options(file, args == kNoPickle ? cfg : kNoPickle, found.options);
  const json& task = found.task_options;
  found.task = recorded_text(task, "task");
  found.source_lang = language_at(file, task, "source_lang");
  found.target_lang = language_at(file, task, "target_lang");
  found.data = recorded_text(task, "data");
  found.weights = file.tensors(weights);
  if (found.weights.empty())
    refuse(file, "'model' has no tensors");
  return found;
}

}  // namespace phraseq
