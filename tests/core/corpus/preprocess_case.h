#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/corpus/data_folder.h"
#include "core/corpus/preprocess.h"
#include "core/text/sentencepiece/sentencepiece_tokenizer.h"
#include "core/text/word_tokenizer.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/message_of.h"

namespace phraseq {

inline ChosenTokenizer word_tokenizer(bool lowercase = false) {
  return {"word", {{"lowercase", lowercase}}, [lowercase](const TokenizerSetup&) {
            return std::make_unique<WordTokenizer>(lowercase);
          }};
}

inline ChosenTokenizer subword_tokenizer() {
  return {"sentencepiece", nlohmann::json::object(), [](const TokenizerSetup& setup) {
            return std::make_unique<SentencePieceTokenizer>(setup.model, setup.model_name);
          }};
}

/// A parallel text in a folder of its own, from which `run` makes the data folder `out`.
class PreprocessCase : public ::testing::Test {
 protected:
  explicit PreprocessCase(const std::string& source_lang = "en",
                          const std::string& target_lang = "de") {
    set_log_quiet(true);
    options.source_lang = source_lang;
    options.target_lang = target_lang;
    options.trainpref = folder.file("train");
    options.destdir = folder.file("out");
  }

  void write(const std::string& name, std::string_view source, std::string_view target) {
    folder.write(name + "." + options.source_lang, source);
    folder.write(name + "." + options.target_lang, target);
  }
  void run(const ChosenTokenizer& tokenizer = word_tokenizer()) {
    preprocess(options, tokenizer, nlohmann::json::object());
  }
  std::string message() {
    return whole_message_of([&] { run(); });
  }
  DataFolder data() const { return DataFolder::open(options.destdir); }

  TemporaryFolder folder;
  PreprocessOptions options;
};

}  // namespace phraseq
