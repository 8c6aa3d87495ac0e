#include "core/distributed/reduction/overlapped_sum.h"

#include <functional>
#include <optional>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/variable.h>

#include "core/base/exception_of.h"
#include "core/base/signals.h"

namespace phraseq {
namespace {

using torch::autograd::variable_list;

/// Called when autograd has finished with a node.
class AfterNode final : public torch::autograd::FunctionPostHook {
 public:
  explicit AfterNode(std::function<void()> call) : call_(std::move(call)) {}
  variable_list operator()(const variable_list& outputs, const variable_list& /*inputs*/) override {
    call_();
    return outputs;
  }

 private:
  std::function<void()> call_;
};

c10::Stream stream_of(at::Device device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStream(device);
}

/// One of a GPU's other streams.
c10::Stream stream_beside(at::Device device) {
  return c10::impl::VirtualGuardImpl(device.type())
      .getStreamFromGlobalPool(device, /*isHighPriority=*/true);
}

}  // namespace

/// Hooks behind the nodes of the parameters. They keep the nodes: a parameter has the same one as
/// long as somebody does.
struct OverlappedSum::Hooks {
  using Node = decltype(torch::autograd::impl::grad_accumulator(at::Tensor()));
  struct Hook {
    Node node;
    uintptr_t key;
  };

  void add(const at::Tensor& parameter, std::function<void()> call) {
    Node node = torch::autograd::impl::grad_accumulator(parameter);
    const uintptr_t key = node->add_post_hook(std::make_unique<AfterNode>(std::move(call)));
    hooks.push_back({std::move(node), key});
  }
  Hooks() = default;
  Hooks(const Hooks&) = delete;
  Hooks& operator=(const Hooks&) = delete;
  ~Hooks() {
    for (const Hook& hook : hooks) hook.node->del_post_hook(hook.key);
  }

  std::vector<Hook> hooks;
};

struct OverlappedSum::Ready {
  /// Records the work that the current stream has been given so far.
  void record(at::Device device) {
    if (device.is_cpu())
      return;
    event.emplace(device.type());
    event->record(stream_of(device));
  }
  /// The current stream waits for it.
  void block(at::Device device) const {
    if (event)
      event->block(stream_of(device));
  }

  std::optional<c10::Event> event;
};

OverlappedSum::OverlappedSum(ProcessGroup& processes,
                             nn::FlatParameters& parameters,
                             int64_t bucket_elements,
                             Wire wire)
    : processes_(processes),
      parameters_(parameters),
      wire_(wire),
      plan_(plan_buckets(parameters, bucket_elements)),
      sums_(at::zeros_like(parameters.gradients())),
      ready_(plan_.buckets.size()),
      handed_over_(plan_.buckets.size()),
      summed_(plan_.buckets.size()),
      hooks_(std::make_unique<Hooks>()) {
  const auto& entries = parameters.entries();
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].parameter.requires_grad())
      hooks_->add(entries[i].parameter,
                  [this, bucket = plan_.bucket_of[i]] { note_complete(bucket); });
  }
  thread_ = std::thread([this] { work(); });
}

/// Waits for a bucket that has been handed over: the other processes hand it over, too, or end.
OverlappedSum::~OverlappedSum() {
  hooks_.reset();
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void OverlappedSum::begin(std::vector<bool> contributes) {
  const std::lock_guard lock(mutex_);
  contributes_ = std::move(contributes);
  handed_over_ = 0;
  summed_ = 0;
  is_spoiled_ = false;
  earlier_ = at::Tensor();
}

void OverlappedSum::arm(const at::Tensor& earlier) {
  const std::lock_guard lock(mutex_);
  if (is_spoiled_)
    return;
  missing_.clear();
  for (const GradientBucket& bucket : plan_.buckets) missing_.push_back(bucket.parameters);
  earlier_ = earlier;
  is_armed_ = true;
}

void OverlappedSum::abandon() {
  {
    const std::lock_guard lock(mutex_);
    if (!is_armed_)
      return;
    is_armed_ = false;
    if (handed_over_ == 0) {
      earlier_ = at::Tensor();
      return;
    }
    is_spoiled_ = true;
  }
  finish();  // until then the thread reads what earlier batches gave
  earlier_ = at::Tensor();
}

void OverlappedSum::finish() {
  std::unique_lock lock(mutex_);
  is_armed_ = false;
  while (handed_over_ < buckets()) hand_over_next();
  changed_.notify_all();
  changed_.wait(lock, [this] { return summed_ == buckets(); });
  if (failure_)
    std::rethrow_exception(failure_);
}

void OverlappedSum::take() { parameters_.gradients().copy_(sums_); }

size_t OverlappedSum::handed_over() const {
  const std::lock_guard lock(mutex_);
  return handed_over_;
}

/// A parameter is complete; on the thread of the backward pass.
void OverlappedSum::note_complete(size_t bucket) {
  const std::lock_guard lock(mutex_);
  if (!is_armed_)
    return;
  if (--missing_[bucket] < 0)
    is_spoiled_ = true;  // more came after the bucket was complete
  hand_over_complete();
}

void OverlappedSum::hand_over_complete() {
  const size_t before = handed_over_;
  while (handed_over_ < buckets() && missing_[handed_over_] <= 0) hand_over_next();
  if (handed_over_ > before)
    changed_.notify_all();
}

void OverlappedSum::hand_over_next() {
  ready_[handed_over_].record(sums_.device());
  ++handed_over_;
}

/// After a failure, buckets are passed over: `finish` throws it.
void OverlappedSum::work() {
  block_signals_on_this_thread();
  const at::NoGradGuard no_gradients;
  c10::OptionalStreamGuard beside;  // the stream of the backward pass
  std::exception_ptr failure = exception_of([&] {
    if (!sums_.is_cpu())
      beside.reset_stream(stream_beside(sums_.device()));
  });
  std::unique_lock lock(mutex_);
  failure_ = failure;
  for (;;) {
    changed_.wait(lock, [this] { return ends_ || summed_ < handed_over_; });
    if (ends_)
      return;
    const size_t number = summed_;
    if (!failure_) {
      lock.unlock();
      failure = exception_of([&] { sum_bucket(number); });
      lock.lock();
      failure_ = failure;
    }
    ++summed_;
    changed_.notify_all();
  }
}

void OverlappedSum::sum_bucket(size_t number) {
  const GradientBucket& bucket = plan_.buckets[number];
  ready_[number].block(sums_.device());
  at::Tensor mine = parameters_.gradients().narrow(0, bucket.begin, bucket.elements);
  if (earlier_.defined())
    mine = mine + earlier_.narrow(0, bucket.begin, bucket.elements);
  at::Tensor sums = sums_.narrow(0, bucket.begin, bucket.elements);
  processes_.sum_into(sums, mine, contributes_, wire_);
  if (!sums_.is_cpu())
    stream_of(sums_.device()).synchronize();
}

}  // namespace phraseq
