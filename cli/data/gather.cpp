// phraseq gather: combines the outputs of several processes.

#include "cli/command.h"
#include "core/base/error.h"
#include "core/corpus/shards/gather_options.h"

namespace phraseq {
namespace {

constexpr const char* kDescription =
    "Merges the output of generate, rescore or preprocess with --num-shards: the result is what "
    "one process would have written. A missing shard or sentence is an error that names it.";

int gather_command(std::span<const std::string> arguments) {
  GatherOptions options;
  if (begin_command(options, {"gather", "NAME [options]", kDescription}, arguments))
    gather(options);
  return kExitOk;
}

}  // namespace
}  // namespace phraseq

int main(int argc, char** argv) {
  return phraseq::run_command("gather", argc, argv, phraseq::gather_command);
}
