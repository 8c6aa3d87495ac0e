// A configuration of fairseq-hydra-train, the file that it names in its defaults, and arguments.

#include "core/options/fairseq/hydra/hydra_command.h"
#include "tests/fuzz/fuzz_input.h"

PHRASEQ_FUZZ_TARGET(hydra_config) {
  using namespace phraseq;
  const auto [config, model, line] = fuzz::parts_of<3>(fuzz::text_of(data, size));
  fuzz::write_in_folder("main.yaml", config);
  fuzz::write_in_folder("other.yaml", model);
  std::vector<std::string> arguments = fuzz::arguments_of(line);
  arguments.insert(arguments.begin(), {"--config-dir", fuzz::folder(), "--config-name=main"});
  return fuzz::check([&] { fairseq::read_hydra_command(arguments); });
}
