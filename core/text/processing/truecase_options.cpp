#include "core/text/processing/truecase_options.h"

#include <memory>

#include "core/base/log.h"
#include "core/io/line_reader.h"
#include "core/io/mapping/mapped_file.h"
#include "core/text/moses/moses_tokenizer.h"
#include "core/text/moses/moses_truecaser.h"

namespace phraseq {
namespace {

/// The lines of all files, one after the other, tokenized if --moses is given; without files,
/// standard input.
class Lines {
 public:
  explicit Lines(const TruecaseOptions& options) : files_(options.inputs) {
    if (files_.empty())
      files_.emplace_back("-");
    if (!options.moses.empty())
      tokenizer_ = std::make_unique<MosesTokenizer>(options.moses);
  }

  bool next(std::string& line) {
    if (!read(line))
      return false;
    if (tokenizer_)
      line = tokenizer_->tokenize(line);
    return true;
  }

 private:
  bool read(std::string& line) {
    for (; number_ < files_.size(); ++number_, reader_.reset()) {
      if (!reader_)
        reader_ = std::make_unique<LineReader>(files_[number_]);
      if (reader_->next(line))
        return true;
    }
    return false;
  }

  std::vector<std::string> files_;
  size_t number_ = 0;
  std::unique_ptr<LineReader> reader_;
  std::unique_ptr<MosesTokenizer> tokenizer_;
};

}  // namespace

void TruecaseOptions::describe(OptionTable& table) {
  table.field("action", action, kTruecaseActionNames, "Action to perform.")
      .value_name("ACTION")
      .positional()
      .required();
  table
      .field("inputs",
             inputs,
             "Text files, read one after the other, which must be tokenized unless --moses is "
             "given; standard input if there is none.")
      .positional()
      .value_name("FILE");
  table.field("model", model, "apply: the model, as learned by this command, sacremoses or Moses.")
      .value_name("FILE");
  table
      .field("moses",
             moses,
             "learn, apply: tokenize the text first, as --tokenizer moses does, with the rules of "
             "this language.")
      .value_name("LANG");
  table.field("keep-known",
              keep_known,
              "apply: within a sentence, keep words in any spelling that the model knows, as the "
              "Moses script does; sacremoses does not.");
  table.field("output", output, "File for the result; - = standard output.")
      .value_name("FILE")
      .writes_file();
}

std::vector<std::string> TruecaseOptions::problems() const {
  std::vector<std::string> found;
  if (action == TruecaseAction::kApply && model.empty())
    found.emplace_back("truecase apply needs --model FILE");
  if (action != TruecaseAction::kApply && !model.empty())
    found.emplace_back("--model is for truecase apply; learn writes its model to --output");
  if (action == TruecaseAction::kUndo && !moses.empty())
    found.emplace_back("--moses is for truecase learn and apply; undo reads tokenized text");
  if (action != TruecaseAction::kApply && keep_known)
    found.emplace_back("--keep-known is for truecase apply");
  return found;
}

void truecase(const TruecaseOptions& options,
              const std::function<void(const std::string&)>& write) {
  Lines lines(options);
  if (options.action == TruecaseAction::kLearn) {
    const std::string model =
        learn_truecase_model([&](std::string& line) { return lines.next(line); });
    if (model.empty())
      log_warning("the text has no words to learn the spelling of: the model is empty");
    return write(model);
  }
  std::unique_ptr<MosesTruecaser> truecaser;
  if (options.action == TruecaseAction::kApply)
    truecaser = std::make_unique<MosesTruecaser>(
        read_file(options.model), options.model, options.keep_known);
  for (std::string line; lines.next(line);)
    write((truecaser ? truecaser->truecase(line) : detruecase(line)) + '\n');
}

}  // namespace phraseq
