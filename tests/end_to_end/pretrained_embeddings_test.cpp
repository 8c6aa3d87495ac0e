// Training that begins with word vectors from a file.

#include <cstring>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/text/dictionary.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/training_run.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kDimension = 32;
using Row = std::vector<float>;

/// A line of a file of vectors with the same number in all `kDimension` columns.
std::string vector_of(const std::string& token, const std::string& number) {
  std::string line = token;
  for (int i = 0; i < kDimension; ++i) line += " " + number;
  return line + "\n";
}

/// A row of a matrix of floats as `last_tensors` returns it.
Row row_of(const std::string& tensor, int64_t rows, int64_t id) {
  constexpr size_t kBytes = kDimension * sizeof(float);
  const size_t header = tensor.size() - static_cast<size_t>(rows) * kBytes;
  Row row(kDimension);
  std::memcpy(row.data(), tensor.data() + header + static_cast<size_t>(id) * kBytes, kBytes);
  return row;
}

class PretrainedEmbeddings : public ::testing::Test {
 protected:
  PretrainedEmbeddings() {
    write_toy_corpus(workspace_);
    workspace_.write("en.vec", "2 32\n" + vector_of("two", "0.25") + vector_of("ten", "4"));
    workspace_.write("de.vec", "1 32\n" + vector_of("zwei", "-0.5"));
  }

  void preprocess(const std::string& more = "") {
    EXPECT_EQ(workspace_.run(toy_preprocess() + words(more)).exit_code, kExitOk);
    english_ = Dictionary::load(workspace_.path("data-bin/dict.en.txt"));
    german_ = Dictionary::load(workspace_.path("data-bin/dict.de.txt"));
  }

  /// Trains without changing anything, as the learning rate is 0.
  CommandResult train(const std::string& save_dir, const std::string& more) {
    return workspace_.run(
        words("train data-bin --lr 0 --lr-scheduler fixed --max-tokens 400 --seed 7 --save-dir " +
              save_dir + " " + more));
  }

  CommandResult train_transformer(const std::string& save_dir, const std::string& more) {
    return train(save_dir,
                 "--arch transformer --encoder-layers 1 --encoder-embed-dim 32 --decoder-layers 1 "
                 "--encoder-ffn-embed-dim 48 --decoder-ffn-embed-dim 48 --decoder-embed-dim 32 "
                 "--encoder-attention-heads 2 --decoder-attention-heads 2 " +
                     more);
  }

  Row encoder_row(const std::string& save_dir, const std::string& symbol) const {
    return row("encoder", english_, save_dir, symbol);
  }
  Row decoder_row(const std::string& save_dir, const std::string& symbol) const {
    return row("decoder", german_, save_dir, symbol);
  }

  Workspace workspace_;
  Dictionary english_, german_;

 private:
  Row row(const std::string& side,
          const Dictionary& dictionary,
          const std::string& save_dir,
          const std::string& symbol) const {
    const auto tensors = last_tensors(workspace_, save_dir);
    return row_of(
        tensors.at(side + ".embed_tokens.weight"), dictionary.size(), dictionary.id(symbol));
  }
};

TEST_F(PretrainedEmbeddings, AreTheFirstValuesOfTheWordsInTheFile) {
  preprocess();
  const std::string files = "--encoder-embed-path en.vec --decoder-embed-path de.vec";
  ASSERT_EQ(train_transformer("plain", "--max-update 1").exit_code, kExitOk);
  const CommandResult result = train_transformer("given", "--max-update 1 " + files);
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_THAT(result.errors,
              AllOf(HasSubstr("--encoder-embed-path: 1 of 16 entries of the dictionary are in "),
                    HasSubstr("--decoder-embed-path: 1 of 16 entries of the dictionary are in ")));
  EXPECT_EQ(encoder_row("given", "two"), Row(kDimension, 0.25F));
  EXPECT_EQ(decoder_row("given", "zwei"), Row(kDimension, -0.5F));
  EXPECT_EQ(encoder_row("given", "one"), encoder_row("plain", "one"));
  EXPECT_EQ(decoder_row("given", "eins"), decoder_row("plain", "eins"));
  EXPECT_NE(encoder_row("plain", "two"), Row(kDimension, 0.25F));
}

TEST_F(PretrainedEmbeddings, AreNotReadAgainByAResumedTraining) {
  preprocess();
  const std::string file = "--encoder-embed-path en.vec ";
  ASSERT_EQ(train_transformer("run", file + "--max-update 1").exit_code, kExitOk);
  std::filesystem::remove(workspace_.path("en.vec"));
  const CommandResult resumed = train_transformer("run", file + "--max-update 2");
  ASSERT_EQ(resumed.exit_code, kExitOk) << resumed.errors;
  EXPECT_THAT(resumed.errors, Not(HasSubstr("entries of the dictionary")));
  EXPECT_EQ(encoder_row("run", "two"), Row(kDimension, 0.25F));
  const CommandResult translated = workspace_.run(words("generate --path run"), "one two\n");
  EXPECT_EQ(translated.exit_code, kExitOk) << translated.errors;
}

TEST_F(PretrainedEmbeddings, OfSharedEmbeddingsComeFromOneFile) {
  preprocess("--joined-dictionary");
  const std::string shared = "--max-update 1 --share-all-embeddings --encoder-embed-path en.vec ";
  const CommandResult both = train_transformer("both", shared + "--decoder-embed-path en.vec");
  EXPECT_EQ(both.exit_code, kExitOk) << both.errors;
  EXPECT_EQ(encoder_row("both", "two"), Row(kDimension, 0.25F));

  const CommandResult different =
      train_transformer("different", shared + "--decoder-embed-path de.vec");
  EXPECT_EQ(different.exit_code, kExitUsage);
  EXPECT_THAT(
      different.errors,
      AllOf(HasSubstr("--decoder-embed-path: the decoder has the embeddings of the encoder"),
            HasSubstr("--share-all-embeddings no")));
}

TEST_F(PretrainedEmbeddings, GiveWayToTheModelOfFineTuning) {
  preprocess();
  ASSERT_EQ(train_transformer("first", "--max-update 1").exit_code, kExitOk);
  const CommandResult result = train_transformer(
      "second", "--max-update 1 --finetune-from-model first --encoder-embed-path en.vec");
  ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("the embeddings are those of the checkpoint"));
  EXPECT_EQ(encoder_row("second", "two"), encoder_row("first", "two"));
}

TEST_F(PretrainedEmbeddings, AreForTheEmbeddingsOfEveryArchitecture) {
  preprocess();
  workspace_.write("wrong.vec", "1 3\ntwo 1 2 3\n");
  for (const std::string arch : {"phrase_rep_tiny",
                                 "phrasal_tiny --share-all-embeddings no",
                                 "phrase_transformer_tiny_3 --share-all-embeddings no",
                                 "ssru_transformer_tiny",
                                 "rnnsearch_tiny"}) {
    for (const std::string side : {"encoder", "decoder"}) {
      const CommandResult result =
          train("never", "--arch " + arch + " --" + side + "-embed-path wrong.vec");
      EXPECT_EQ(result.exit_code, kExitData) << arch;
      EXPECT_THAT(result.errors,
                  HasSubstr("wrong.vec:1: vectors have 3 numbers, but the embeddings"));
    }
  }
}

}  // namespace
}  // namespace phraseq::end_to_end
