// Training with alignments on the command line, and models of fairseq's transformer_align, whose
// alignments must be those that fairseq prints (tests/golden/fairseq_align).

#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "tests/end_to_end/training_run.h"
#include "tests/end_to_end/workspace.h"

namespace phraseq::end_to_end {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

constexpr double kAlignmentTolerance = 2e-4;  // the rounding of fp32 on both sides
constexpr const char* kGolden = PHRASEQ_SOURCE_FOLDER "/tests/golden/fairseq_align";

CommandResult run_alright(Workspace& workspace, const Arguments& arguments) {
  CommandResult result = workspace.run(arguments);
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  return result;
}

/// The text after the mark of each line that begins with `mark`, such as A-3 or H-3, by its
/// sentence.
std::map<std::string, std::vector<std::string>> marked(const std::vector<std::string>& lines,
                                                       const std::string& mark) {
  std::map<std::string, std::vector<std::string>> found;
  for (const std::string& line : lines) {
    if (line.starts_with(mark))
      found[line.substr(0, line.find('\t'))].push_back(line.substr(line.rfind('\t') + 1));
  }
  return found;
}

/// The weights in a line of --print-alignment soft.
std::vector<double> weights_of(std::string line) {
  for (char& letter : line) letter = letter == ',' ? ' ' : letter;
  std::istringstream stream(line);
  std::vector<double> weights;
  for (double weight = 0; stream >> weight;) weights.push_back(weight);
  return weights;
}

class FairseqAlignment : public ::testing::Test {
 protected:
  void SetUp() override {
    run_alright(workspace_,
                words(fmt::format("preprocess -s xx -t yy --testpref {0}/train --srcdict "
                                  "{0}/dict.xx.txt --tgtdict {0}/dict.yy.txt --destdir data",
                                  kGolden)));
    for (const char* name : {"causal", "full"})
      run_alright(workspace_,
                  words(fmt::format("import {0}/{1}.pt {1} --data {0}", kGolden, name)));
    std::ifstream file(std::string(kGolden) + "/expected.json");
    expected_ = json::parse(file);
  }

  std::vector<std::string> generated(const std::string& model,
                                     const std::string& style,
                                     const Arguments& more) {
    return lines_of(
        run_alright(workspace_,
                    words(fmt::format("generate data --path {} --beam 3 --nbest 2 --max-len-a 0 "
                                      "--max-len-b 8 --format fairseq --print-alignment {}",
                                      model,
                                      style)) +
                        more)
            .output);
  }

  void expect_lines_of_fairseq(const std::string& model,
                               const std::string& expected,
                               const Arguments& more) {
    const auto hard = expected_.at(expected).at("hard").get<std::vector<std::string>>();
    const auto ours = generated(model, "hard", more);
    EXPECT_EQ(marked(ours, "H-"), marked(hard, "H-")) << expected;
    EXPECT_EQ(marked(ours, "A-"), marked(hard, "A-")) << expected;
    EXPECT_EQ(marked(ours, "A-").size(), 12U);
    const auto soft = expected_.at(expected).at("soft").get<std::vector<std::string>>();
    const auto theirs = marked(soft, "A-"), found = marked(generated(model, "soft", more), "A-");
    for (const auto& [id, lines] : theirs) {
      ASSERT_EQ(found.at(id).size(), lines.size()) << id;
      for (size_t i = 0; i < lines.size(); ++i) {
        EXPECT_THAT(
            weights_of(found.at(id)[i]),
            ::testing::Pointwise(::testing::DoubleNear(kAlignmentTolerance), weights_of(lines[i])))
            << id;
      }
    }
  }

  Workspace workspace_;
  json expected_;
};

TEST_F(FairseqAlignment, OfTheFullContextIsWhatFairseqPrints) {
  expect_lines_of_fairseq("full", "full", {});
}

TEST_F(FairseqAlignment, OfAModelWithSomeOfItsLayersIsWhatFairseqPrints) {
  expect_lines_of_fairseq(
      "full",
      "kept",
      {"--model-overrides", "{'encoder_layers_to_keep': '1', 'decoder_layers_to_keep': '0,2'}"});
}

/// Without the full context, fairseq prints the mean over all heads of the last layer.
TEST_F(FairseqAlignment, OfAnotherLayerIsWhatFairseqPrints) {
  expect_lines_of_fairseq(
      "causal", "causal", words("--model-overrides alignment-layer=2,alignment-heads=2"));
  EXPECT_NE(marked(generated("causal", "soft", {}), "A-"),
            marked(expected_.at("causal").at("soft").get<std::vector<std::string>>(), "A-"));
}

/// Copies of words in reverse order, with their alignments.
void write_reversed_text(const Workspace& workspace, const std::string& name, int first) {
  std::string source, target, links;
  for (int sentence = first; sentence < first + 60; ++sentence) {
    std::string turned;
    const int length = 2 + sentence % 4;
    for (int i = 0; i < length; ++i) {
      const std::string word(1, static_cast<char>('a' + (sentence * 7 + i * 5) % 11));
      source += word + (i + 1 < length ? " " : "\n");
      turned = word + (i > 0 ? " " : "") + turned;
      links += fmt::format("{}-{}{}", i, length - 1 - i, i + 1 < length ? " " : "\n");
    }
    target += turned + "\n";
  }
  workspace.write(name + ".xx", source);
  workspace.write(name + ".yy", target);
  workspace.write(name + ".align", links);
}

class AlignmentTraining : public ::testing::Test {
 protected:
  void SetUp() override {
    write_reversed_text(workspace_, "train", 0);
    write_reversed_text(workspace_, "valid", 60);
    run_alright(workspace_,
                words("preprocess -s xx -t yy --trainpref train --validpref valid --align-suffix "
                      "align --destdir data"));
  }

  static Arguments training(const std::string& more) {
    return words(
        "train data --arch transformer_align --encoder-embed-dim 32 --decoder-embed-dim 32 "
        "--encoder-ffn-embed-dim 48 --decoder-ffn-embed-dim 48 --encoder-layers 2 "
        "--decoder-layers 2 --encoder-attention-heads 2 --decoder-attention-heads 2 "
        "--alignment-layer 1 --max-tokens 200 --optimizer adam --lr 0.005 --dropout 0.1 "
        "--threads 1 --log-interval 1 --no-progress-bar --save-dir " +
        more);
  }

  Workspace workspace_;
};

TEST_F(AlignmentTraining, TeachesTheAlignmentOfItsText) {
  run_alright(workspace_,
              training("ck --load-alignments --alignment-lambda 1 --full-context-alignment "
                       "--max-update 150 --warmup-updates 20 --dropout 0"));
  const auto lines = lines_of(
      run_alright(workspace_,
                  words("generate data --gen-subset valid --path ck --beam 1 --format fairseq "
                        "--print-alignment --replace-unk"))
          .output);
  const auto sources = marked(lines, "S-"), targets = marked(lines, "H-"),
             alignments = marked(lines, "A-");
  int links = 0, right = 0;
  for (const auto& [id, found] : alignments) {
    const std::string number = id.substr(2);
    std::istringstream pairs(found.front());
    for (std::string pair; pairs >> pair; ++links) {
      const size_t from = std::stoul(pair), to = std::stoul(pair.substr(pair.find('-') + 1));
      const std::string &source = sources.at("S-" + number)[0],
                        &target = targets.at("H-" + number)[0];
      right += 2 * from < source.size() && source[2 * from] == target[2 * to] ? 1 : 0;
    }
  }
  EXPECT_GT(links, 150);
  EXPECT_GT(right, links * 0.9);
}

TEST_F(AlignmentTraining, ResumesWithTheSameBits) {
  const std::string options = " --load-alignments --decoder-layerdrop 0.3 --encoder-layerdrop 0.2 ";
  run_alright(workspace_, training("whole" + options + "--max-update 8"));
  run_alright(workspace_, training("halves" + options + "--max-update 4"));
  run_alright(workspace_, training("halves" + options + "--max-update 8"));
  EXPECT_EQ(losses(workspace_, "whole").size(), 8U);
  EXPECT_EQ(losses(workspace_, "halves"), losses(workspace_, "whole"));
  EXPECT_TRUE(last_tensors(workspace_, "halves") == last_tensors(workspace_, "whole"));
}

TEST_F(AlignmentTraining, GivesTheSameBitsOnTwoProcessesAsWithTwoBatchesAnUpdate) {
  const std::string options =
      " --load-alignments --decoder-layerdrop 0.3 --encoder-layerdrop 0.2 --max-update 5 ";
  run_alright(workspace_, training("alone" + options + "--update-freq 2"));
  run_alright(workspace_, training("both" + options + "--nproc-per-node 2"));
  EXPECT_TRUE(last_tensors(workspace_, "both") == last_tensors(workspace_, "alone"));
}

TEST_F(AlignmentTraining, NeedsAlignmentsAndSaysSo) {
  const CommandResult without = workspace_.run(training("ck --max-update 2"));
  EXPECT_EQ(without.exit_code, kExitUsage);
  EXPECT_THAT(without.errors, HasSubstr("train with --load-alignments"));
  run_alright(workspace_, training("words --criterion cross_entropy --max-update 1"));
  EXPECT_THAT(run_alright(workspace_,
                          words("validate data --path words --criterion "
                                "label_smoothed_cross_entropy_with_alignment"))
                  .errors,
              HasSubstr("the alignment loss is 0"));
  run_alright(workspace_, words("preprocess -s xx -t yy --trainpref train --destdir plain"));
  CommandResult missing = workspace_.run(words(
      "train plain --arch transformer_align --load-alignments --max-tokens 200 --max-update 1"));
  EXPECT_EQ(missing.exit_code, kExitData);
  EXPECT_THAT(missing.errors, HasSubstr("train.align.xx-yy.idx"));
  missing = workspace_.run(
      words("train . -s xx -t yy --data-loader text --arch transformer_align --load-alignments "
            "--max-tokens 200"));
  EXPECT_EQ(missing.exit_code, kExitUsage);
  EXPECT_THAT(missing.errors, HasSubstr("--load-alignments needs indexed data"));
}

}  // namespace
}  // namespace phraseq::end_to_end
