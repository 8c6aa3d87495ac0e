#include "core/run/options/direction_options.h"

#include "core/base/error.h"

namespace phraseq {

void DirectionOptions::describe(OptionTable& table) {
  table
      .field("source-lang",
             source_lang,
             "Source language, for a model that translates in several directions.")
      .value_name("LANG");
  table
      .field("target-lang",
             target_lang,
             "Target language, for a model that translates in several directions.")
      .value_name("LANG");
}

void DirectionOptions::choose(LoadOptions& load) const {
  if (source_lang.empty() != target_lang.empty())
    throw UsageError("--source-lang and --target-lang name a direction together: give both");
  load.source_language = source_lang;
  load.target_language = target_lang;
}

}  // namespace phraseq
