#include "core/criterion/loss_report.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>

#include "core/nn/functional/reference/operators_only.h"

namespace phraseq {
namespace {

/// Under OperatorsOnly the CPU is treated as a device, so that tests exercise the code for a GPU.
bool is_host(const at::Tensor& x) { return x.is_cpu() && !nn::operators_only(); }

}  // namespace

double& LossReport::sum_of(const std::string& name) {
  if (name == kLossSum)
    return loss_sum;
  return name == kNllSum ? nll_sum : extras[name];
}

void LossReport::add(const LossReport& other) {
  loss_sum += other.loss_sum;
  nll_sum += other.nll_sum;
  tokens += other.tokens;
  sentences += other.sentences;
  for (const auto& [name, sum] : other.extras) extras[name] += sum;
  for (const auto& [name, sum] : other.on_device) {
    at::Tensor& mine = on_device[name];
    mine = mine.defined() ? mine + sum : sum;
  }
}

void LossReport::add_sum(const std::string& name, const at::Tensor& x) {
  if (is_host(x)) {
    sum_of(name) += x.item<double>();
    return;
  }
  const at::Tensor value = x.detach().to(at::kDouble).reshape(at::IntArrayRef());  // a scalar
  at::Tensor& mine = on_device[name];
  mine = mine.defined() ? mine + value : value;
}

void LossReport::multiply_sum(const std::string& name, double factor) {
  sum_of(name) *= factor;
  const auto found = on_device.find(name);
  if (found != on_device.end())
    found->second = found->second * factor;
}

void LossReport::read() { read_together({this}, {}); }

double read_together(const std::vector<LossReport*>& reports, const at::Tensor& extra) {
  std::vector<at::Tensor> scalars;
  for (const LossReport* report : reports) {
    for (const auto& [name, sum] : report->on_device) scalars.push_back(sum);
  }
  if (extra.defined())
    scalars.push_back(extra.to(at::kDouble).reshape(at::IntArrayRef()));
  if (scalars.empty())
    return 0.0;
  const at::Tensor values = at::stack(scalars).cpu();  // [scalars]
  const auto* value = values.const_data_ptr<double>();
  for (LossReport* report : reports) {
    for (const auto& [name, sum] : report->on_device) report->sum_of(name) += *value++;
    report->on_device.clear();
  }
  return extra.defined() ? *value : 0.0;
}

std::map<std::string, double> LossReport::extras_per_token() const {
  const auto judged = extras.find(kJudgedTokens);
  const double count = judged == extras.end() ? static_cast<double>(tokens) : judged->second;
  std::map<std::string, double> fractions;
  for (const auto& [name, sum] : extras) {
    if (name != kJudgedTokens)
      fractions[name + "_per_token"] = count > 0 ? sum / count : 0.0;
  }
  return fractions;
}

}  // namespace phraseq
