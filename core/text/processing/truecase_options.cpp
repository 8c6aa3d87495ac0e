#include "core/text/processing/truecase_options.h"

#include <memory>
#include <utility>

#include "core/io/line_reader.h"
#include "core/io/mapping/mapped_file.h"
#include "core/text/moses/moses_tokenizer.h"
#include "core/text/moses/moses_truecaser.h"

namespace phraseq {
namespace {

/// The lines of all files, one after the other; standard input without files.
class Lines {
 public:
  explicit Lines(std::vector<std::string> files) : files_(std::move(files)) {
    if (files_.empty())
      files_.emplace_back("-");
  }

  bool next(std::string& line) {
    for (; number_ < files_.size(); ++number_, reader_.reset()) {
      if (!reader_)
        reader_ = std::make_unique<LineReader>(files_[number_]);
      if (reader_->next(line))
        return true;
    }
    return false;
  }

 private:
  std::vector<std::string> files_;
  size_t number_ = 0;
  std::unique_ptr<LineReader> reader_;
};

std::string learn(const TruecaseOptions& options) {
  Lines lines(options.inputs);
  std::unique_ptr<MosesTokenizer> tokenizer;
  if (!options.moses.empty())
    tokenizer = std::make_unique<MosesTokenizer>(options.moses);
  return learn_truecase_model([&](std::string& line) {
    const bool has_line = lines.next(line);
    if (has_line && tokenizer)
      line = tokenizer->tokenize(line);
    return has_line;
  });
}

}  // namespace

void TruecaseOptions::describe(OptionTable& table) {
  table.field("action", action, kTruecaseActionNames, "Action to perform.")
      .value_name("ACTION")
      .positional()
      .required();
  table
      .field("inputs",
             inputs,
             "Tokenized text files, read one after the other; standard input if there is none.")
      .positional()
      .value_name("FILE");
  table.field("model", model, "apply: the model, as learned by this command, sacremoses or Moses.")
      .value_name("FILE");
  table
      .field("moses",
             moses,
             "learn: tokenize the text first, as --tokenizer moses does, with the rules of this "
             "language.")
      .value_name("LANG");
  table.field("keep-known",
              keep_known,
              "apply: within a sentence, keep words in any spelling that the model knows, as the "
              "Moses script does; sacremoses does not.");
  table.field("output", output, "File for the result; - = standard output.").value_name("FILE");
}

std::vector<std::string> TruecaseOptions::problems() const {
  std::vector<std::string> found;
  if (action == TruecaseAction::kApply && model.empty())
    found.emplace_back("truecase apply needs --model FILE");
  if (action != TruecaseAction::kApply && !model.empty())
    found.emplace_back("--model is for truecase apply; learn writes its model to --output");
  if (action != TruecaseAction::kLearn && !moses.empty())
    found.emplace_back("--moses is for truecase learn; apply reads tokenized text");
  return found;
}

void truecase(const TruecaseOptions& options,
              const std::function<void(const std::string&)>& write) {
  if (options.action == TruecaseAction::kLearn)
    return write(learn(options));
  std::unique_ptr<MosesTruecaser> truecaser;
  if (options.action == TruecaseAction::kApply)
    truecaser = std::make_unique<MosesTruecaser>(
        read_file(options.model), options.model, options.keep_known);
  Lines lines(options.inputs);
  for (std::string line; lines.next(line);)
    write((truecaser ? truecaser->truecase(line) : detruecase(line)) + '\n');
}

}  // namespace phraseq
