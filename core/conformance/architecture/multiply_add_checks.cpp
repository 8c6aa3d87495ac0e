#include "core/conformance/architecture/multiply_add_checks.h"

#include <algorithm>
#include <string_view>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <ATen/core/stack.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <fmt/format.h>

#include "core/conformance/fixtures/small_model.h"
#include "core/nn/transformer/attention_module.h"
#include "core/text/dictionary.h"

namespace phraseq::conformance {
namespace {

constexpr int64_t kTokensOfASide = 10;

/// The multiply-adds of products with parameters that a thread computes.
struct CountedProducts {
  const char* begin = nullptr;  // of the parameters' memory
  const char* end = nullptr;
  double sum = 0;

  bool is_parameter(const at::Tensor& matrix) const {
    const auto* data = static_cast<const char*>(matrix.const_data_ptr());
    return data >= begin && data < end;
  }
  /// a [m, k] times b [k, n]
  void add(const c10::IValue& a, const c10::IValue& b) {
    if (!a.isTensor() || !b.isTensor())
      return;
    const at::Tensor left = a.toTensor(), right = b.toTensor();
    if (left.dim() == 2 && right.dim() == 2 && (is_parameter(left) || is_parameter(right)))
      sum += static_cast<double>(left.numel()) * static_cast<double>(right.size(1));
  }
};

thread_local CountedProducts* counted_products = nullptr;

/// A dispatch key that LibTorch keeps for tests: its fallback gets every operator with its
/// arguments. Inputs of a RecordFunction are not an alternative: programs that are compiled without
/// NDEBUG can not read those of a LibTorch that was compiled with it.
constexpr c10::DispatchKey kObserver = c10::DispatchKey::TESTING_ONLY_GenericMode;

void count_product(const c10::OperatorHandle& call,
                   c10::DispatchKeySet keys,
                   torch::jit::Stack* stack) {
  const std::string_view name = call.schema().name();
  const auto inputs = torch::jit::last(*stack, call.schema().arguments().size());
  if (counted_products != nullptr && name == "aten::mm")
    counted_products->add(inputs[0], inputs[1]);
  if (counted_products != nullptr && (name == "aten::addmm" || name == "aten::addmm_"))
    counted_products->add(inputs[1], inputs[2]);
  call.redispatchBoxed(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, kObserver),
                       stack);
}

/// Counts while it exists.
class CountingProducts {
 public:
  explicit CountingProducts(CountedProducts& into)
      : fallback_(c10::Dispatcher::singleton().registerFallback(
            kObserver,
            c10::KernelFunction::makeFromBoxedFunction<&count_product>(),
            "phraseq conformance")),
        observing_(kObserver) {
    counted_products = &into;
  }
  ~CountingProducts() { counted_products = nullptr; }
  CountingProducts(const CountingProducts&) = delete;
  CountingProducts& operator=(const CountingProducts&) = delete;

 private:
  c10::RegistrationHandleRAII fallback_;
  c10::impl::IncludeDispatchKeyGuard observing_;
};

double counted_in_a_pass(const SmallModel& model) {
  std::vector<int64_t> words(kTokensOfASide, 5);
  words.back() = kEos;
  const at::Tensor values = model.flat().values();
  CountedProducts counted;
  counted.begin = static_cast<const char*>(values.const_data_ptr());
  counted.end = counted.begin + values.nbytes();
  const CountingProducts counting(counted);
  model.logits({toy_example(0, words, words)});
  return counted.sum;
}

bool has_matrix(const torch::nn::Module& module) {
  const auto parameters = module.parameters();
  return std::any_of(parameters.begin(), parameters.end(), [](const at::Tensor& parameter) {
    return parameter.dim() >= 2;
  });
}

/// Modules of attention with matrices that say they multiply nothing.
Findings idle_modules(const Architecture& model) {
  Findings findings;
  for (const auto& item : model.named_modules()) {
    const auto* self = dynamic_cast<const nn::SelfAttention*>(item.value().get());
    const auto* cross = dynamic_cast<const nn::CrossAttention*>(item.value().get());
    if ((self == nullptr && cross == nullptr) || !has_matrix(*item.value()))
      continue;
    const double sum = self != nullptr ? self->multiply_adds(kTokensOfASide)
                                       : cross->multiply_adds(kTokensOfASide, kTokensOfASide);
    if (!(sum > 0)) {
      findings.push_back(fmt::format(
          "{}: multiply_adds() is {} although the module has matrices; return rows times weights "
          "of each matrix that it multiplies",
          item.key(),
          sum));
    }
  }
  return findings;
}

Findings all_products(const Registry& registry, const Selection& selection) {
  const at::NoGradGuard no_gradients;
  const SmallModel small(registry, selection, nn::Precision::kFp64);
  Findings findings = idle_modules(small.model());
  const double counted = counted_in_a_pass(small);
  const double reported = small.model().multiply_adds(kTokensOfASide, kTokensOfASide);
  // Conventions may add a start token to the source, which the estimate need not know of.
  const double with_start = small.model().multiply_adds(kTokensOfASide + 1, kTokensOfASide + 1);
  if (std::max(reported, with_start) < counted * (1 - 1e-9)) {
    findings.push_back(fmt::format(
        "multiply_adds({0}, {0}) is {1:.0f}, but a pass over {0} source and {0} target tokens "
        "multiplies rows with parameters {2:.0f} times: add every matrix of the model, with the "
        "number of rows that it is applied to",
        kTokensOfASide,
        reported,
        counted));
  }
  return findings;
}

}  // namespace

std::vector<Check> multiply_add_checks(const Registry& registry, const Selection& selection) {
  return {{"multiply_adds contains every matrix",
           [&registry, &selection] { return all_products(registry, selection); }}};
}

}  // namespace phraseq::conformance
