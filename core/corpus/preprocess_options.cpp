#include "core/corpus/preprocess_options.h"

#include "core/corpus/preprocessing/option_fields.h"
#include "core/corpus/preprocessing/option_problems.h"

namespace phraseq {

void PreprocessOptions::describe(OptionTable& table) { describe_preprocessing(table, *this); }

std::vector<std::string> PreprocessOptions::problems() const {
  return preprocessing_problems(*this);
}

LineReaderOptions PreprocessOptions::reading() const {
  LineReaderOptions options;
  options.max_line_bytes = max_line_bytes;
  options.on_bad_line = check_only ? OnBadLine::kSkip : on_bad_line;
  return options;
}

bool PreprocessOptions::has_subword_model() const {
  return !(subword_model + source_subword_model + target_subword_model).empty();
}

std::string PreprocessOptions::tokenizer_component() const {
  if (tokenizer == "auto")
    return subwords > 0 || has_subword_model() ? "sentencepiece" : "word";
  return tokenizer == "none" ? "word" : tokenizer;
}

}  // namespace phraseq
