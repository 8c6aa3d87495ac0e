#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

/// What moves data between processes.
enum class DistributedBackend { kAuto, kGloo, kNccl };
/// fairseq's names for implementations of data parallelism; all mean the same here.
enum class DdpBackend { kC10d, kPytorchDdp, kLegacyDdp, kNoC10d };
/// The type of gradients between processes.
enum class CommHook { kNone, kBf16 };
/// What is divided between the processes (fairseq's names, and the stages of ZeRO).
enum class ZeroSharding { kNone, kOptimizerState };

inline constexpr EnumName<DistributedBackend> kDistributedBackendNames[] = {
    {"auto", DistributedBackend::kAuto},
    {"gloo", DistributedBackend::kGloo},
    {"nccl", DistributedBackend::kNccl}};
inline constexpr EnumName<DdpBackend> kDdpBackendNames[] = {
    {"c10d", DdpBackend::kC10d},
    {"pytorch_ddp", DdpBackend::kPytorchDdp},
    {"legacy_ddp", DdpBackend::kLegacyDdp},
    {"no_c10d", DdpBackend::kNoC10d}};
inline constexpr EnumName<CommHook> kCommHookNames[] = {{"none", CommHook::kNone},
                                                        {"bf16", CommHook::kBf16}};
inline constexpr EnumName<ZeroSharding> kZeroShardingNames[] = {
    {"none", ZeroSharding::kNone},
    {"os", ZeroSharding::kOptimizerState},
    {"0", ZeroSharding::kNone},
    {"1", ZeroSharding::kOptimizerState}};

/// Training with several processes. Without these options, the launcher's environment decides.
struct PHRASEQ_API DistributedOptions : Options {
  int64_t nproc_per_node = 0;  ///< processes to start on this machine; 0 = only this one
  int64_t world_size = 0;      ///< 0 = as the environment says
  int64_t rank = -1;           ///< -1 = as the environment says
  std::string init_method;     ///< tcp://HOST:PORT or env://
  int64_t port = 0;            ///< of rank 0's store; 0 = MASTER_PORT or 29500
  int64_t device_id = -1;      ///< -1 = the local rank
  int64_t timeout = 1800;      ///< seconds that a rank waits for another one
  bool no_spawn = false;
  DistributedBackend backend = DistributedBackend::kAuto;
  DdpBackend ddp_backend = DdpBackend::kC10d;
  CommHook comm_hook = CommHook::kNone;
  double bucket_cap_mb = 25;  ///< of gradients that travel at a time
  bool overlap = true;
  ZeroSharding zero_sharding = ZeroSharding::kNone;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

/// Names of the options that may differ between the processes of one run.
PHRASEQ_API std::vector<std::string> options_of_one_process();

}  // namespace phraseq
