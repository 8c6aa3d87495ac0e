#include "core/score/report/score_report.h"

#include <gtest/gtest.h>

#include "core/score/metrics/bleu.h"
#include "core/score/metrics/chrf.h"
#include "core/score/report/evaluation.h"
#include "core/score/report/signature.h"
#include "tests/core/score/example.h"

namespace phraseq::score {
namespace {

/// The example's scores, signed with sacrebleu's own version so that its output can be compared.
std::vector<Score> example_scores(int64_t samples) {
  Metrics metrics;
  metrics.push_back(std::make_unique<Bleu>(BleuSettings{}));
  metrics.push_back(std::make_unique<Chrf>(ChrfSettings{}));
  auto scores = score_system(metrics, kHypotheses, kReferences, {samples, {}, 1});
  for (auto& score : scores) score.signature.back().value = "2.6.0";
  return scores;
}

constexpr const char* kJson = R"json({
 "name": "BLEU",
 "score": 48.5,
 "signature": "nrefs:2|bs:1000|seed:12345|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0",
 "confidence_mean": 47.0,
 "confidence_var": 46.8,
 "confidence": "μ = 47.0 ± 46.8",
 "verbose_score": "82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)",
 "nrefs": "2",
 "bs": "1000",
 "seed": "12345",
 "case": "mixed",
 "eff": "no",
 "tok": "13a",
 "smooth": "exp",
 "version": "2.6.0"
}
)json";

// Expected texts: what sacrebleu 2.6.0 printed.
TEST(ScoreReport, AlignsTheScoresOfSeveralMetrics) {
  EXPECT_EQ(report_text(example_scores(0), {.width = 4}),
            "  BLEU|nrefs:2|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0 = 48.5308 "
            "82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)\n"
            "chrF2|nrefs:2|case:mixed|eff:yes|nc:6|nw:0|space:no|version:2.6.0 = 59.7275\n");
}

TEST(ScoreReport, ShowsTheConfidenceInterval) {
  const auto scores = example_scores(1000);
  EXPECT_NEAR(scores[0].interval->mean, 46.95974811953181, 1e-4);
  EXPECT_NEAR(scores[0].interval->half_width, 46.754996737202504, 1e-4);
  EXPECT_EQ(format_text(scores[0], {.width = 1, .short_signature = true}),
            "BLEU|#:2|bs:1000|rs:12345|c:mixed|e:no|tok:13a|s:exp|v:2.6.0 = 48.5 (μ = 47.0 ± 46.8) "
            "82.4/50.0/45.5/37.5 (BP = 0.943 ratio = 0.944 hyp_len = 17 ref_len = 18)");
  EXPECT_EQ(format_text(scores[0], {.width = 1, .score_only = true}), "48.5 (μ = 47.0 ± 46.8)");
}

TEST(ScoreReport, WritesSacrebleusJson) {
  const auto scores = example_scores(1000);
  EXPECT_EQ(report_json({scores[0]}, {}), kJson);
}

TEST(ScoreReport, ReportsWhoComputedTheScore) {
  const auto signature = format_signature(signature_fields(Bleu({}), {}), false);
  EXPECT_EQ(signature, "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:" + scorer_version());
  EXPECT_TRUE(scorer_version().starts_with("phraseq-"));
  EXPECT_TRUE(scorer_version().ends_with("~sacrebleu-2.6.0"));
}

TEST(ScoreReport, ScoresEachSentence) {
  const auto scores = score_sentences(Bleu({.effective_order = true}), kHypotheses, kReferences, 1);
  std::string text;
  for (const auto& score : scores)
    text += format_text(score, {.width = 4, .score_only = true}) + ' ';
  EXPECT_EQ(text, "100.0000 14.7940 29.0715 ");
}

}  // namespace
}  // namespace phraseq::score
