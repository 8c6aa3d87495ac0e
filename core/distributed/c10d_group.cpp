#include "core/distributed/c10d_group.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>

#include <ATen/ops/empty.h>
#include <c10/util/Logging.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/launcher/environment.h"
#include "core/base/posix/host_name.h"
#include "core/distributed/backends/gloo_backend.h"
#include "core/distributed/backends/nccl_backend.h"
#include "core/distributed/rendezvous.h"
#include "core/distributed/rendezvous/addresses.h"
#include "core/distributed/roll_call.h"
#include "core/distributed/row_sum.h"

namespace phraseq {
namespace {

constexpr int64_t kPiece = int64_t{1} << 22;  // elements that travel at a time
constexpr int64_t kSlot = 2048;               // bytes of a text that travel with its length

std::string message_of(const std::exception& failure) {
  const auto* const of_torch = dynamic_cast<const c10::Error*>(&failure);
  const std::string text =
      of_torch != nullptr ? of_torch->what_without_backtrace() : failure.what();
  return text.substr(0, text.find(". This is typically"));  // Gloo's guesses
}

/// c10d logs every failed attempt with a stack trace; what matters is in phraseq's messages.
/// TORCH_CPP_LOG_LEVEL brings the rest back.
void quiet_c10d() {
  constexpr int kOnlyFatal = 3;
  if (!process_environment()("TORCH_CPP_LOG_LEVEL"))
    FLAGS_caffe2_log_level = kOnlyFatal;
}

/// NCCL, for tensors of a GPU; so that all processes decide alike, each tells the others which GPU
/// it has, or nothing.
std::string gpu_for_nccl(DistributedBackend wanted, at::Device device) {
  if (wanted == DistributedBackend::kGloo || !has_nccl() || !device.is_cuda())
    return {};
  return fmt::format("GPU {} of {}", device.index(), host_name());
}

/// The GPU that two processes have, or an empty text.
std::string shared_gpu(std::vector<std::string> gpus) {
  std::sort(gpus.begin(), gpus.end());
  const auto same = std::adjacent_find(gpus.begin(), gpus.end());
  return same == gpus.end() ? "" : *same;
}

/// Throws UsageError where --distributed-backend nccl cannot be fulfilled by this process alone.
void require_nccl(at::Device device) {
  constexpr const char* kRemedy = "Use --distributed-backend gloo, which also accepts GPU tensors.";
  if (!has_nccl()) {
    throw UsageError(
        "--distributed-backend nccl: this build has no NCCL, because its LibTorch was built "
        "without it or the headers of CUDA and NCCL were not found",
        kRemedy);
  }
  if (!device.is_cuda()) {
    throw UsageError(
        fmt::format("--distributed-backend nccl needs a GPU for each process; this one computes on "
                    "the device {}",
                    device.str()),
        kRemedy);
  }
}

at::Tensor bytes_of(int64_t size) { return at::empty({size}, at::kByte); }

/// Texts travel by Gloo; tensors by Gloo, too, or by NCCL.
class C10dGroup final : public ProcessGroup {
 public:
  C10dGroup(const Placement& placement,
            const Meeting& meeting,
            const DistributedOptions& options,
            at::Device device)
      : ProcessGroup(placement.rank, placement.world_size),
        roll_(meeting.store,
              placement.rank,
              meeting.names,
              /*keeps_store=*/placement.rank == 0 && !placement.store_is_running) {
    const std::chrono::seconds timeout(options.timeout);
    collective([&]() -> c10::intrusive_ptr<c10d::Work> {
      texts_ = make_gloo_backend(meeting.store,
                                 placement.rank,
                                 placement.world_size,
                                 local_address_towards(placement.address),
                                 timeout);
      return {};
    });
    numbers_ = texts_;
    if (all_take_nccl(options.backend, device)) {
      numbers_ =
          make_nccl_backend(meeting.store, placement.rank, placement.world_size, device, timeout);
      device_ = device;
    }
  }

  std::vector<std::string> all_texts(const std::string& mine) override;
  void take_from_first(at::Tensor& tensor) override;
  void sum_into(at::Tensor& sums,
                const at::Tensor& mine,
                const std::vector<bool>& contributes,
                Wire wire) override;
  void gather_shards(at::Tensor& values, int64_t shard_size) override;
  bool report_failure(const std::string& reason, bool is_own) noexcept override {
    roll_.report(reason, is_own);
    disconnect();  // the others notice, and ask
    const bool first_fails_alike = is_own && roll_.first_reports(reason);
    roll_.leave();
    roll_.wait_for_questions();
    return first_fails_alike;
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
                        "The connection reported: " + message_of(failure));
    }
  }

  bool all_take_nccl(DistributedBackend wanted, at::Device device);
  void disconnect() noexcept;

  /// [size, elements] on the CPU from [elements] of each process.
  at::Tensor all_rows(const at::Tensor& mine);
  /// The same into `rows`.
  void gather_rows(c10d::Backend& backend, const at::Tensor& rows, const at::Tensor& mine);
  at::Tensor kept(at::Tensor& buffer, int64_t elements, at::ScalarType type) const;
  void sum_piece(const at::Tensor& sums,
                 const at::Tensor& mine,
                 const std::vector<bool>& contributes,
                 at::ScalarType wire);
  void gather_pieces(const at::Tensor& values, int64_t shard_size, int64_t start, int64_t length);

  RollCall roll_;
  c10::intrusive_ptr<c10d::Backend> texts_, numbers_;
  at::Device device_ = at::kCPU;            ///< that numbers travel from
  at::Tensor outgoing_, incoming_, chunk_;  // kept from call to call
};

/// Whether every process has its own GPU for NCCL. Throws UsageError if the user requested NCCL.
bool C10dGroup::all_take_nccl(DistributedBackend wanted, at::Device device) {
  const auto gpus = all_texts(gpu_for_nccl(wanted, device));
  if (std::any_of(gpus.begin(), gpus.end(), [](const auto& gpu) { return gpu.empty(); }))
    return false;
  const std::string shared = shared_gpu(gpus);
  if (!shared.empty() && wanted == DistributedBackend::kNccl) {
    throw UsageError(
        fmt::format("--distributed-backend nccl needs a GPU for each process, but {} has several",
                    shared),
        "Start as many processes on a machine as it has GPUs, or use --distributed-backend gloo.");
  }
  return shared.empty();
}

/// Closes the connections.
void C10dGroup::disconnect() noexcept {
  try {
    if (numbers_ && numbers_.get() != texts_.get())
      numbers_->abort();
  } catch (const std::exception&) {  // it is given up in any case
  }
  numbers_.reset();
  texts_.reset();
}

at::Tensor C10dGroup::all_rows(const at::Tensor& mine) {
  at::Tensor rows = at::empty({size(), mine.numel()}, mine.options());
  gather_rows(*texts_, rows, mine);
  return rows;
}

void C10dGroup::gather_rows(c10d::Backend& backend,
                            const at::Tensor& rows,
                            const at::Tensor& mine) {
  std::vector<at::Tensor> inputs = {mine};
  std::vector<std::vector<at::Tensor>> outputs = {rows.unbind(0)};
  collective([&] { return backend.allgather(outputs, inputs); });
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
  collective([&] { return texts_->broadcast(tensors); });
  if (!tensors.front().is_same(tensor))
    tensor.copy_(tensors.front());
}

/// The first elements of a buffer that grows when needed.
at::Tensor C10dGroup::kept(at::Tensor& buffer, int64_t elements, at::ScalarType type) const {
  if (!buffer.defined() || buffer.numel() < elements || buffer.scalar_type() != type)
    buffer = at::empty({elements}, at::TensorOptions(type).device(device_));
  return buffer.narrow(0, 0, elements);
}

void C10dGroup::sum_into(at::Tensor& sums,
                         const at::Tensor& mine,
                         const std::vector<bool>& contributes,
                         Wire wire) {
  const at::ScalarType type = wire == Wire::kBf16 ? at::kBFloat16 : mine.scalar_type();
  for (int64_t start = 0; start < mine.numel(); start += kPiece) {
    const int64_t length = std::min(kPiece, mine.numel() - start);
    sum_piece(sums.narrow(0, start, length), mine.narrow(0, start, length), contributes, type);
  }
}

/// Every rank receives its chunk of everybody's part, adds the chunks in the order of ranks, and
/// hands the sum out: as much traffic as a ring, but the order does not depend on the chunk.
void C10dGroup::sum_piece(const at::Tensor& sums,
                          const at::Tensor& mine,
                          const std::vector<bool>& contributes,
                          at::ScalarType wire) {
  const int64_t elements = mine.numel();
  const int64_t chunk = (elements + size() - 1) / size();
  at::Tensor outgoing = kept(outgoing_, size() * chunk, wire);
  at::Tensor incoming = kept(incoming_, size() * chunk, wire);
  copy_in_slices(outgoing.narrow(0, 0, elements), mine);
  outgoing.narrow(0, elements, size() * chunk - elements).zero_();
  std::vector<int64_t> equal_parts;
  collective([&] { return numbers_->alltoall_base(incoming, outgoing, equal_parts, equal_parts); });
  const at::Tensor rows = incoming.view({size(), chunk});  // [size, chunk]
  const at::Tensor own = kept(chunk_, chunk, wire);        // [chunk]
  sum_rows(rows, contributes, mine.scalar_type(), own);
  gather_rows(*numbers_, rows, own);
  copy_in_slices(sums, incoming.narrow(0, 0, elements));
}

void C10dGroup::gather_shards(at::Tensor& values, int64_t shard_size) {
  const int64_t most = std::max<int64_t>(1, kPiece / size());
  for (int64_t start = 0; start < shard_size; start += most)
    gather_pieces(values, shard_size, start, std::min(most, shard_size - start));
}

/// The elements from `start` on of every shard; the last shards may be shorter, or empty.
void C10dGroup::gather_pieces(const at::Tensor& values,
                              int64_t shard_size,
                              int64_t start,
                              int64_t length) {
  const auto piece_of = [&](int64_t rank) {
    const int64_t begin = std::min(rank * shard_size + start, values.numel());
    return values.narrow(0, begin, std::min(length, values.numel() - begin));  // [≤ length]
  };
  const at::Tensor own = piece_of(rank());
  const at::Tensor mine = kept(outgoing_, length, values.scalar_type());
  mine.narrow(0, 0, own.numel()).copy_(own);
  const at::Tensor rows =
      kept(incoming_, size() * length, values.scalar_type()).view({size(), length});
  gather_rows(*numbers_, rows, mine);
  for (int64_t rank = 0; rank < size(); ++rank) {
    at::Tensor piece = piece_of(rank);
    piece.copy_(rows[rank].narrow(0, 0, piece.numel()));
  }
}

void C10dGroup::finish() {
  all_texts({});  // nobody needs the store any longer
  roll_.stop();
  all_texts({});
  if (numbers_.get() != texts_.get())
    numbers_->shutdown();
}

}  // namespace

std::unique_ptr<ProcessGroup> join_processes(const Placement& placement,
                                             const DistributedOptions& options,
                                             at::Device device) {
  if (options.backend == DistributedBackend::kNccl)
    require_nccl(device);
  quiet_c10d();
  return std::make_unique<C10dGroup>(
      placement, meet(placement, std::chrono::seconds(options.timeout)), options, device);
}

}  // namespace phraseq
