#include "core/phrase_memory/shortlist/shortlist_options.h"

namespace phraseq {

void ShortlistCommandOptions::describe(OptionTable& table) {
  table.field("action", action, kShortlistActionNames, "Action to perform.")
      .value_name("ACTION")
      .positional()
      .required();
  table
      .field("source",
             source,
             "Source side of the training text in the tokens of the model (subwords), one sentence "
             "per line.")
      .value_name("FILE")
      .required();
  table.field("target", target, "Target side of the training text.").value_name("FILE").required();
  table
      .field("alignment",
             alignment,
             "Word alignment of the text (0-0 1-2 …); if not given, the text is aligned first.")
      .value_name("FILE");
  table.field("output", output, "Shortlist to write, in Marian's text format.")
      .value_name("FILE")
      .writes_file()
      .required();
  table
      .field("iterations",
             iterations,
             "Number of iterations over the text to train the word alignment.")
      .in(1, 1000);
  table
      .field("best",
             best,
             "Number of the most probable translations to write for each source word; 0 = all.")
      .at_least(0);
}

std::vector<std::string> ShortlistCommandOptions::problems() const {
  if (output.ends_with(".gz"))
    return {"--output " + output + ": shortlists are written plain, without .gz"};
  return {};
}

}  // namespace phraseq
