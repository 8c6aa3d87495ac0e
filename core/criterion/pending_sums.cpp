#include "core/criterion/pending_sums.h"

#include <utility>
#include <vector>

#include <ATen/ops/stack.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace phraseq {

PendingSums::PendingSums(LossReport report, const at::Tensor& extra) : report_(std::move(report)) {
  const at::Tensor last = extra.to(at::kDouble).reshape(at::IntArrayRef());
  std::vector<at::Tensor> scalars;
  for (const auto& [name, sum] : report_.on_device) scalars.push_back(sum);
  scalars.push_back(last);
  values_ = at::stack(scalars).to(at::kCPU, /*non_blocking=*/true);  // pinned if from a GPU
  if (last.is_cpu())
    return;
  copied_.emplace(last.device().type());
  copied_->record(c10::impl::VirtualGuardImpl(last.device().type()).getStream(last.device()));
}

PendingSums::Values PendingSums::take() {
  if (copied_)
    copied_->synchronize();
  Values values{std::move(report_), values_.const_data_ptr<double>()[values_.numel() - 1]};
  const auto* value = values_.const_data_ptr<double>();
  for (auto& [name, sum] : std::exchange(values.report.on_device, {}))
    values.report.sum_of(name) += *value++;
  return values;
}

}  // namespace phraseq
