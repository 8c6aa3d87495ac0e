#include "core/text/processing/learn_options.h"

#include <algorithm>
#include <memory>

#include "core/base/log.h"
#include "core/io/line_reader.h"
#include "core/text/bpe/bpe_codes.h"
#include "core/text/bpe/learn_bpe.h"
#include "core/text/moses/moses_tokenizer.h"
#include "core/text/unicode.h"

namespace phraseq {

void LearnBpeOptions::describe(OptionTable& table) {
  table.section("Byte-pair encoding");
  table.field("inputs", inputs, "Text files; their words are counted together.")
      .positional()
      .required()
      .value_name("FILE");
  table.field("merges", merges, "Number of merges to learn.").alias("symbols").at_least(1);
  table.field("min-frequency", min_count, "Stop when no pair occurs at least this often.")
      .at_least(1);
  table
      .field("moses",
             moses,
             "Tokenize the text as --tokenizer moses does; one language for each file.")
      .value_name("LANG,LANG");
  table.field("lowercase", lowercase, "Lowercase the text first (Unicode, root locale).");
  table.field("output", output, "File for the codes; - = standard output.")
      .value_name("FILE")
      .writes_file();
}

std::vector<std::string> LearnBpeOptions::problems() const {
  if (!moses.empty() && moses.size() != inputs.size())
    return {"--moses must name one language for each file"};
  return {};
}

std::string learn_bpe_codes(const LearnBpeOptions& options) {
  WordCounts words;
  for (size_t file = 0; file < options.inputs.size(); ++file) {
    std::unique_ptr<MosesTokenizer> tokenizer;
    if (!options.moses.empty())
      tokenizer = std::make_unique<MosesTokenizer>(options.moses[file]);
    LineReader reader(options.inputs[file]);
    std::string line;
    while (reader.next(line)) {
      if (options.lowercase)
        line = to_lowercase(line);
      if (tokenizer)
        line = tokenizer->tokenize(line);
      std::ranges::replace(line, '\r', ' ');  // a line end of other systems
      for (const std::string_view word : split_blanks(line)) ++words[std::string(word)];
    }
  }
  if (words.empty())
    log_warning("the text has no words: the codes are empty");
  return bpe_codes_text(learn_bpe(words, options.merges, options.min_count));
}

}  // namespace phraseq
