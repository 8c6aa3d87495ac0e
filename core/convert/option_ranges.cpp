#include "core/convert/option_ranges.h"

#include <cstdint>

#include <fmt/format.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

using nlohmann::json;

/// Those of core/nn/transformer/transformer_options.cpp.
struct OptionRange {
  const char* name;
  double low;
  double high;
};

constexpr double kMaxUnits = 65536;
constexpr int64_t kMaxPositionsOfAll = int64_t{1} << 24;

constexpr OptionRange kRanges[] = {{"encoder_embed_dim", 1, kMaxUnits},
                                   {"encoder_ffn_embed_dim", 1, kMaxUnits},
                                   {"encoder_attention_heads", 1, kMaxUnits},
                                   {"encoder_layers", 0, kMaxUnits},
                                   {"decoder_embed_dim", 1, kMaxUnits},
                                   {"decoder_ffn_embed_dim", 1, kMaxUnits},
                                   {"decoder_attention_heads", 1, kMaxUnits},
                                   {"decoder_layers", 1, kMaxUnits},
                                   {"max_source_positions", 1, double{kMaxPositionsOfAll}},
                                   {"max_target_positions", 1, double{kMaxPositionsOfAll}},
                                   {"dropout", 0, 0.99},
                                   {"attention_dropout", 0, 0.99},
                                   {"activation_dropout", 0, 0.99},
                                   {"encoder_layerdrop", 0, 0.99},
                                   {"decoder_layerdrop", 0, 0.99},
                                   {"norm_eps", 1e-12, 1e-2}};

void limit_positions(json& options) {
  if (options.value("pos", "") == "learned")
    return;
  for (const char* name : {"max_source_positions", "max_target_positions"}) {
    if (options.contains(name) && options[name].is_number_integer() &&
        options[name] > kMaxPositionsOfAll)
      options[name] = kMaxPositionsOfAll;
  }
}

void check_width(const json& options, const std::string& stack, const std::string& path) {
  const std::string name = stack + "_embed_dim", pos = options.value("pos", "learned");
  const int64_t width = options.value(name, int64_t{4});
  if (pos == "learned" || pos == "none" || (width % 2 == 0 && width >= 4))
    return;
  throw FormatError(fmt::format(
      "{}: {} = {}, but sinusoidal positions need an even width of at least 4", path, name, width));
}

void check_heads(const json& options, const std::string& stack, const std::string& path) {
  const std::string width = stack + "_embed_dim", heads = stack + "_attention_heads";
  if (!options.contains(width) || !options.contains(heads) ||
      options.at(width).get<int64_t>() % options.at(heads).get<int64_t>() == 0)
    return;
  throw FormatError(fmt::format("{}: {} = {} is not divisible by {} = {}",
                                path,
                                width,
                                options.at(width).dump(),
                                heads,
                                options.at(heads).dump()));
}

}  // namespace

void check_option_ranges(json& options, const std::string& path) {
  limit_positions(options);
  for (const auto& [name, low, high] : kRanges) {
    const auto option = options.find(name);
    if (option == options.end())
      continue;
    if (!option->is_number() || !(*option >= low && *option <= high))
      throw FormatError(fmt::format(
          "{}: {} = {}, expected a number from {} to {}", path, name, option->dump(), low, high));
  }
  for (const char* stack : {"encoder", "decoder"}) {
    check_heads(options, stack, path);
    check_width(options, stack, path);
  }
}

}  // namespace phraseq
