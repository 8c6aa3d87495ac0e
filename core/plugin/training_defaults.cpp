#include "core/plugin/training_defaults.h"

namespace phraseq {

TrainingDefaults small_corpus_training() {
  TrainingDefaults defaults;
  defaults.criterion = "label_smoothed_cross_entropy";
  defaults.optimizer = "adam";
  defaults.lr_scheduler = "inverse_sqrt";
  defaults.options = {{"label-smoothing", "0.1"},
                      {"adam-betas", "0.9,0.98"},
                      {"lr", "0.003"},
                      {"clip-norm", "1.0"},
                      {"max-tokens", "1000"},
                      {"precision", "auto"},
                      {"share-decoder-input-output-embed", "yes"}};
  defaults.warmup_share = 0.1;
  defaults.tie_when_joined = true;
  return defaults;
}

TrainingDefaults fairseq_training() {
  TrainingDefaults defaults;
  defaults.lr_scheduler = "fixed";
  defaults.options = {
      {"label-smoothing", "0"}, {"smoothing-kernel", "fairseq-0.12"}, {"adadelta-rho", "0.9"}};
  return defaults;
}

TrainingDefaults with_decoder_sizes(TrainingDefaults defaults) {
  defaults.keeps_decoder_sizes = true;
  return defaults;
}

}  // namespace phraseq
