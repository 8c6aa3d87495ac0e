#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/score/contrastive/contrastive_options.h"
#include "core/score/contrastive/contrastive_plot.h"
#include "core/score/contrastive/contrastive_report.h"
#include "core/score/contrastive/contrastive_text.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/xml.h"

namespace phraseq::score {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A test with a file that is removed at the end.
class ContrastiveFile : public ::testing::Test {
 protected:
  ContrastiveSet read(const std::string& text, const ContrastiveColumns& columns = {}) {
    std::ofstream(path_, std::ios::binary) << text;
    return read_contrastive_set(path_, columns);
  }

  /// The message without the path, and the hint.
  std::string fault(const std::string& text, const ContrastiveColumns& columns = {}) {
    try {
      read(text, columns);
    } catch (const DataError& error) {
      return error.message().substr(path_.string().size()) + " | " + error.hint();
    }
    return "nothing was thrown";
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.file("set.tsv");
};

TEST_F(ContrastiveFile, FindsColumnsByTheirUsualNames) {
  const auto set = read(
      "id\tdistance\tcontrastive_de\tsource_en\treference_de\tcategory\n"
      "a\t3\the go\ther\tshe goes\tsv\n"
      "b\t\tx\ty\tz\t\n");
  EXPECT_EQ(set.pairs.size(), 2u);
  EXPECT_EQ(set.pairs[0].line, 2);
  EXPECT_EQ(set.pairs[0].source, "her");
  EXPECT_EQ(set.pairs[0].reference, "she goes");
  EXPECT_EQ(set.pairs[0].contrastive, "he go");
  EXPECT_THAT(set.pairs[0].groups, ElementsAre("sv"));
  EXPECT_EQ(set.pairs[0].distance, 3);
  EXPECT_FALSE(set.pairs[1].distance);
  EXPECT_THAT(set.group_columns, ElementsAre("category"));
  EXPECT_EQ(set.distance_column, "distance");
}

TEST_F(ContrastiveFile, TakesTheColumnsThatAreNamed) {
  const auto set = read("a\tb\tc\td\te\n1\t2\t3\t4\t-5\n", {"c", "b", "a", {"d", "b"}, "e"});
  EXPECT_EQ(set.pairs[0].source, "3");
  EXPECT_EQ(set.pairs[0].contrastive, "1");
  EXPECT_THAT(set.pairs[0].groups, ElementsAre("4", "2"));
  EXPECT_EQ(set.pairs[0].distance, -5);
}

TEST_F(ContrastiveFile, TakesTheSourcesTreesWhereThereAreAny) {
  const std::string text = "source\treference\tcontrastive\ttree\tother\na\tb\tc\t(X a)\t\n";
  EXPECT_EQ(read(text).pairs[0].tree, "(X a)");
  EXPECT_EQ(read(text, {.tree = "other"}).pairs[0].tree, "");
  EXPECT_FALSE(read("source\treference\tcontrastive\na\tb\tc").pairs[0].tree);
}

TEST_F(ContrastiveFile, NeedsNoGroups) {
  const auto set = read("source\treference\tcontrastive\na\tb\tc");
  EXPECT_THAT(set.group_columns, IsEmpty());
  EXPECT_EQ(set.distance_column, "");
}

TEST_F(ContrastiveFile, ReportsWhichLineIsWrongAndWhatToDo) {
  const std::string heading = "source\treference\tcontrastive\tdistance\n";
  EXPECT_EQ(fault(heading + "a\tb\tc\t1\na\tb\tc\n"),
            ":3: 3 TAB-separated fields, the header has 4 | Complete or remove the line; "
            "nothing was scored.");
  EXPECT_THAT(fault(heading + "a\tb\tc\t1\t\n"), HasSubstr(":2: 5 TAB-separated fields"));
  EXPECT_THAT(fault(heading + "a\t \tc\t1\n"),
              HasSubstr(":2: the reference is empty, expected a sentence"));
  EXPECT_THAT(fault(heading + "a\tb\t\t1\n"), HasSubstr("the contrastive translation is empty"));
  EXPECT_THAT(fault(heading + "a\tb\tc\t1.5\n"),
              HasSubstr(":2: distance '1.5', expected an integer or an empty field"));
  EXPECT_THAT(fault(heading), HasSubstr(": there are no pairs after the header"));
  EXPECT_THAT(fault(""), HasSubstr(": the file is empty, expected a header"));
  EXPECT_THAT(fault(heading + "\xFF\n"), HasSubstr(":2:1: invalid UTF-8"));
}

TEST_F(ContrastiveFile, ReportsWhichColumnIsMissing) {
  EXPECT_EQ(fault("src\treference\tcontrastive\na\tb\tc\n"),
            ":1: no column 'source' or 'source_…'; the header has 'src', 'reference', "
            "'contrastive' | Select one with --source-column NAME; the first line must contain the "
            "column names, separated by TABs.");
  EXPECT_THAT(fault("source_en\tsource_fr\treference\tcontrastive\n"),
              HasSubstr(":1: more than one column 'source' or 'source_…'"));
  EXPECT_THAT(fault("source\treference\tcontrastive\n", {"", "", "", {"kind"}, ""}),
              HasSubstr(":1: there is no column 'kind'; the header has 'source'"));
  EXPECT_THAT(fault("source\treference\tcontrastive\tsource\n"),
              HasSubstr(":1: two columns are named 'source'"));
}

/// Seven pairs; right, wrong, tie, right, right, wrong, right.
ContrastiveSystem first_system() {
  return {"A", {{-1, -2}, {-2, -1}, {-3, -3}, {-1, -9}, {-4, -5}, {-5, -4}, {-1, -1.5}}};
}

ContrastiveSet example_set() {
  ContrastiveSet set;
  set.path = "set.tsv";
  set.group_columns = {"kind"};
  set.distance_column = "distance";
  const std::vector<std::pair<std::string, std::optional<int64_t>>> rows = {
      {"b", 1}, {"b", 1}, {"b", 2}, {"10", 2}, {"9", 15}, {"", 16}, {"b", {}}};
  for (const auto& [kind, distance] : rows) {
    ContrastivePair pair;
    pair.line = static_cast<int64_t>(set.pairs.size()) + 2;
    pair.groups = {kind};
    pair.distance = distance;
    set.pairs.push_back(pair);
  }
  return set;
}

const std::vector<int64_t> kEdges = ContrastiveOptions().distance_edges;

std::vector<std::string> described(const AccuracyTable& table) {
  std::vector<std::string> rows;
  for (const auto& row : table.rows) {
    if (row.pairs > 0)
      rows.push_back(row.name + ":" + std::to_string(row.systems[0].right) + "/" +
                     std::to_string(row.pairs));
  }
  return rows;
}

TEST(Contrastive, CountsATieAsWrong) {
  const auto report = evaluate_contrastive(example_set(), {first_system()}, kEdges);
  const Accuracy& all = report.all.systems[0];
  EXPECT_EQ(all.pairs, 7u);
  EXPECT_EQ(all.right, 4u);
  EXPECT_EQ(all.ties, 1u);
  EXPECT_DOUBLE_EQ(all.value(), 4.0 / 7);
  EXPECT_FALSE(all.p_value);
}

TEST(Contrastive, CountsByGroupAndByDistance) {
  const auto report = evaluate_contrastive(example_set(), {first_system()}, kEdges);
  ASSERT_EQ(report.tables.size(), 2u);
  EXPECT_EQ(report.tables[0].by, "kind");
  // Sorted as numbers; a pair without a kind or a distance counts only in "all".
  EXPECT_THAT(described(report.tables[0]), ElementsAre("9:1/1", "10:1/1", "b:2/4"));
  EXPECT_THAT(described(report.tables[1]), ElementsAre("1:1/2", "2:1/2", "15:1/1", ">15:0/1"));
  const auto coarse = evaluate_contrastive(example_set(), {first_system()}, {2, 15});
  EXPECT_THAT(described(coarse.tables[1]), ElementsAre("<2:1/2", "2 to 14:1/2", ">14:1/2"));
}

TEST(Contrastive, HasWilsonsInterval) {
  // Newcombe (1998), table I: 81 of 263 gives 0.2553 to 0.3662, 1 of 29 gives 0.0061 to 0.1718.
  const Accuracy many{263, 81, 0, {}}, few{29, 1, 0, {}}, none{20, 0, 0, {}};
  EXPECT_NEAR(many.low(), 0.2553, 5e-5);
  EXPECT_NEAR(many.high(), 0.3662, 5e-5);
  EXPECT_NEAR(few.low(), 0.0061, 5e-5);
  EXPECT_NEAR(few.high(), 0.1718, 5e-5);
  EXPECT_EQ(none.low(), 0);
  EXPECT_NEAR(none.high(), 0.1611, 5e-5);
}

TEST(Contrastive, TestsDifferencesByMcnemar) {
  // 2 · (C(6,0) + C(6,1)) / 2^6 = 14/64; for an even split, p is 1.
  EXPECT_NEAR(mcnemar_test(1, 5), 14.0 / 64, 1e-12);
  EXPECT_NEAR(mcnemar_test(5, 1), 14.0 / 64, 1e-12);
  EXPECT_EQ(mcnemar_test(0, 0), 1);
  EXPECT_EQ(mcnemar_test(3, 3), 1);
  EXPECT_NEAR(mcnemar_test(0, 20), std::pow(2.0, -19), 1e-15);
  // B is right in the three pairs where A is not, and wrong in one where A is right.
  ContrastiveSystem second = first_system();
  second.name = "B";
  for (const size_t pair : {1, 2, 5}) second.scores[pair] = {0, -1};
  second.scores[0] = {-1, 0};
  const auto report = evaluate_contrastive(example_set(), {first_system(), second}, kEdges);
  EXPECT_EQ(report.all.systems[1].right, 6u);
  EXPECT_NEAR(*report.all.systems[1].p_value, 2 * 5.0 / 16, 1e-12);
  EXPECT_THAT(contrastive_text(report), HasSubstr("+0.2857 (p = 0.6250)"));
  EXPECT_THAT(contrastive_text(report), HasSubstr("McNemar"));
}

TEST(Contrastive, IsDrawnAsTablesForATerminal) {
  const auto report = evaluate_contrastive(example_set(), {first_system()}, {2});
  EXPECT_EQ(contrastive_text(report),
            "╒═══════════╤═════════╤═══════════════════════════╕\n"
            "│   set.tsv │  pairs  │             A             │\n"
            "╞═══════════╪═════════╪═══════════════════════════╡\n"
            "│       all │    7    │ 0.5714 (0.2505 to 0.8418) │\n"
            "╘═══════════╧═════════╧═══════════════════════════╛\n"
            "\n"
            "╒════════╤═════════╤═══════════════════════════╕\n"
            "│   kind │  pairs  │             A             │\n"
            "╞════════╪═════════╪═══════════════════════════╡\n"
            "│      9 │    1    │ 1.0000 (0.2065 to 1.0000) │\n"
            "├────────┼─────────┼───────────────────────────┤\n"
            "│     10 │    1    │ 1.0000 (0.2065 to 1.0000) │\n"
            "├────────┼─────────┼───────────────────────────┤\n"
            "│      b │    4    │ 0.5000 (0.1500 to 0.8500) │\n"
            "╘════════╧═════════╧═══════════════════════════╛\n"
            "\n"
            "╒════════════╤═════════╤═══════════════════════════╕\n"
            "│   distance │  pairs  │             A             │\n"
            "╞════════════╪═════════╪═══════════════════════════╡\n"
            "│         <2 │    2    │ 0.5000 (0.0945 to 0.9055) │\n"
            "├────────────┼─────────┼───────────────────────────┤\n"
            "│         >1 │    4    │ 0.5000 (0.1500 to 0.8500) │\n"
            "╘════════════╧═════════╧═══════════════════════════╛\n"
            "\n"
            "Accuracy: how often the reference is more probable than the contrastive translation, "
            "with a 95 % confidence interval (Wilson).\n"
            "Ties, counted as wrong: 1 (A)\n");
}

TEST(Contrastive, HoldsEveryNumberInJson) {
  const auto report = nlohmann::json::parse(
      contrastive_json(evaluate_contrastive(example_set(), {first_system()}, {2})));
  EXPECT_EQ(report["file"], "set.tsv");
  EXPECT_EQ(report["all"]["pairs"], 7);
  EXPECT_EQ(report["all"]["systems"][0]["right"], 4);
  EXPECT_EQ(report["all"]["systems"][0]["ties"], 1);
  EXPECT_TRUE(report["all"]["systems"][0]["p_value"].is_null());
  EXPECT_EQ(report["groups"][0]["by"], "kind");
  EXPECT_EQ(report["groups"][0]["rows"][2]["name"], "b");
  EXPECT_EQ(report["groups"][1]["rows"][1]["from"], 2);
  EXPECT_TRUE(report["groups"][1]["rows"][1]["to"].is_null());
}

TEST(Contrastive, WritesALineForEachPair) {
  ContrastiveSet set = example_set();
  set.pairs.resize(3);
  EXPECT_EQ(contrastive_rows(set, {first_system()}), "-1\t-2\tright\n-2\t-1\twrong\n-3\t-3\ttie\n");
  EXPECT_EQ(contrastive_rows(set, {first_system(), first_system()}).substr(0, 27),
            "-1\t-2\tright\t-1\t-2\tright\n-2\t");
  const std::string lines = contrastive_jsonl(set, {first_system()});
  const auto object = nlohmann::json::parse(lines.substr(0, lines.find('\n')));
  const nlohmann::json expected = {{"line", 2},
                                   {"systems",
                                    {{{"system", "A"},
                                      {"reference_log_probability", -1.0},
                                      {"contrastive_log_probability", -2.0},
                                      {"verdict", "right"}}}},
                                   {"groups", {{"kind", "b"}}},
                                   {"distance", 1}};
  EXPECT_EQ(object, expected);
}

TEST(Contrastive, IsPlottedByDistanceWithoutEmptyEnds) {
  const auto report = evaluate_contrastive(example_set(), {first_system()}, kEdges);
  const std::string svg = contrastive_plot(report).document();
  EXPECT_EQ(testing_support::XmlCheck(svg).fault(), "");
  EXPECT_THAT(svg, HasSubstr(">Accuracy by distance<"));
  EXPECT_THAT(svg, HasSubstr("<title>A, 1: 0.500</title>"));
  EXPECT_THAT(svg, HasSubstr(">&gt;15</text>"));
  EXPECT_THAT(svg, HasSubstr(">(0)</text>"));  // distances 3 to 14
  EXPECT_THAT(svg, testing::Not(HasSubstr("&lt;1<")));
  auto by_kind = report;
  by_kind.tables.pop_back();
  EXPECT_THAT(contrastive_plot(by_kind).document(), HasSubstr("<title>A, 10: 1.000</title>"));
}

TEST(Contrastive, ReadsTheSharedSetsAsTheyAre) {
  const char* data = std::getenv("PHRASEQ_DATA");
  if (data == nullptr)
    GTEST_SKIP() << "PHRASEQ_DATA is not set: no contrastive test sets to read";
  const std::string folder = std::string(data) + "/sva/";
  const auto parsed =
      read_contrastive_set(folder + "pud-en-de.sva.tsv.gz", {"", "", "", {"order", "number"}, ""});
  ASSERT_EQ(parsed.pairs.size(), 463u);
  EXPECT_EQ(parsed.distance_column, "distance");
  EXPECT_THAT(parsed.pairs[1].groups, ElementsAre("VS", "Sing"));
  EXPECT_EQ(parsed.pairs[3].distance, 16);
  const auto swapped =
      read_contrastive_set(folder + "distil-lingeval-mt.subj_verb_agreement.tsv.gz", {});
  EXPECT_EQ(swapped.pairs.size(), 2000u);
  EXPECT_EQ(swapped.distance_column, "");
  EXPECT_THAT(swapped.group_columns, IsEmpty());
}

TEST(ContrastiveOptions, RequireIncreasingEdgesAndASet) {
  ContrastiveOptions options;
  EXPECT_THAT(options.problems(), IsEmpty());
  options.json = true;
  options.distance_edges = {2, 2};
  EXPECT_THAT(options.problems(),
              ElementsAre(HasSubstr("--distance-edges"), HasSubstr("require --contrastive")));
  options = {};
  options.columns.distance = "far";
  EXPECT_THAT(options.problems(), ElementsAre(HasSubstr("require --contrastive")));
  options.contrastive = "set.tsv";
  options.distance_edges = {};
  EXPECT_THAT(options.problems(), IsEmpty());
}

}  // namespace
}  // namespace phraseq::score
