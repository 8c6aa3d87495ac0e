#pragma once

#include "core/optim/lr_scheduler.h"

/// A learning rate that is halved at regular intervals. A starting point: replace the formula.
namespace @name@_plugin {

struct Settings final : phraseq::Options {
  int64_t half_life = 10000;

  void describe(phraseq::OptionTable& table) override {
    table
        .field("@flag@-half-life",
               half_life,
               "Number of updates after which the learning rate is halved.")
        .at_least(1);
  }
};

/// rate = lr · 2^(-updates / half_life): depends only on the number of updates, so a resumed run
/// has nothing to restore.
class Schedule final : public phraseq::LrScheduler {
 public:
  Schedule(const Settings& options, const phraseq::LrSchedulerSetup& setup)
      : options_(options), setup_(setup) {}
  double rate(int64_t finished_updates) const override;

 private:
  Settings options_;
  phraseq::LrSchedulerSetup setup_;
};

}  // namespace @name@_plugin
