#include "core/distributed/c10d_group.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <utility>

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <c10/util/Logging.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/distributed/environment.h"
#include "core/distributed/gloo_backend.h"
#include "core/distributed/rendezvous.h"
#include "core/distributed/roll_call.h"

namespace phraseq {
namespace {

constexpr int64_t kBucket = int64_t{1} << 22;  // elements that are summed at a time
constexpr int64_t kSlot = 2048;                // bytes of a text that travel with its length

std::string message_of(const std::exception& failure) {
  const auto* const of_torch = dynamic_cast<const c10::Error*>(&failure);
  const std::string text =
      of_torch != nullptr ? of_torch->what_without_backtrace() : failure.what();
  return text.substr(0, text.find(". This is typically"));  // Gloo's guesses
}

/// c10d logs every failed attempt with a stack trace; what matters is in our messages.
/// TORCH_CPP_LOG_LEVEL brings the rest back.
void quiet_c10d() {
  constexpr int kOnlyFatal = 3;
  if (!process_environment()("TORCH_CPP_LOG_LEVEL"))
    FLAGS_caffe2_log_level = kOnlyFatal;
}

at::Tensor bytes_of(int64_t size) { return at::empty({size}, at::kByte); }

class C10dGroup final : public ProcessGroup {
 public:
  C10dGroup(const Placement& placement, Meeting meeting, const DistributedOptions& options)
      : ProcessGroup(placement.rank, placement.world_size),
        roll_(meeting.store,
              placement.rank,
              std::move(meeting.names),
              /*keeps_store=*/placement.rank == 0 && !placement.store_is_running) {
    collective([&]() -> c10::intrusive_ptr<c10d::Work> {
      backend_ = make_gloo_backend(meeting.store,
                                   placement.rank,
                                   placement.world_size,
                                   local_address_towards(placement.address),
                                   std::chrono::seconds(options.timeout));
      return {};
    });
  }

  std::vector<std::string> all_texts(const std::string& mine) override;
  void take_from_first(at::Tensor& tensor) override;
  void sum_in_rank_order(at::Tensor& values,
                         const std::vector<bool>& contributes,
                         Wire wire) override;
  void report_failure(const std::string& reason, bool is_own) noexcept override {
    roll_.report(reason, is_own);
    backend_.reset();  // closes the connections: the others notice, and ask
    fails_like_first_ = is_own && roll_.first_reports(reason);
    roll_.leave();
    roll_.wait_for_questions();
  }
  bool first_fails_alike(const std::string& /*reason*/) noexcept override {
    return fails_like_first_;
  }
  void finish() override;

 private:
  /// Runs a call that all processes make, and turns its failure into one that names the rank.
  template <class Call>
  void collective(const Call& call) {
    roll_.note_call();
    try {
      if (const auto work = call())
        work->wait();
    } catch (const Error&) {
      throw;
    } catch (const std::exception& failure) {
      throw RankFailure(fmt::format("rank {} stops: {}", rank(), roll_.finding()),
                        "the connection reported: " + message_of(failure));
    }
  }

  /// [size, elements] from [elements] of each process.
  at::Tensor all_rows(const at::Tensor& mine);
  void sum_bucket(const at::Tensor& part,
                  const std::vector<bool>& contributes,
                  at::ScalarType wire);

  RollCall roll_;
  c10::intrusive_ptr<c10d::Backend> backend_;
  bool fails_like_first_ = false;
  at::Tensor outgoing_, incoming_;  // [size * chunk], kept from call to call
};

at::Tensor C10dGroup::all_rows(const at::Tensor& mine) {
  at::Tensor rows = at::empty({size(), mine.numel()}, mine.options());
  std::vector<at::Tensor> inputs = {mine};
  std::vector<std::vector<at::Tensor>> outputs = {rows.unbind(0)};
  collective([&] { return backend_->allgather(outputs, inputs); });
  return rows;
}

/// The first bytes travel with the length: most texts need one call.
std::vector<std::string> C10dGroup::all_texts(const std::string& mine) {
  const auto length = static_cast<int64_t>(mine.size());
  constexpr int64_t kHead = sizeof(int64_t);
  at::Tensor slot = bytes_of(kHead + kSlot).zero_();
  auto* const head = slot.mutable_data_ptr<uint8_t>();
  std::memcpy(head, &length, kHead);
  std::memcpy(head + kHead, mine.data(), static_cast<size_t>(std::min(length, kSlot)));
  const at::Tensor slots = all_rows(slot);  // [size, kHead + kSlot]
  std::vector<int64_t> lengths(static_cast<size_t>(size()));
  for (int64_t rank = 0; rank < size(); ++rank)
    std::memcpy(&lengths[static_cast<size_t>(rank)], slots[rank].const_data_ptr(), kHead);
  const int64_t longest = *std::max_element(lengths.begin(), lengths.end());
  at::Tensor texts = slots.narrow(1, kHead, kSlot);  // [size, kSlot]
  if (longest > kSlot) {
    at::Tensor whole = bytes_of(longest).zero_();
    std::memcpy(whole.mutable_data_ptr(), mine.data(), mine.size());
    texts = all_rows(whole);  // [size, longest]
  }
  std::vector<std::string> result;
  for (int64_t rank = 0; rank < size(); ++rank) {
    const at::Tensor row = texts[rank].contiguous();  // [bytes]
    result.emplace_back(static_cast<const char*>(row.const_data_ptr()),
                        static_cast<size_t>(lengths[static_cast<size_t>(rank)]));
  }
  return result;
}

void C10dGroup::take_from_first(at::Tensor& tensor) {
  std::vector<at::Tensor> tensors = {tensor.cpu().contiguous()};
  collective([&] { return backend_->broadcast(tensors); });
  if (!tensors.front().is_same(tensor))
    tensor.copy_(tensors.front());
}

void C10dGroup::sum_in_rank_order(at::Tensor& values,
                                  const std::vector<bool>& contributes,
                                  Wire wire) {
  const at::ScalarType type = wire == Wire::kBf16 ? at::kBFloat16 : values.scalar_type();
  for (int64_t start = 0; start < values.numel(); start += kBucket) {
    const int64_t length = std::min(kBucket, values.numel() - start);
    sum_bucket(values.narrow(0, start, length), contributes, type);
  }
}

/// Every rank receives its chunk of everybody's part, adds the chunks in the order of ranks, and
/// hands the sum out: as much traffic as a ring, but the order does not depend on the chunk.
void C10dGroup::sum_bucket(const at::Tensor& part,
                           const std::vector<bool>& contributes,
                           at::ScalarType wire) {
  const int64_t elements = part.numel();
  const int64_t chunk = (elements + size() - 1) / size();
  if (!outgoing_.defined() || outgoing_.numel() != size() * chunk ||
      outgoing_.scalar_type() != wire) {
    outgoing_ = at::empty({size() * chunk}, at::TensorOptions(wire)).zero_();
    incoming_ = at::empty_like(outgoing_);
  }
  outgoing_.narrow(0, 0, elements).copy_(part);
  std::vector<int64_t> equal_parts;
  collective(
      [&] { return backend_->alltoall_base(incoming_, outgoing_, equal_parts, equal_parts); });
  const at::Tensor rows = incoming_.view({size(), chunk});  // [size, chunk]
  at::Tensor sum;                                           // [chunk]
  for (int64_t rank = 0; rank < size(); ++rank) {
    if (!contributes[static_cast<size_t>(rank)])
      continue;
    const at::Tensor row = rows[rank].to(part.scalar_type());  // [chunk]
    sum = sum.defined() ? sum.add_(row) : row.clone();
  }
  if (!sum.defined())
    sum = at::empty({chunk}, part.options().device(at::kCPU)).zero_();
  const at::Tensor all = all_rows(sum.to(wire)).view({-1});  // [size * chunk]
  at::Tensor result = part;
  result.copy_(all.narrow(0, 0, elements));
}

void C10dGroup::finish() {
  all_texts({});  // nobody needs the store any more
  roll_.stop();
  all_texts({});
}

}  // namespace

std::unique_ptr<ProcessGroup> join_processes(const Placement& placement,
                                             const DistributedOptions& options,
                                             at::Device /*device*/) {
  if (options.backend == DistributedBackend::kNccl) {
    throw UsageError("--distributed-backend nccl is not available in this build",
                     "use --distributed-backend gloo, which also takes tensors of a GPU");
  }
  quiet_c10d();
  return std::make_unique<C10dGroup>(
      placement, meet(placement, std::chrono::seconds(options.timeout)), options);
}

}  // namespace phraseq
