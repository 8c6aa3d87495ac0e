#include "core/run/shard_run.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>

#include "core/base/error.h"
#include "core/base/launcher/environment.h"
#include "core/base/text_fields.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/corpus/shards/shard_files.h"
#include "core/corpus/shards/shard_seal.h"
#include "core/io/atomic_file.h"
#include "core/io/crc32c.h"
#include "core/options/enum_name.h"
#include "core/options/option_text.h"
#include "core/run/machine_share.h"

namespace phraseq {
namespace {

/// Options that may differ between the processes of one run, or whose files are compared instead.
constexpr std::array<const char*, 17> kOfOneProcess = {"num_shards",
                                                       "shard_id",
                                                       "output",
                                                       "workers",
                                                       "threads",
                                                       "device",
                                                       "cpu",
                                                       "plugin_dir",
                                                       "quiet",
                                                       "profile",
                                                       "config",
                                                       "data",
                                                       "input",
                                                       "source",
                                                       "target",
                                                       "trees",
                                                       "path"};

std::string sum_of(std::string_view text) {
  return crc32c_text(crc32c(std::as_bytes(std::span(text.data(), text.size()))));
}

std::string options_sum(const OptionTable& table) {
  nlohmann::json options = to_json(table);
  for (const char* name : kOfOneProcess) options.erase(name);
  return sum_of(options.dump());
}

/// The checksum of the contents of the checkpoints.
std::string models_sum(const std::string& paths) {
  std::string all;
  for (const std::string_view path : split_text(paths, ":")) {
    if (!path.empty())
      all += CheckpointFile::open(resolve_checkpoint(std::string(path)), /*verify_tensors=*/false)
                 .fingerprint() +
             " ";
  }
  return sum_of(all);
}

}  // namespace

ShardRun::ShardRun(const ShardOptions& options)
    : shard_(options.shard(process_environment())),
      launched_(options.launched(process_environment())) {}

void ShardRun::take_share_of_machine(ModelOptions& model) const {
  if (!launched_)
    return;
  if (gpu_count() > 0)
    model.device.index = gpu_of_process(launched_->local_rank);
  take_share_of_cores(launched_->local_world_size);
}

std::string ShardRun::output(const std::string& output,
                             const std::vector<std::string>& inputs) const {
  std::string path = shard_path(output, shard_);
  if (!shard_.is_all()) {
    check_not_an_input(path, inputs);
    std::error_code problem;
    std::filesystem::remove(path, problem);
    if (problem)
      throw IoError(path, "remove", problem.value());
  }
  return path;
}

void ShardRun::seal(ResultOutput& output,
                    const SentenceSource& source,
                    OutputFormat format,
                    const OptionTable& table,
                    const ModelOptions& model) const {
  if (shard_.is_all())
    return;
  ShardSeal seal;
  seal.shard = shard_;
  seal.sentences = source.passed();
  seal.format = enum_name(kOutputFormatNames, format);
  seal.checksum = crc32c_text(output.checksum());
  seal.run = {{"options", options_sum(table)},
              {"models", models_sum(model.path)},
              {"input", source.fingerprint()}};
  output.write(seal.line());
}

}  // namespace phraseq
