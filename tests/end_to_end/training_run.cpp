#include "tests/end_to_end/training_run.h"

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

std::map<int, std::string> losses(const Workspace& workspace, const std::string& save_dir) {
  std::map<int, std::string> result;
  for (const std::string& line : lines_of(workspace.read(save_dir + "/metrics.jsonl"))) {
    const auto entry = nlohmann::json::parse(line);
    if (entry.value("event", "") == "train") {
      result[entry.at("updates").get<int>()] = entry.at("loss").dump();
    }
  }
  return result;
}

}  // namespace phraseq::end_to_end
