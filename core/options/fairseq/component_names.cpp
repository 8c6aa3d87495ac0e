#include "core/options/fairseq/component_names.h"

#include <array>

namespace phraseq::fairseq {
namespace {

/// Names that begin with the words of `prefix`.
struct Family {
  std::string_view kind, prefix, reason;

  bool contains(std::string_view name) const {
    return name == prefix || (name.starts_with(prefix) && name[prefix.size()] == '_');
  }
};

/// The first family that matches is used.
constexpr auto kFamilies = std::to_array<Family>({
    {"architecture",
     "transformer_lm",
     "there are no adaptive inputs and outputs; transformer_lm_big and transformer_lm_gpt are "
     "available"},
    {"architecture",
     "transformer_from_pretrained_xlm",
     "there are no pretrained language models; --finetune-from-model starts from a checkpoint"},
    {"architecture", "transformer_ulm", "transformer_lm models languages"},
    {"architecture", "lstm_lm", "there is no LSTM model; transformer_lm models languages"},
    {"architecture",
     "lstm",
     "there is no LSTM model; rnnsearch is the recurrent architecture, with GRU units"},
    {"architecture", "fconv", "there are no convolutional models"},
    {"architecture", "lightconv", "there are no convolutional models"},
    {"architecture",
     "multilingual_transformer",
     "--task translation_multi_simple_epoch trains one transformer for all languages"},
    {"architecture", "nonautoregressive_transformer", "there are no non-autoregressive models"},
    {"architecture",
     "iterative_nonautoregressive_transformer",
     "there are no non-autoregressive models"},
    {"architecture", "nacrf_transformer", "there are no non-autoregressive models"},
    {"architecture", "cmlm_transformer", "there are no non-autoregressive models"},
    {"architecture", "levenshtein_transformer", "there are no non-autoregressive models"},
    {"architecture", "insertion_transformer", "there are no non-autoregressive models"},
    {"architecture", "masked_lm", "there are no masked language models"},
    {"architecture", "bert", "there are no masked language models"},
    {"architecture", "roberta", "there are no masked language models"},
    {"architecture", "bart", "there are no pretrained sequence-to-sequence models"},
    {"architecture", "mbart", "there are no pretrained sequence-to-sequence models"},
    {"task",
     "multilingual_translation",
     "--task translation_multi_simple_epoch trains one model for all languages"},
    {"task", "translation_lev", "there are no non-autoregressive models"},
    {"task", "translation_moe", "there are no mixtures of experts"},
    {"task", "translation_from_pretrained", "there are no pretrained models"},
    {"task", "semisupervised_translation", "preprocess the translated text as parallel text"},
    {"criterion",
     "adaptive_loss",
     "there is no adaptive softmax; cross_entropy is the loss of the whole vocabulary"},
    {"criterion", "label_smoothed_cross_entropy_with_ctc", "there is no CTC"},
    {"criterion", "nat_loss", "there are no non-autoregressive models"},
    {"optimizer", "lamb", "adam and adafactor are the nearest"},
    {"optimizer", "cpu_adam", "use adam"},
    {"optimizer", "composite", "all parameters have one optimizer"},
    {"lr_scheduler", "manual", "--lr-scheduler fixed takes a list with one value per epoch"},
    {"lr_scheduler", "step", "--lr-scheduler fixed takes a list with one value per epoch"},
    {"lr_scheduler", "triangular", "--lr-scheduler cosine has periods, too"},
    {"lr_scheduler", "pass_through", "an optimizer has no schedule of its own"},
    {"tokenizer", "space", "--tokenizer word separates words at blanks"},
    {"tokenizer", "nltk", "moses is the nearest"},
    {"metric", "wer", "bleu, chrf and ter are available"},
});

}  // namespace

std::string_view reason_without(std::string_view kind, std::string_view name) {
  for (const Family& family : kFamilies) {
    if (family.kind == kind && family.contains(name))
      return family.reason;
  }
  return {};
}

}  // namespace phraseq::fairseq
