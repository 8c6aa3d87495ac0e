#include "core/distributed/distributed_options.h"

#include <fmt/format.h>

namespace phraseq {
namespace {

void describe_processes(OptionTable& table, DistributedOptions& o) {
  table.section("Several processes");
  table
      .field("nproc-per-node",
             o.nproc_per_node,
             "Start N processes on this machine, each with its share of the batches; 0 = train in "
             "this process.")
      .alias("nprocs-per-node")
      .in(0, 4096)
      .harmless();
  table
      .field(
          "distributed-world-size",
          o.world_size,
          "Number of processes on all machines; 0 = from WORLD_SIZE or the variables of Slurm or "
          "MPI, otherwise 1.")
      .in(0, 1'000'000)
      .harmless();
  table
      .field(
          "distributed-rank",
          o.rank,
          "Rank of this process, or of the first one that --nproc-per-node starts; -1 = from the "
          "environment.")
      .in(-1, 1'000'000)
      .harmless();
}

void describe_rendezvous(OptionTable& table, DistributedOptions& o) {
  table
      .field("distributed-init-method",
             o.init_method,
             "Address at which the processes connect: tcp://HOST:PORT of rank 0, or env:// for "
             "MASTER_ADDR and MASTER_PORT.")
      .value_name("URL")
      .harmless();
  table
      .field("distributed-port",
             o.port,
             "Port of rank 0; 0 = that of --distributed-init-method, MASTER_PORT, or 29500.")
      .in(-1, 65535)
      .harmless();
}

void describe_communication(OptionTable& table, DistributedOptions& o) {
  table
      .field("distributed-backend",
             o.backend,
             kDistributedBackendNames,
             "Communication library: gloo (any device) or nccl (GPUs only); auto = nccl if every "
             "process has its own GPU and this program was built with it, otherwise gloo.")
      .harmless();
  table
      .field("ddp-backend",
             o.ddp_backend,
             kDdpBackendNames,
             "fairseq's names of implementations of data parallelism; all have the same effect.")
      .harmless();
  table.field(
      "ddp-comm-hook",
      o.comm_hook,
      kCommHookNames,
      "Data type in which gradients are exchanged: none = that of the parameters, bf16 = half "
      "the traffic.");
}

void describe_gradients(OptionTable& table, DistributedOptions& o) {
  table
      .field("bucket-cap-mb",
             o.bucket_cap_mb,
             "Size in MB of the buckets in which gradients are added while the backward pass "
             "continues.")
      .in(1e-6, 1e6)
      .harmless();
  table
      .field("overlap",
             o.overlap,
             "Add the gradients of the processes during the backward pass instead of after it.")
      .harmless();
  table
      .field(
          "zero-sharding",
          o.zero_sharding,
          kZeroShardingNames,
          "Divide the optimizer state between the processes: os or 1 (stage 1 of ZeRO), or none.")
      .alias("zero")
      .harmless();
}

void describe_start(OptionTable& table, DistributedOptions& o) {
  table
      .field("distributed-no-spawn",
             o.no_spawn,
             "Do not start processes, even if --distributed-world-size is larger than 1 and no "
             "launcher is found.")
      .harmless();
  table
      .field("distributed-timeout",
             o.timeout,
             "After waiting for this many seconds, stop with an error that names the missing rank.")
      .in(1, 1'000'000)
      .harmless();
  table.field("device-id", o.device_id, "GPU of this process; -1 = its rank on this machine.")
      .alias("local-rank")
      .in(-1, 4096)
      .harmless();
}

}  // namespace

void DistributedOptions::describe(OptionTable& table) {
  describe_processes(table, *this);
  describe_rendezvous(table, *this);
  describe_communication(table, *this);
  describe_gradients(table, *this);
  describe_start(table, *this);
}

std::vector<std::string> DistributedOptions::problems() const {
  std::vector<std::string> found;
  if (world_size > 0 && rank >= world_size) {
    found.push_back(fmt::format(
        "--distributed-rank {} is not below --distributed-world-size {}", rank, world_size));
  }
  if (world_size > 0 && nproc_per_node > world_size) {
    found.push_back(fmt::format("--nproc-per-node {} is larger than --distributed-world-size {}",
                                nproc_per_node,
                                world_size));
  }
  const bool fits_alone = rank < world_size && nproc_per_node <= world_size;
  if (rank >= 0 && fits_alone && rank + nproc_per_node > world_size) {
    found.push_back(
        fmt::format("--nproc-per-node {} with --distributed-rank {} needs a "
                    "--distributed-world-size of at least {}, not {}",
                    nproc_per_node,
                    rank,
                    rank + nproc_per_node,
                    world_size));
  }
  return found;
}

std::vector<std::string> options_of_one_process() {
  return {"distributed-rank",   "device-id",          "nproc-per-node", "distributed-init-method",
          "log-file",           "distributed-port",   "log-format",     "distributed-no-spawn",
          "save-dir",           "tensorboard-logdir", "data",           "plugin-dir",
          "restore-file",       "no-progress-bar",    "quiet",          "finetune-from-model",
          "encoder-embed-path", "decoder-embed-path", "config",         "distributed-world-size"};
}

}  // namespace phraseq
