// phraseq serve: an HTTP server that translates.

#include "cli/command.h"
#include "core/base/error.h"
#include "core/nn/memory/caching_allocator.h"
#include "core/serve/serve_run.h"

namespace {

constexpr const char* kUsage = "--path [NAME=]FILE,... [options]";
constexpr const char* kDescription =
    "Translates for other programs, over HTTP with JSON: POST /v1/translate, GET /v1/models, "
    "/health and /metrics, the interface of LibreTranslate (/translate, /languages), and a form at "
    "/. SIGTERM stops the server after all accepted requests have been answered; SIGHUP reloads "
    "the models.";

int serve_command(std::span<const std::string> arguments) {
  phraseq::ServeRun run(arguments);
  if (!phraseq::begin_command(
          run.table, {"serve", kUsage, kDescription}, arguments, [&run] { return run.problems(); }))
    return phraseq::kExitOk;
  return phraseq::serve(run);
}

}  // namespace

int main(int argc, char** argv) {
  phraseq::nn::install_caching_allocator();
  return phraseq::run_command("serve", argc, argv, serve_command);
}
