#include "core/plugin/training_defaults.h"

#include <map>
#include <string>

#include <gtest/gtest.h>

namespace phraseq {
namespace {

TEST(TrainingDefaults, AreEmptyUntilAPresetSetsThem) {
  EXPECT_TRUE(TrainingDefaults{}.empty());
  TrainingDefaults only_criterion;
  only_criterion.criterion = "rdrop";
  EXPECT_FALSE(only_criterion.empty());
  TrainingDefaults only_options;
  only_options.options = {{"lr", "0.1"}};
  EXPECT_FALSE(only_options.empty());
}

TEST(TrainingDefaults, OfSmallCorporaAreThoseOfTheGuide) {
  const TrainingDefaults defaults = small_corpus_training();
  EXPECT_FALSE(defaults.empty());
  EXPECT_EQ(defaults.criterion, "label_smoothed_cross_entropy");
  EXPECT_EQ(defaults.optimizer, "adam");
  EXPECT_EQ(defaults.lr_scheduler, "inverse_sqrt");
  EXPECT_TRUE(defaults.tie_when_joined);
  EXPECT_GT(defaults.warmup_share, 0.0);
  EXPECT_LT(defaults.warmup_share, 1.0);
  const std::map<std::string, std::string> options(defaults.options.begin(),
                                                   defaults.options.end());
  EXPECT_EQ(options.size(), defaults.options.size()) << "an option is given twice";
  EXPECT_EQ(options.at("precision"), "auto");
  EXPECT_EQ(options.at("label-smoothing"), "0.1");
  EXPECT_EQ(options.at("clip-norm"), "1.0");
  EXPECT_EQ(options.count("warmup-updates"), 0u) << "the share determines the warm-up";
}

}  // namespace
}  // namespace phraseq
