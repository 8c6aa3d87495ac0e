#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

/// docs/guide/generate.md promises it if phraseq's own products are used for any number of rows.
bool has_own_products() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

class Scores : public ::testing::TestWithParam<const char*> {};

/// Compares all digits of all scores: of hypotheses and their tokens, and of given translations.
TEST_P(Scores, DoNotDependOnTheBatch) {
  if (!has_own_products())
    GTEST_SKIP() << "this processor has no AVX2";
  Workspace workspace;
  write_toy_corpus(workspace);
  ASSERT_EQ(workspace.run(toy_preprocess()).exit_code, kExitOk);
  const CommandResult trained = workspace.run(
      words("train data-bin --save-dir run --threads 1 --max-update 30 --max-tokens 200 --lr 0.01 "
            "--precision fp32 --warmup-updates 5 --arch " +
            std::string(GetParam())));
  ASSERT_EQ(trained.exit_code, kExitOk) << trained.errors;
  const std::string source = workspace.read("test.en");
  for (const char* command : {"generate --path run --beam 4 --nbest 3 --format jsonl",
                              "rescore --source test.en --target test.de --path run"}) {
    const CommandResult alone =
        workspace.run(words(std::string(command) + " --batch-size 1"), source);
    ASSERT_EQ(alone.exit_code, kExitOk) << alone.errors;
    for (const char* batch : {" --batch-size 7", " --max-tokens 4000 --threads 2"}) {
      const CommandResult together = workspace.run(words(std::string(command) + batch), source);
      EXPECT_EQ(together.output, alone.output) << command << batch;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    OfArchitectures,
    Scores,
    ::testing::Values("transformer_tiny",
                      "phrase_rep_tiny",
                      "phrase_rep_tiny --pr-attn sigmoid-residual",
                      // The numbers of rows do not fill vectors.
                      "ssru_transformer_tiny --encoder-embed-dim 36 --decoder-embed-dim 36 "
                      "--share-all-embeddings no",
                      "phrasal_tiny_homogeneous_convkv_22 --share-all-embeddings no",
                      "phrasal_tiny_heterogeneous_convkv_12 --share-all-embeddings no",
                      "phrasal_tiny_interleaved_queryk_12 --share-all-embeddings no",
                      "phrase_transformer_tiny_2_3 --share-all-embeddings no"));

}  // namespace
}  // namespace phraseq::end_to_end
