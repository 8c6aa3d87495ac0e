#include "core/conformance/suites.h"

#include <string_view>
#include <utility>

#include <c10/util/Exception.h>

#include "core/conformance/architecture/architecture_suite.h"
#include "core/conformance/criterion_suite.h"
#include "core/conformance/data_loader_suite.h"
#include "core/conformance/decoder_suite.h"
#include "core/conformance/metric_suite.h"
#include "core/conformance/optimizer_suite.h"
#include "core/conformance/option_checks.h"
#include "core/conformance/task_suite.h"
#include "core/conformance/tokenizer_suite.h"
#include "core/criterion/criterion.h"
#include "core/data/data_loader.h"
#include "core/data/task.h"
#include "core/nn/architecture.h"
#include "core/optim/lr_scheduler.h"
#include "core/optim/optimizer.h"
#include "core/score/metrics/metric.h"
#include "core/search/decoder.h"
#include "core/text/tokenizer.h"

namespace phraseq::conformance {
namespace {

std::vector<Check> suite_of(const Registry& registry,
                            const Selection& selection,
                            const TrialData& data,
                            const std::string& folder) {
  const std::string_view kind = selection.component->kind;
  if (kind == Architecture::kKind)
    return architecture_suite(registry, selection, folder);
  if (kind == Criterion::kKind)
    return criterion_suite(selection);
  if (kind == Decoder::kKind)
    return decoder_suite(selection);
  if (kind == DataLoader::kKind)
    return data_loader_suite(selection, data);
  if (kind == Optimizer::kKind)
    return optimizer_suite(selection);
  if (kind == LrScheduler::kKind)
    return lr_scheduler_suite(selection);
  if (kind == Metric::kKind)
    return metric_suite(selection);
  if (kind == Tokenizer::kKind)
    return tokenizer_suite(selection, data);
  if (kind == Task::kKind)
    return task_suite(registry, selection, data);
  return {};
}

}  // namespace

std::vector<Check> checks_of(const Registry& registry,
                             const Selection& selection,
                             const TrialData& data,
                             const std::string& folder) {
  std::vector<Check> checks = option_checks(*selection.component);
  for (Check& check : suite_of(registry, selection, data, folder))
    checks.push_back(std::move(check));
  return checks;
}

Verdict run(const Check& check) {
  using Kind = Verdict::Kind;
  try {
    Findings findings = check.run();
    return {findings.empty() ? Kind::kHolds : Kind::kFails, std::move(findings)};
  } catch (const NotApplicable& reason) {
    return {Kind::kDoesNotApply, {reason.what()}};
  } catch (const c10::Error& failure) {
    return {Kind::kFails, {std::string("threw: ") + failure.what_without_backtrace()}};
  } catch (const std::exception& failure) {
    return {Kind::kFails, {std::string("threw: ") + failure.what()}};
  } catch (...) {
    return {Kind::kFails, {"threw an exception that does not derive from std::exception"}};
  }
}

}  // namespace phraseq::conformance
