#include "core/run/training/agreed_corpus.h"

#include <string>

#include <nlohmann/json.hpp>

#include "core/distributed/agreement.h"
#include "core/options/option_text.h"
#include "core/run/run_manifest.h"

namespace phraseq {
namespace {

/// Everything that must be equal in all processes: build, plugins, options, data, parameters.
nlohmann::json run_record(const TrainRun& run,
                          const TranslationModel& translation_model,
                          const Corpus& corpus) {
  const auto manifest =
      run_manifest({}, run.table, run.loaded->plugins, translation_model, corpus.fingerprint());
  nlohmann::json options = to_json(run.table);
  for (const std::string& name : options_of_one_process()) options.erase(option_key(name));
  nlohmann::json plugins = nlohmann::json::object();
  for (const auto& plugin : manifest.at("plugins"))
    plugins[plugin.at("name").get<std::string>()] = {{"version", plugin.at("version")},
                                                     {"crc32c", plugin.at("crc32c")}};
  return {{"build", manifest.at("build")},
          {"plugins", plugins},
          {"options", options},
          {"vocabulary", manifest.at("vocabulary")},
          {"data", manifest.at("data")},
          {"parameters", manifest.at("parameters")},
          {"processor_level", manifest.at("processor_level")},
          {"threads", manifest.at("threads")}};
}

}  // namespace

std::shared_ptr<Corpus> open_agreed_corpus(const TrainRun& run,
                                           const TranslationModel& translation_model,
                                           ProcessGroup& processes) {
  std::shared_ptr<Corpus> corpus =
      translation_model.open(run.components.train_subset, /*training=*/true);
  if (!processes.is_alone())
    require_agreement(processes, run_record(run, translation_model, *corpus));
  return corpus;
}

}  // namespace phraseq
