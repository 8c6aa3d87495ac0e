#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/optim/schedules/learning_rates.h"
#include "core/run/training/warnings/data_warnings.h"
#include "core/run/training/warnings/dictionary_check.h"
#include "core/run/training/warnings/schedule_warnings.h"
#include "core/run/training/warnings/unused_options.h"

namespace phraseq {
namespace {

using ::testing::HasSubstr;

using Pairs = std::vector<std::pair<std::vector<int64_t>, std::vector<int64_t>>>;

class ListedCorpus final : public Corpus {
 public:
  explicit ListedCorpus(Pairs pairs) : pairs_(std::move(pairs)) {}
  int64_t size() const override { return static_cast<int64_t>(pairs_.size()); }
  int64_t source_length(int64_t i) const override {
    return static_cast<int64_t>(at(i).first.size());
  }
  int64_t target_length(int64_t i) const override {
    return static_cast<int64_t>(at(i).second.size());
  }
  Example get(int64_t i) const override { return {i, at(i).first, at(i).second, {}}; }
  std::string fingerprint() const override { return "listed"; }

 private:
  const Pairs::value_type& at(int64_t i) const { return pairs_[static_cast<size_t>(i)]; }
  Pairs pairs_;
};

/// The text that `action` writes to standard error.
std::string logged(const std::function<void()>& action) {
  ::testing::internal::CaptureStderr();
  action();
  return ::testing::internal::GetCapturedStderr();
}

std::string warmup_warning(std::optional<int64_t> run_length, int64_t warmup) {
  OptionTable table;
  table.field("warmup-updates", warmup, "");
  return logged([&] { warn_of_warmup(run_length, table); });
}

TEST(WarningOfWarmup, NamesBothNumbersAndAValueThatFits) {
  const std::string text = warmup_warning(1250, 4000);
  EXPECT_THAT(text, HasSubstr("the run has 1250 updates and ends within the warm-up of 4000"));
  EXPECT_THAT(text, HasSubstr("Use --warmup-updates 125,"));
  EXPECT_THAT(warmup_warning(7, 7), HasSubstr("Use --warmup-updates 1,"));
}

TEST(WarningOfWarmup, IsNotGivenWhenThePeakIsReachedOrNothingIsKnown) {
  EXPECT_EQ(warmup_warning(4001, 4000), "");
  EXPECT_EQ(warmup_warning(std::nullopt, 4000), "");
  EXPECT_EQ(warmup_warning(1, 4000), "");  // no value would fit
  OptionTable none;
  EXPECT_EQ(logged([&] { warn_of_warmup(10, none); }), "");
}

TEST(WarningOfWarmup, NamesTheStepsOfTriStageUnlessTheyAreSharesOfTheRun) {
  int64_t steps = 100;
  std::vector<double> ratio;
  OptionTable table;
  table.field("warmup-steps", steps, "");
  table.field("phase-ratio", ratio, "");
  const auto warning = [&] { return logged([&] { warn_of_warmup(50, table); }); };
  EXPECT_THAT(warning(), HasSubstr("the run has 50 updates and ends within the warm-up of 100"));
  EXPECT_THAT(warning(), HasSubstr("Use --warmup-steps 5,"));
  ratio = {0.1, 0.4, 0.5};
  EXPECT_EQ(warning(), "");
}

std::string average_warning(int64_t run_length, double decay, int64_t update_freq) {
  MovingAverageOptions options;
  options.ema_decay = decay;
  options.ema_update_freq = update_freq;
  return logged([&] { warn_of_average(run_length, options); });
}

TEST(WarningOfAverage, IsGivenForMoreThanHalfAndNamesTheSettingThatHelps) {
  EXPECT_THAT(average_warning(20, 0.99, 1),
              AllOf(HasSubstr("after the 20 updates of this run, 82 % of the moving average"),
                    HasSubstr("Use --ema-decay 0.5 or less,")));
  EXPECT_EQ(average_warning(20, 0.5, 20), "");  // exactly half
  EXPECT_THAT(
      average_warning(20, 0.5, 21),
      AllOf(HasSubstr("100 % of the moving average"), HasSubstr("a smaller --ema-update-freq,")));
}

std::string unused_warning(const std::vector<std::string>& given, int64_t save_interval) {
  OptionTable table;
  int64_t keep_interval = -1, keep_epochs = -1;
  bool no_epochs = true, relative_step = true;
  int64_t accumulated = 100, frequency = 4;
  double lr = 1;
  table.field("lr", lr, "");
  table.field("relative-step", relative_step, "");
  table.field("accumulate-to-tokens", accumulated, "");
  table.field("update-freq", frequency, "");
  table.field("keep-interval-updates", keep_interval, "");
  table.field("save-interval-updates", save_interval, "");
  table.field("keep-last-epochs", keep_epochs, "");
  table.field("no-epoch-checkpoints", no_epochs, "");
  for (const std::string& name : given) table.find(name)->origin = OptionOrigin::kCommandLine;
  return logged([&] { warn_of_unused_options(table); });
}

TEST(WarningOfUnusedOptions, NamesTheOptionThatIsNeededOrContradicts) {
  EXPECT_THAT(unused_warning({"keep-interval-updates"}, 0),
              HasSubstr("--keep-interval-updates has no effect without --save-interval-updates"));
  EXPECT_EQ(unused_warning({"keep-interval-updates"}, 5), "");
  EXPECT_THAT(unused_warning({"keep-last-epochs"}, 0),
              HasSubstr("--keep-last-epochs has no effect with --no-epoch-checkpoints"));
  EXPECT_THAT(unused_warning({"update-freq"}, 0),
              HasSubstr("--update-freq has no effect with --accumulate-to-tokens"));
  EXPECT_THAT(unused_warning({"lr"}, 0), HasSubstr("--lr has no effect with --relative-step"));
  EXPECT_EQ(unused_warning({}, 0), "");
}

TEST(WarningOfUnusedOptions, NamesTheOptionsOfTheLossScaleWithoutFp16) {
  OptionTable table;
  bool fp16 = false;
  std::string precision = "bf16";
  double init = 128, minimum = 1;
  table.field("fp16", fp16, "");
  table.field("precision", precision, "");
  table.field("fp16-init-scale", init, "").origin = OptionOrigin::kCommandLine;
  table.field("min-loss-scale", minimum, "");
  const auto warning = [&] { return logged([&] { warn_of_unused_options(table); }); };
  EXPECT_THAT(warning(), HasSubstr("--fp16-init-scale has no effect without --fp16"));
  EXPECT_THAT(warning(), ::testing::Not(HasSubstr("min-loss-scale")));
  precision = "fp16";
  EXPECT_EQ(warning(), "");
  precision = "auto";
  fp16 = true;
  EXPECT_EQ(warning(), "");
}

TEST(WarningOfUnusedRate, IsGivenForASchedule) {
  OptionTable table;
  double lr = 1;
  std::string name = "noam";
  table.field("lr", lr, "").origin = OptionOrigin::kCommandLine;
  table.field("lr-scheduler", name, "");
  const Noam noam(NoamOptions{}, {.lr = 1, .model_width = 512});
  const Noam other(NoamOptions{}, {.lr = 2, .model_width = 512});
  EXPECT_THAT(logged([&] { warn_of_unused_rate(noam, other, table); }),
              HasSubstr("--lr has no effect with --lr-scheduler noam"));
}

TEST(WarningOfAlignments, IsGivenWhereTheCriterionHasNoLossOfThem) {
  struct Loss final : Criterion {
    bool uses = false;
    LossReport loss(const DecoderOutput&, const Batch&, nn::Context&) override { return {}; }
    bool uses_alignments() const override { return uses; }
  } criterion;
  bool load = true;
  OptionTable table;
  table.field("load-alignments", load, "");
  const auto warning = [&] {
    return logged([&] { warn_of_unused_alignments(criterion, "cross_entropy", table); });
  };
  EXPECT_THAT(warning(),
              HasSubstr("--load-alignments has no effect: the criterion cross_entropy has no"));
  load = false;
  EXPECT_EQ(warning(), "");
  load = true;
  criterion.uses = true;
  EXPECT_EQ(warning(), "");
}

std::string schedule_warning(const ChangedLength& length, int64_t total_num_update) {
  PolynomialOptions options;
  options.total_num_update = total_num_update;
  const auto schedule = [&](int64_t max_update) {
    return Polynomial(options, {.lr = 0.5, .max_update = max_update});
  };
  return logged([&] { warn_of_schedule(schedule(length.then), schedule(length.now), length); });
}

TEST(WarningOfSchedule, NamesBothRatesWhereTheScheduleHasTheLengthOfTheRun) {
  const std::string text = schedule_warning({.then = 100, .now = 200, .updates = 100}, -1);
  EXPECT_THAT(text, HasSubstr("--max-update was 100, now 200"));
  EXPECT_THAT(text, HasSubstr("update 101 has a rate of 0.25 instead of 0. To keep"));
  EXPECT_THAT(text, HasSubstr("--total-num-update"));
}

TEST(WarningOfSchedule, IsNotGivenForAScheduleWithALengthOfItsOwn) {
  EXPECT_EQ(schedule_warning({.then = 100, .now = 200, .updates = 100}, 150), "");
}

/// In the middle of the warm-up, all schedules of this kind have the same rate.
TEST(WarningOfSchedule, LooksAtLaterUpdates) {
  PolynomialOptions options;
  options.warmup_updates = 10;
  const Polynomial then(options, {.lr = 0.5, .max_update = 100});
  const Polynomial now(options, {.lr = 0.5, .max_update = 200});
  EXPECT_THAT(logged([&] {
                warn_of_schedule(then, now, {100, 200, 5});
              }),
              HasSubstr("update 53 has a rate"));
}

TEST(WarningOfVocabulary, ComparesUsedTypesWithTargetTokens) {
  const ListedCorpus corpus(Pairs(10, {{5, 2}, {4, 5, 6, 2}}));  // 40 target tokens
  Dictionary dictionary;
  for (const char* word : {"a", "b", "c"}) dictionary.add(word, 9);
  dictionary.add("never", 0);
  EXPECT_THAT(
      logged([&] { warn_of_vocabulary(dictionary, corpus); }),
      AllOf(HasSubstr("the dictionary has 3 types for 40 target tokens"),
            HasSubstr("13.3 per type"),
            HasSubstr("with a smaller --nwordstgt (--nwordssrc for a joined dictionary or")));
  Dictionary small;
  for (const char* word : {"a", "b"}) small.add(word, 9);
  EXPECT_EQ(logged([&] { warn_of_vocabulary(small, corpus); }), "");
}

TEST(CommonPairs, AreEqualOnBothSides) {
  const ListedCorpus training({{{4, 2}, {5, 2}}, {{6, 2}, {7, 2}}, {{4, 2}, {5, 2}}});
  const ListedCorpus same({{{4, 2}, {5, 2}}, {{4, 2}, {5, 2}}, {{8, 2}, {9, 2}}});
  const ListedCorpus halves({{{4, 2}, {7, 2}}, {{6, 2}, {5, 2}}, {{4, 5}, {2}}});
  EXPECT_EQ(common_pairs(same, training), 2);
  EXPECT_EQ(common_pairs(halves, training), 0);
  EXPECT_EQ(common_pairs(ListedCorpus({}), training), 0);
}

TEST(WarningOfOverlap, IsGivenFromTwoPercentOn) {
  Pairs pairs;
  for (int64_t i = 0; i < 100; ++i) pairs.push_back({{i + 4, 2}, {i + 5, 2}});
  const ListedCorpus validation(pairs);
  const ListedCorpus one(Pairs(pairs.begin(), pairs.begin() + 1));
  const ListedCorpus two(Pairs(pairs.begin(), pairs.begin() + 2));
  EXPECT_EQ(logged([&] { warn_of_overlap(one, validation, "valid"); }), "");
  EXPECT_THAT(logged([&] { warn_of_overlap(two, validation, "valid"); }),
              AllOf(HasSubstr("2 of 100 pairs of the split 'valid' are also in the training set"),
                    HasSubstr("Remove these pairs from the training text")));
}

}  // namespace
}  // namespace phraseq
