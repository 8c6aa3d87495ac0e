// Compares a training update of phrase-aware variants, or decoding with them, with the Transformer
// they extend, in one run on the same generated sentences. Prints the ratios of times, of memory
// and of multiply-adds, one line of JSON per variant.
//
//   bench-variants [--work train|decode] [--precision fp32|bf16] [--threads N] [--rounds N]
//                  [--tokens N] [--vocabulary N] [--length N] [--beam N] [--device cpu|cuda]
//                  BASE VARIANT...
//
// BASE and VARIANT are architectures or presets of the built plugins, with options after colons:
//   bench-variants transformer_nguyen_nguyen phrase_transformer_3:pt-dropout-scope=position
#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/random.h"
#include "core/nn/architecture.h"
#include "core/nn/flat_parameters.h"
#include "core/nn/loss/projected_loss.h"
#include "core/nn/memory/caching_allocator.h"
#include "core/nn/memory/device_memory.h"
#include "core/nn/packed/packed_weights.h"
#include "core/nn/precision/precision_option.h"
#include "core/options/command_line.h"
#include "core/options/enum_name.h"
#include "core/plugin/loader.h"
#include "core/run/options/device_options.h"
#include "tests/bench/random_batch.h"

namespace {

using namespace phraseq;

struct RaceOptions : Options {
  RaceOptions() { device.device = DeviceChoice::kCpu; }

  std::string work = "train";
  nn::Precision precision = nn::Precision::kFp32;
  bool processor_time = false;
  int64_t threads = 2, rounds = 9, tokens = 1700, vocabulary = 20000, length = 25;
  int64_t beam = 4;
  DeviceOptions device;
  std::vector<std::string> models;

  bool decodes() const { return work == "decode"; }
  int64_t rows_per_sentence() const { return decodes() ? beam : 1; }

  void describe(OptionTable& v) override {
    v.field("work", work, "An update, or decoding as a beam search does.")
        .one_of({"train", "decode"});
    v.field("beam", beam, "Hypotheses of a sentence in decoding.").at_least(1);
    nn::describe_precision(v, precision);
    v.field("processor-time",
            processor_time,
            "Count the processor's time, not the clock's: beside other work, with one thread.");
    v.field("threads", threads, "Threads.").at_least(1);
    v.field("rounds", rounds, "Updates that are timed, of every model in turn.").at_least(1);
    v.field("tokens", tokens, "Tokens of a batch, on each side.").at_least(1);
    v.field("vocabulary", vocabulary, "Symbols of the joined dictionary.").at_least(5);
    v.field("length", length, "Tokens of a sentence.").at_least(1);
    device.describe(v);
    v.field("models", models, "The Transformer, then its variants.").positional().required();
  }
};

/// A model in training.
class Runner {
 public:
  Runner(const Registry& registry, const std::string& text, const RaceOptions& options)
      : precision_(options.precision) {
    std::istringstream parts(text);
    std::getline(parts, name_, ':');
    const Selection selection = registry.select(Architecture::kKind, name_);
    OptionTable table;
    describe(table, selection);
    for (std::string part; std::getline(parts, part, ':');) {
      const size_t equals = part.find('=');
      OptionField* field = table.find(part.substr(0, equals));
      if (!field || equals == std::string::npos)
        throw UsageError(fmt::format("'{}' is no OPTION=VALUE of {}", part, name_));
      field->from_text(part.substr(equals + 1), OptionOrigin::kCommandLine);
      name_ += " " + part;
    }
    model_ = create<Architecture>(selection, {options.vocabulary, options.vocabulary, true, {}});
    model_->initialize(1);
    model_->to(options.device.chosen());
    flat_ = std::make_unique<nn::FlatParameters>(*model_, true);
    if (precision_ == nn::Precision::kBf16)
      flat_->refresh_bf16();
    if (options.decodes() && flat_->values().is_cpu())
      nn::pack_weights(flat_->values(), nn::Quantization::kNone);  // as in the commands
  }

  /// One update or one decoding of the batch, with the extras of the architecture.
  void run(const RaceOptions& options, Batch batch, uint64_t seed) {
    const std::vector<Example> examples(static_cast<size_t>(batch.sentences()));
    if (const auto extend = model_->conventions().extend)
      extend(examples, batch);
    batch = batch.to(flat_->values().device());
    if (options.decodes())
      decode(batch, options);
    else
      update(batch, seed);
    flat_->values().view(-1)[0].item();  // waits for a GPU
  }

  const std::string& name() const { return name_; }
  double multiply_adds(const RaceOptions& options, const Batch& batch) const {
    return model_->multiply_adds(batch.source.tokens(),
                                 options.rows_per_sentence() * batch.target_in.tokens());
  }
  /// Bytes of values and, in training, gradients.
  double parameter_bytes(const RaceOptions& options) const {
    const auto values = static_cast<double>(flat_->values().nbytes());
    return options.decodes() ? values : 2 * values;
  }

 private:
  /// A forward and a backward pass.
  void update(const Batch& batch, uint64_t seed) {
    nn::Context context(true, precision_, seed, flat_.get());
    const DecoderOutput out = model_->forward(batch, context);
    nn::projected_cross_entropy(out.hidden,
                                out.output_weight,
                                out.output_bias,
                                batch.target_out,
                                {0.1, nn::Smoothing::kFairseq, out.forbidden},
                                context)
        .loss.backward();
  }

  /// Every hypothesis takes `length` steps; after each step, the hypotheses of a sentence are
  /// permuted.
  void decode(const Batch& batch, const RaceOptions& options) {
    at::NoGradGuard no_grad;
    nn::Context context(false, precision_, 0, flat_.get());
    const auto session =
        model_->start_decoding(batch, {options.length, options.beam, false}, context);
    std::vector<int64_t> all_rows, next;
    for (int64_t row = 0; row < options.beam * batch.sentences(); ++row) {
      all_rows.push_back(row / options.beam);
      next.push_back(row - row % options.beam + (row + 1) % options.beam);
    }
    session->select(all_rows);
    const at::Tensor tokens =
        at::full({options.beam * batch.sentences()}, 5, batch.source.ids.options());
    for (int64_t step = 0; step < options.length; ++step) {
      session->step(tokens);
      session->select(next);
    }
  }

  nn::Precision precision_;
  std::string name_;
  std::unique_ptr<Architecture> model_;
  std::unique_ptr<nn::FlatParameters> flat_;
};

Batch make_batch(const RaceOptions& options) {
  Random random(7);
  return bench::random_batch({options.tokens, options.length, options.vocabulary}, random);
}

double now(bool processor_time) {
  if (processor_time)
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// A line of /proc/self/status in bytes.
double status_bytes(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":"))
      return 1024.0 * std::stod(line.substr(name.size() + 1));
  }
  return 0;
}

/// The memory of one more run on a GPU.
double device_bytes(Runner& runner, const RaceOptions& options, const Batch& batch) {
  const at::Device device = options.device.chosen();
  nn::reset_peak_memory(device);
  const int64_t before = nn::memory_use(device).now;
  runner.run(options, batch, 1);
  return static_cast<double>(nn::memory_use(device).peak - before);
}

/// The peak memory of one more run of a model, including its parameters.
double peak_bytes(Runner& runner, const RaceOptions& options, const Batch& batch) {
  if (!options.device.chosen().is_cpu())
    return device_bytes(runner, options, batch) + runner.parameter_bytes(options);
  nn::release_cached_memory();
  std::ofstream("/proc/self/clear_refs") << 5;  // resets the peak
  const double before = status_bytes("VmRSS");
  runner.run(options, batch, 1);
  return status_bytes("VmHWM") - before + runner.parameter_bytes(options);
}

std::vector<Runner> make_runners(const Registry& registry, const RaceOptions& options) {
  std::vector<Runner> runners;
  for (const std::string& model : options.models) runners.emplace_back(registry, model, options);
  return runners;
}

/// The median time of each runner; they take turns.
std::vector<double> median_seconds(std::vector<Runner>& runners,
                                   const RaceOptions& options,
                                   const Batch& batch) {
  constexpr int64_t kWarmUp = 2;
  std::vector<std::vector<double>> seconds(runners.size());
  for (int64_t round = 0; round < options.rounds + kWarmUp; ++round) {
    for (size_t i = 0; i < runners.size(); ++i) {
      const double start = now(options.processor_time);
      runners[i].run(options, batch, static_cast<uint64_t>(round));
      if (round >= kWarmUp)
        seconds[i].push_back(now(options.processor_time) - start);
    }
  }
  std::vector<double> medians;
  for (const auto& of_runner : seconds) medians.push_back(median(of_runner));
  return medians;
}

/// The cost of a model.
struct Cost {
  double seconds = 0, multiply_adds = 0, bytes = 0;
};

void print(const std::string& model,
           const Cost& cost,
           const Cost& base,
           double tokens,
           const RaceOptions& options) {
  const double time = cost.seconds / base.seconds;
  const double work = cost.multiply_adds / base.multiply_adds;
  fmt::print(
      "{{\"model\": \"{}\", \"work\": \"{}\", \"precision\": \"{}\", \"threads\": {}, "
      "\"seconds\": {:.4f}, "
      "\"target_tokens_per_second\": {:.0f}, \"time_ratio\": {:.3f}, \"multiply_add_ratio\": "
      "{:.3f}, \"quotient\": {:.3f}, \"mebibytes\": {:.0f}, \"memory_ratio\": {:.3f}}}\n",
      model,
      options.work,
      enum_name(nn::kPrecisionNames, options.precision),
      options.threads,
      cost.seconds,
      tokens / cost.seconds,
      time,
      work,
      time / work,
      cost.bytes / (1 << 20),
      cost.bytes / base.bytes);
}

void race(const RaceOptions& options) {
  Registry registry;
  load_plugins(registry, plugin_search_path({}));
  std::vector<Runner> runners = make_runners(registry, options);
  const Batch batch = make_batch(options);
  const std::vector<double> seconds = median_seconds(runners, options, batch);
  const auto cost_of = [&](size_t i) {
    return Cost{seconds[i],
                runners[i].multiply_adds(options, batch),
                peak_bytes(runners[i], options, batch)};
  };
  const Cost base = cost_of(0);
  const auto tokens = static_cast<double>(options.rows_per_sentence() * batch.target_in.tokens());
  for (size_t i = 0; i < runners.size(); ++i)
    print(runners[i].name(), cost_of(i), base, tokens, options);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    RaceOptions options;
    OptionTable table;
    options.describe(table);
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    parse_command_line(table, arguments);
    at::set_num_threads(static_cast<int>(options.threads));
    nn::install_caching_allocator();
    options.device.apply();
    race(options);
    return kExitOk;
  } catch (const Error& error) {
    fmt::print(stderr, "bench-variants: {}\n", error.what());
    return error.exit_code();
  }
}
