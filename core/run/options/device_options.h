#pragma once

#include <c10/core/Device.h>

#include "core/base/api.h"
#include "core/options/option_table.h"

namespace phraseq {

enum class DeviceChoice { kAuto, kCpu, kCuda };

inline constexpr EnumName<DeviceChoice> kDeviceChoiceNames[] = {
    {"auto", DeviceChoice::kAuto}, {"cpu", DeviceChoice::kCpu}, {"cuda", DeviceChoice::kCuda}};

/// The device that a command computes on. The fields belong to the section that is being described.
struct PHRASEQ_API DeviceOptions : Options {
  DeviceChoice device = DeviceChoice::kAuto;
  bool cpu = false;
  bool tf32 = false;
  bool deterministic = false;
  int64_t index = 0;  ///< which GPU; set when several processes are started

  void describe(OptionTable& table) override;
  /// The device to compute on; throws UsageError for `cuda` on a machine without CUDA.
  at::Device chosen() const;
  /// Sets up LibTorch for the chosen device: its memory, --tf32 and --deterministic. Call it before
  /// the device is used. On the CPU, all results are deterministic and fp32 is fp32.
  void apply() const;
};

}  // namespace phraseq
