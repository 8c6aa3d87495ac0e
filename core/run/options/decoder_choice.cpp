#include "core/run/options/decoder_choice.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/options/command_line.h"

namespace phraseq {
namespace {

constexpr const char* kSampling = "sampling";

}  // namespace

void DecoderChoice::describe(OptionTable& table) {
  table.field("decoder", decoder, "Name of the decoder; its options are listed below.");
  table.field("sampling",
              sampling,
              "Sample hypotheses instead of using beam search (the same as --decoder sampling).");
}

const std::string& DecoderChoice::choose(std::span<const std::string> arguments) {
  DecoderChoice given;
  OptionTable table;
  given.describe(table);
  const bool samples = peek_flag(table, arguments, "sampling");
  decoder = peek_option(arguments, "decoder", samples ? kSampling : decoder);
  if (samples && decoder != kSampling)
    throw UsageError(fmt::format("--sampling and --decoder {} contradict each other", decoder));
  return decoder;
}

}  // namespace phraseq
