#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/embed/engine_setup.h"
#include "core/options/option_table.h"
#include "core/serve/serve_options.h"

namespace phraseq {

/// `phraseq serve`: components are selected and options described, but not parsed yet.
struct ServeRun {
  explicit ServeRun(std::span<const std::string> arguments);

  ServeOptions options;
  EngineSetup engine;
  OptionTable table;

  std::vector<std::string> problems() const;
};

/// Serves until SIGTERM or SIGINT, then answers the accepted requests; SIGHUP loads the models
/// again. Returns the exit code.
int serve(ServeRun& run);

}  // namespace phraseq
