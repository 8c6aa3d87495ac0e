// phraseq truecase: learns the usual spelling of words, applies it, and capitalizes sentences.

#include <iostream>

#include "cli/command.h"
#include "core/base/error.h"
#include "core/io/atomic_file.h"
#include "core/text/processing/truecase_options.h"

namespace phraseq {
namespace {

constexpr const char* kDescription =
    "Truecases text, like sacremoses: 'learn' writes a model, 'apply' gives each word "
    "its most frequent spelling, and 'undo' capitalizes sentences. With phraseq preprocess "
    "--tokenizer moses --truecase-model, all text is truecased, and translations are capitalized.";

int truecase_command(std::span<const std::string> arguments) {
  TruecaseOptions options;
  if (!begin_command(
          options, {"truecase", "learn|apply|undo [FILE...] [options]", kDescription}, arguments))
    return kExitOk;
  if (options.output == "-") {
    truecase(options, [](const std::string& text) { std::cout << text; });
    return kExitOk;
  }
  AtomicFile file(options.output);
  truecase(options, [&](const std::string& text) { file.write(text); });
  file.commit();
  return kExitOk;
}

}  // namespace
}  // namespace phraseq

int main(int argc, char** argv) {
  return phraseq::run_command("truecase", argc, argv, phraseq::truecase_command);
}
