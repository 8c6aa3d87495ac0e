#include "core/convert/hf/hf_folder.h"

#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/convert/torch/torch_file.h"
#include "core/io/json_reader.h"
#include "core/io/mapped_file.h"

namespace phraseq {
namespace {

constexpr const char* kSafetensors = "model.safetensors";
constexpr const char* kTorch = "pytorch_model.bin";

}  // namespace

bool HfFolder::has(const std::string& name) const { return std::filesystem::exists(file(name)); }

nlohmann::json HfFolder::json(const std::string& name) const {
  return parse_json(read_file(file(name)), file(name));
}

std::string HfFolder::model_type() const {
  const nlohmann::json config = json("config.json");
  const JsonEntry entry(config, file("config.json"));
  entry.object();
  return entry.has("model_type") ? entry.at("model_type").text() : std::string();
}

std::string HfFolder::weights_file() const {
  for (const char* name : {kSafetensors, kTorch}) {
    if (has(name + std::string(".index.json"))) {
      throw UsageError(fmt::format("{}: the weights are in several files", path_),
                       "Load the model in Python and save it with max_shard_size='100GB'.");
    }
  }
  return file(has(kSafetensors) ? kSafetensors : kTorch);
}

std::vector<TensorView> HfFolder::weights(ImportedModel& owner) const {
  const std::string name = weights_file();
  if (name == file(kSafetensors)) {
    const auto opened = std::make_shared<CheckpointFile>(CheckpointFile::open(name));
    owner.files.push_back(opened);
    return opened->tensors();
  }
  const auto opened = std::make_shared<TorchFile>(TorchFile::open(name));
  owner.files.push_back(opened);
  return opened->tensors(opened->values().root());
}

}  // namespace phraseq
