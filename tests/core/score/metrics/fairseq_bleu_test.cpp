#include "core/score/metrics/fairseq_bleu.h"

#include <cstdlib>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/io/line_reader.h"

namespace phraseq::score {
namespace {

using nlohmann::json;

TEST(FairseqBleu, EqualsFairseqsScorerInEveryOrderOfCorpusAndSentence) {
  int rows = 0;
  for (const std::string& line :
       read_lines(PHRASEQ_SOURCE_FOLDER "/tests/golden/score/fairseq_bleu.jsonl")) {
    const json row = json::parse(line);
    FairseqBleu corpus;
    for (size_t i = 0; i < row["systems"].size(); ++i) {
      const auto system = row["systems"][i].get<std::string>();
      const auto reference = row["references"][i].get<std::string>();
      corpus.add(system, reference);
      FairseqBleu sentence(true);
      sentence.add(system, reference);
      for (int order = 1; order <= 4; ++order)
        EXPECT_EQ(row["sentences"][i][static_cast<size_t>(order - 1)], sentence.result(order))
            << system << " / " << reference;
    }
    for (int order = 1; order <= 4; ++order)
      EXPECT_EQ(row["results"][static_cast<size_t>(order - 1)], corpus.result(order)) << line;
    ++rows;
  }
  EXPECT_EQ(rows, 60);
}

/// The text of SentencePiece pieces.
std::string joined(std::string pieces) {
  std::erase(pieces, ' ');
  constexpr std::string_view kSpace = "\u2581";
  for (size_t at = 0; (at = pieces.find(kSpace)) != std::string::npos;)
    pieces.replace(at, kSpace.size(), " ");
  return pieces;
}

/// Returns the hypotheses or references in the output of fairseq-generate without --remove-bpe.
std::vector<std::string> lines_of_kind(const std::string& path, char kind) {
  std::vector<std::string> found;
  for (const std::string& line : read_lines(path)) {
    if (line.size() > 1 && line[0] == kind && line[1] == '-')
      found.push_back(joined(line.substr(line.rfind('\t') + 1)));
  }
  return found;
}

TEST(FairseqBleu, OfARealSystemIsWhatFairseqScorePrints) {
  const char* data = std::getenv("PHRASEQ_DATA");
  if (data == nullptr)
    GTEST_SKIP() << "PHRASEQ_DATA is not set";
  const std::string path = std::string(data) + "/fairseq/outputs/beam5.txt.gz";
  const auto systems = lines_of_kind(path, 'H'), references = lines_of_kind(path, 'T');
  ASSERT_EQ(systems.size(), references.size());
  FairseqBleu corpus;
  for (size_t i = 0; i < systems.size(); ++i) corpus.add(systems[i], references[i]);
  EXPECT_EQ(corpus.result(4),
            "BLEU4 = 31.51, 62.3/41.8/28.9/20.0 (BP=0.900, ratio=0.905, syslen=9864, "
            "reflen=10905)");
}

}  // namespace
}  // namespace phraseq::score
