#include "core/run/training/warnings/dictionary_check.h"

#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/translate/recorded_components.h"

namespace phraseq {
namespace {

/// Describes how dictionaries of the data differ from those in a checkpoint's task texts.
std::vector<std::string> other_dictionaries(const std::map<std::string, std::string>& texts,
                                            const Task& task) {
  std::vector<std::string> differences;
  const auto compare = [&](const char* side, const char* text_name, const Dictionary& dictionary) {
    const auto text = texts.find(text_name);
    if (text == texts.end())
      return;
    const Dictionary recorded = Dictionary::parse(text->second, text_name);
    if (!(recorded == dictionary)) {
      differences.push_back(
          fmt::format("the {} dictionary of the data is not that of the checkpoint ({})",
                      side,
                      dictionary_difference(dictionary, recorded)));
    }
  };
  compare("source", "source_dictionary", task.source_dictionary());
  const bool is_joined = texts.contains("joined_dictionary");
  compare(
      "target", is_joined ? "source_dictionary" : "target_dictionary", task.target_dictionary());
  return differences;
}

}  // namespace

void warn_of_other_dictionaries(const std::map<std::string, std::string>& texts, const Task& task) {
  for (const std::string& difference : other_dictionaries(texts, task)) {
    log_warning(fmt::format(
        "--finetune-from-model: {}, so symbols would get the embeddings of other symbols. "
        "Preprocess the data with --srcdict and --tgtdict",
        difference));
  }
}

void require_dictionaries_of(const CheckpointFile& file, const Task& task) {
  const auto differences = other_dictionaries(recorded_task_texts(file), task);
  if (!differences.empty()) {
    throw DataError(fmt::format("{}: {}", file.path(), differences.front()),
                    "Resume with the data of the earlier run, or train from scratch in "
                    "another --save-dir.");
  }
}

}  // namespace phraseq
