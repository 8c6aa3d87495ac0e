#include "core/checkpoint/derived/training_options.h"

#include "core/checkpoint/checkpoint_format.h"
#include "core/io/json_reader.h"

namespace phraseq {

std::map<std::string, std::string> metadata_for_other_weights(const CheckpointFile& file) {
  auto metadata = file.metadata();
  if (metadata.contains(kTrainEntry))
    metadata[kTrainingOptionsEntry] = recorded_training_options(file).dump();
  metadata.erase(kTrainEntry);
  metadata.erase(kSelfTestEntry);
  return metadata;
}

nlohmann::json recorded_training_options(const CheckpointFile& file) {
  const bool has_state = file.metadata().contains(kTrainEntry);
  const std::string name = has_state ? kTrainEntry : kTrainingOptionsEntry;
  if (!file.metadata().contains(name))
    return nlohmann::json::object();
  const nlohmann::json document = file.metadata_json(name);
  const JsonEntry entry(document, file.metadata_place(name));
  if (!has_state)
    return entry.object();
  return entry.has("options") ? entry.at("options").object() : nlohmann::json::object();
}

}  // namespace phraseq
