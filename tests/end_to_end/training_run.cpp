#include "tests/end_to_end/training_run.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/checkpoint_folder.h"

namespace phraseq::end_to_end {

std::map<std::string, std::string> last_tensors(const Workspace& workspace,
                                                const std::string& save_dir) {
  const auto file =
      CheckpointFile::open(resolve_checkpoint(workspace.path(save_dir + "/checkpoint_last")));
  std::map<std::string, std::string> tensors;
  for (const TensorView& tensor : file.tensors()) {
    const auto* bytes = reinterpret_cast<const char*>(tensor.bytes.data());
    tensors[tensor.name] =
        fmt::format("{} {} ", to_string(tensor.dtype), fmt::join(tensor.shape, "x")) +
        std::string(bytes, tensor.bytes.size());
  }
  return tensors;
}

std::vector<nlohmann::json> records(const Workspace& workspace,
                                    const std::string& save_dir,
                                    const std::string& event) {
  std::vector<nlohmann::json> found;
  for (const std::string& line : lines_of(workspace.read(save_dir + "/metrics.jsonl"))) {
    auto record = nlohmann::json::parse(line);
    if (record.at("event") == event)
      found.push_back(std::move(record));
  }
  return found;
}

std::vector<nlohmann::json> records_without_times(const Workspace& workspace,
                                                  const std::string& save_dir,
                                                  const std::string& event) {
  auto found = records(workspace, save_dir, event);
  for (nlohmann::json& record : found) {
    for (const char* const name :
         {"wall", "processor", "seconds", "tokens_per_second", "updates_per_second"})
      record.erase(name);
  }
  return found;
}

std::map<int, std::string> losses(const Workspace& workspace, const std::string& save_dir) {
  std::map<int, std::string> result;
  for (const nlohmann::json& record : records(workspace, save_dir, "train"))
    result[record.at("updates").get<int>()] = record.at("loss").dump();
  return result;
}

}  // namespace phraseq::end_to_end
