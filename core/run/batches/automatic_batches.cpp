#include "core/run/batches/automatic_batches.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/memory/available_memory.h"
#include "core/base/out_of_memory.h"
#include "core/base/posix/host_name.h"
#include "core/base/wording/counted.h"
#include "core/nn/memory/device_memory.h"
#include "core/train/batch_size/largest_batch.h"
#include "core/train/batch_size/memory_watch.h"

namespace phraseq {
namespace {

OptionField* automatic_field(OptionTable& table) {
  for (const char* name : {"max-tokens", "batch-size"}) {
    OptionField* const field = table.find(name);
    if (field != nullptr && field->holds_word())
      return field;
  }
  return nullptr;
}

/// The number that the resumed run used; 0 = none.
int64_t recorded_number(const OptionField& field, const nlohmann::json* recorded) {
  if (recorded == nullptr)
    return 0;
  const auto found = recorded->find(option_key(field.name));
  return found != recorded->end() && found->is_number_integer() ? found->get<int64_t>() : 0;
}

/// Bytes to reserve, if reserved memory is limited, for stacks and heaps of threads that have not
/// started yet, and for the checkpoint, which is mapped after it has been written.
int64_t reserved_memory(const nn::FlatParameters& parameters) {
  constexpr int64_t kThreads = int64_t{160} << 20;
  constexpr int64_t kBuffersInCheckpoint = 3;
  const bool is_limited = parameters.values().is_cpu() && is_limited_by_reservations();
  return is_limited
             ? kThreads + kBuffersInCheckpoint * static_cast<int64_t>(parameters.values().nbytes())
             : 0;
}

/// This process's part of the free memory in bytes. Processes on one machine share its memory
/// unless each has a GPU; all of them measure before any of them starts a trial.
int64_t share_of_free_memory(const at::Device& device, ProcessGroup& processes) {
  nn::release_memory(device);
  const int64_t free = nn::free_memory(device);
  const std::string mine = device.is_cpu() ? host_name() : std::to_string(processes.rank());
  const auto owners = processes.all_texts(mine);
  return free / std::max<int64_t>(1, std::count(owners.begin(), owners.end(), mine));
}

int64_t smallest_of_all(int64_t number, ProcessGroup& processes) {
  for (const std::string& text : processes.all_texts(std::to_string(number)))
    number = std::min(number, static_cast<int64_t>(std::stoll(text)));
  return number;
}

/// Searches for the largest batch of one run.
class Search {
 public:
  Search(const OptionField& field, const AutomaticBatches& request)
      : field_(field),
        request_(request),
        counts_tokens_(field.name == "max-tokens"),
        device_(request.dependencies.translation_model->parameters->values().device()),
        trials_(request.dependencies, request.settings, request.batching) {
    const int64_t free = share_of_free_memory(device_, *request.processes);
    const auto usable = static_cast<int64_t>(kUsableShare * static_cast<double>(free));
    range_.bytes =
        std::max<int64_t>(0,
                          usable - request.reserved_bytes -
                              reserved_memory(*request.dependencies.translation_model->parameters));
    range_.smallest = counts_tokens_ ? trials_.longest() : 1;
    range_.largest = counts_tokens_ ? trials_.tokens() : trials_.sentences();
    before_ = nn::memory_use(device_).now;
  }

  LargestBatch run() {
    LargestBatch found =
        find_largest_batch(range_, [this](int64_t size) { return bytes_of(size); });
    if (found.size == 0) {
      throw OutOfMemory(
          fmt::format("--{} auto: a batch of one sentence of up to {} tokens does "
                      "not fit into {}",
                      field_.name,
                      trials_.longest(),
                      bytes_text(range_.bytes)));
    }
    return found;
  }

  const BatchRange& range() const { return range_; }

 private:
  std::optional<int64_t> bytes_of(int64_t size) {
    const BatchingOptions& other = request_.batching;
    return counts_tokens_ ? trials_.bytes_of(size, other.max_sentences, before_, range_.bytes)
                          : trials_.bytes_of(other.max_tokens, size, before_, range_.bytes);
  }

  const OptionField& field_;
  const AutomaticBatches& request_;
  bool counts_tokens_;
  at::Device device_;
  TrialPasses trials_;
  BatchRange range_;
  int64_t before_ = 0;
};

nlohmann::json search(OptionField& field, const AutomaticBatches& request) {
  Search search(field, request);
  log_info(fmt::format("searching for the largest batch that fits into {} (--{} auto)",
                       bytes_text(search.range().bytes),
                       field.name));
  const LargestBatch found = search.run();
  const int64_t size = smallest_of_all(found.size, *request.processes);
  log_info(fmt::format("--{} auto: {} (a batch of {} needs {} of {}; tried {})",
                       field.name,
                       size,
                       found.size,
                       bytes_text(found.bytes),
                       bytes_text(search.range().bytes),
                       counted(static_cast<int64_t>(found.tried.size()), "size")));
  field.from_text(std::to_string(size), field.origin);
  return {{"found", "by trial"},
          {"bytes", found.bytes},
          {"usable_bytes", search.range().bytes},
          {"tried", found.tried}};
}

nlohmann::json take_recorded(OptionField& field, int64_t number) {
  log_info(fmt::format("--{} auto: {}, as before", field.name, number));
  field.from_text(std::to_string(number), field.origin);
  return {{"found", "in the checkpoint"}};
}

void require_counted_memory(const OptionField& field, const at::Device& device) {
  if (nn::counts_memory(device))
    return;
  throw UsageError(
      fmt::format("--{} auto needs phraseq's allocator, which counts memory", field.name),
      "Unset PHRASEQ_ALLOCATOR, or give a number.");
}

}  // namespace

std::optional<nlohmann::json> settle_batches(OptionTable& table, const AutomaticBatches& request) {
  OptionField* const field = automatic_field(table);
  if (field == nullptr)
    return std::nullopt;
  const int64_t recorded = recorded_number(*field, request.recorded);
  const at::Device device = request.dependencies.translation_model->parameters->values().device();
  if (recorded == 0)
    require_counted_memory(*field, device);
  nlohmann::json report = recorded > 0 ? take_recorded(*field, recorded) : search(*field, request);
  nn::release_memory(device);
  report["option"] = field->name;
  report["value"] = **std::get_if<int64_t*>(&field->target);
  return report;
}

}  // namespace phraseq
