#include "core/score/report/results_table.h"

#include <gtest/gtest.h>

namespace phraseq::score {
namespace {

ResultsTable example_table() {
  ResultsTable table;
  table.metrics = {"BLEU", "chrF2"};
  table.signatures = {"nrefs:1|v:x", "nrefs:1|nc:6"};
  table.systems = {"first.txt", "b_2"};
  table.results = {{{26.5958, {}, {}}, {55.93, {}, {}}}, {{9.0, {}, {}}, {100.0, {}, {}}}};
  return table;
}

ResultsTable paired_table() {
  ResultsTable table = example_table();
  table.test = PairedTest::kBootstrap;
  table.samples = 77;
  table.metrics.pop_back();
  table.signatures.pop_back();
  table.results = {{{26.59580468309487, {}, Interval{26.5994, 0.64829}}},
                   {{26.076, 0.051, Interval{26.07, 1e-7}}}};
  return table;
}

// Expected layouts: what sacrebleu 2.6.0 printed for such tables.
TEST(ResultsTable, IsDrawnAsSacrebleuDrawsIt) {
  EXPECT_EQ(table_text(example_table(), {.width = 1}),
            "╒═══════════╤════════╤═════════╕\n"
            "│    System │  BLEU  │  chrF2  │\n"
            "╞═══════════╪════════╪═════════╡\n"
            "│ first.txt │  26.6  │  55.9   │\n"
            "├───────────┼────────┼─────────┤\n"
            "│       b_2 │  9.0   │  100.0  │\n"
            "╘═══════════╧════════╧═════════╛\n"
            "\n"
            "-----------------\nMetric signatures\n-----------------\n"
            " - BLEU       nrefs:1|v:x\n"
            " - chrF2      nrefs:1|nc:6\n");
}

TEST(ResultsTable, ShowsIntervalAndPValueOnTwoLines) {
  const std::string text = table_text(paired_table(), {.width = 1});
  EXPECT_TRUE(
      text.starts_with("╒═════════════════════╤═════════════════════╕\n"
                       "│              System │  BLEU (μ ± 95% CI)  │\n"
                       "╞═════════════════════╪═════════════════════╡\n"
                       "│ Baseline: first.txt │  26.6 (26.6 ± 0.6)  │\n"
                       "├─────────────────────┼─────────────────────┤\n"
                       "│                 b_2 │  26.1 (26.1 ± 0.0)  │\n"
                       "│                     │    (p = 0.0510)     │\n"
                       "╘═════════════════════╧═════════════════════╛\n"
                       "\n"
                       "----------------------------------------------------------\n"
                       "Paired bootstrap resampling test with 77 resampling trials\n"))
      << text;
}

TEST(ResultsTable, ColorsOnlyWhenAsked) {
  EXPECT_EQ(table_text(paired_table(), {.width = 1}).find('\033'), std::string::npos);
  const std::string colored = table_text(paired_table(), {.width = 1, .colors = true});
  EXPECT_NE(colored.find("    \033[31m(p = 0.0510)\033[0m     "), std::string::npos);
  EXPECT_NE(colored.find("\033[33mBaseline: first.txt\033[0m"), std::string::npos);
}

TEST(ResultsTable, EscapesForLatex) {
  EXPECT_TRUE(table_latex(example_table(), {.width = 1})
                  .starts_with("\\begin{tabular}{rcc}\n"
                               "\\toprule\n"
                               "    System &  BLEU  &  chrF2  \\\\\n"
                               "\\midrule\n"
                               " first.txt &  26.6  &  55.9   \\\\\n"
                               "       b\\_2 &  9.0   &  100.0  \\\\\n"
                               "\\bottomrule\n"
                               "\\end{tabular}\n"));
}

TEST(ResultsTable, WritesScoresAsTextAndTestsAsNumbers) {
  EXPECT_EQ(table_json(example_table(), {.width = 2}),
            "[\n"
            "    {\n        \"system\": \"first.txt\",\n        \"BLEU\": \"26.60\",\n"
            "        \"chrF2\": \"55.93\"\n    },\n"
            "    {\n        \"system\": \"b_2\",\n        \"BLEU\": \"9.00\",\n"
            "        \"chrF2\": \"100.00\"\n    }\n]\n");
  EXPECT_EQ(table_json(paired_table(), {}),
            "[\n"
            "    {\n        \"system\": \"Baseline: first.txt\",\n        \"BLEU\": {\n"
            "            \"score\": 26.59580468309487,\n            \"p_value\": null,\n"
            "            \"mean\": 26.5994,\n            \"ci\": 0.64829\n        }\n    },\n"
            "    {\n        \"system\": \"b_2\",\n        \"BLEU\": {\n"
            "            \"score\": 26.076,\n            \"p_value\": 0.051,\n"
            "            \"mean\": 26.07,\n            \"ci\": 1e-07\n        }\n    }\n]\n");
}

}  // namespace
}  // namespace phraseq::score
