// phraseq plugins: list, explain and check plugins; write the pages of docs/options.

#include "cli/command.h"
#include "cli/plugins/check.h"
#include "cli/plugins/listing.h"
#include "cli/plugins/option_pages.h"
#include "core/base/error.h"

namespace {

using namespace phraseq;

int plugins(std::span<const std::string> arguments) {
  PluginsOptions options;
  if (!begin_command(
          options,
          {"plugins",
           "list|explain NAME|check FILE|options [OPTIONS]",
           "Lists, describes and checks plugins; 'options' writes the pages of docs/options."},
          arguments))
    return kExitOk;
  if (options.action == "list")
    return list_plugins(options);
  if (options.explains())
    return explain_component(options);
  if (options.action == "check")
    return check_plugin(options);
  return write_option_pages(options);
}

}  // namespace

int main(int argc, char** argv) { return phraseq::run_command("plugins", argc, argv, plugins); }
