// phraseq learn-bpe: learns the codes of byte-pair encoding from text.

#include "cli/command.h"
#include "cli/support/write_result.h"
#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/text/processing/learn_options.h"

namespace phraseq {
namespace {

constexpr const char* kDescription =
    "Learns merges for byte-pair encoding, as subword-nmt does; phraseq preprocess --tokenizer "
    "moses or bpe applies them.";

int learn_bpe_command(std::span<const std::string> arguments) {
  LearnBpeOptions options;
  if (!begin_command(options, {"learn-bpe", "FILE [FILE...] [options]", kDescription}, arguments))
    return kExitOk;
  check_result_target(options.output);
  write_result(options.output, learn_bpe_codes(options));
  return kExitOk;
}

}  // namespace
}  // namespace phraseq

int main(int argc, char** argv) {
  return phraseq::run_command("learn-bpe", argc, argv, phraseq::learn_bpe_command);
}
