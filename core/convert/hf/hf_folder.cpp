#include "core/convert/hf/hf_folder.h"

#include <cerrno>
#include <filesystem>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/convert/torch/torch_file.h"
#include "core/io/json_reader.h"
#include "core/io/mapping/mapped_file.h"

namespace phraseq {
namespace {

constexpr const char* kSafetensors = "model.safetensors";
constexpr const char* kTorch = "pytorch_model.bin";
constexpr const char* kIndexEnding = ".index.json";

std::vector<TensorView> open_tensors(const std::string& name, ImportedModel& owner) {
  if (name.ends_with(".safetensors")) {
    const auto opened = std::make_shared<CheckpointFile>(CheckpointFile::open(name));
    owner.files.push_back(opened);
    return opened->tensors();
  }
  const auto opened = std::make_shared<TorchFile>(TorchFile::open(name));
  owner.files.push_back(opened);
  return opened->tensors(opened->values().root());
}

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
    for (const std::string& found : {std::string(name), name + std::string(kIndexEnding)}) {
      if (has(found))
        return file(found);
    }
  }
  throw IoError(
      file(kSafetensors),
      "open the weights",
      ENOENT,
      fmt::format("Expected {}, {}, or an index of several files.", kSafetensors, kTorch));
}

std::vector<std::string> HfFolder::weight_files() const {
  const std::string first = weights_file();
  if (!first.ends_with(kIndexEnding))
    return {first};
  const nlohmann::json index = parse_json(read_file(first), first);
  std::set<std::string> files;
  for (const auto& [tensor, entry] : JsonEntry(index, first).at("weight_map").members()) {
    const std::string name = entry.text();
    if (name.find('/') != std::string::npos)
      entry.refuse("the name of a file in the folder");
    files.insert(file(name));
  }
  return {files.begin(), files.end()};
}

std::vector<TensorView> HfFolder::weights(ImportedModel& owner) const {
  std::vector<TensorView> tensors;
  std::set<std::string> names;
  for (const std::string& file : weight_files()) {
    for (const TensorView& tensor : open_tensors(file, owner)) {
      if (!names.insert(tensor.name).second) {
        throw FormatError(fmt::format("{}: another file also contains {}", file, tensor.name),
                          "Download the model again: its files belong to different versions.");
      }
      tensors.push_back(tensor);
    }
  }
  return tensors;
}

}  // namespace phraseq
