#include "core/options/toolkits/toolkit_names.h"

#include <array>

#include <fmt/format.h>

namespace phraseq {
namespace {

/// If several entries have the same name, the first one whose option the command has is used. The
/// pages coming_from_… of the guide describe the differences.
constexpr auto kNames = std::to_array<ToolkitName>({
    // training
    {"mini-batch", "batch-size"},
    {"max-batch-size", "batch-size"},
    {"mini-batch-words", "max-tokens"},
    {"optimizer-delay", "update-freq"},
    {"accum-count", "update-freq"},
    {"batch-multiplier", "update-freq"},
    {"optim", "optimizer"},
    {"learn-rate", "lr"},
    {"learning-rate", "lr", "; with --lr-scheduler noam, it is --lr-scale"},
    {"lr-warmup", "warmup-updates"},
    {"max-grad-norm", "clip-norm"},
    {"clip-grad-norm", "clip-norm"},
    {"after-epochs", "max-epoch"},
    {"epochs", "max-epoch"},
    {"after-batches", "max-update"},
    {"train-steps", "max-update"},
    {"updates", "max-update"},
    {"early-stopping", "patience"},
    {"log", "log-file"},
    {"disp-freq", "log-interval"},
    {"report-every", "log-interval"},
    {"logging-freq", "log-interval"},
    {"valid-freq", "validate-interval-updates"},
    {"valid-steps", "validate-interval-updates"},
    {"validation-freq", "validate-interval-updates"},
    {"save-freq", "save-interval-updates"},
    {"save-checkpoint-steps", "save-interval-updates"},
    {"keep-checkpoint", "keep-interval-updates"},
    {"keep-best-ckpts", "keep-best-checkpoints"},
    {"pretrained-model", "finetune-from-model"},
    {"load-model", "finetune-from-model"},
    {"train-from", "restore-file"},
    {"save-model", "save-dir"},
    {"model-dir", "save-dir"},
    {"model", "save-dir"},
    {"random-seed", "seed"},
    {"world-size", "nproc-per-node"},
    // models
    {"dim-emb", "encoder-embed-dim"},
    {"hidden-size", "encoder-embed-dim"},
    {"enc-depth", "encoder-layers"},
    {"enc-layers", "encoder-layers"},
    {"dec-depth", "decoder-layers"},
    {"dec-layers", "decoder-layers"},
    {"transformer-heads", "encoder-attention-heads"},
    {"heads", "encoder-attention-heads"},
    {"num-heads", "encoder-attention-heads"},
    {"transformer-dim-ffn", "encoder-ffn-embed-dim"},
    {"transformer-ff", "encoder-ffn-embed-dim"},
    {"ff-size", "encoder-ffn-embed-dim"},
    {"transformer-dropout", "dropout"},
    {"transformer-dropout-attention", "attention-dropout"},
    {"transformer-dropout-ffn", "activation-dropout"},
    {"tied-embeddings-all", "share-all-embeddings"},
    {"tied-embeddings", "share-decoder-input-output-embed"},
    {"share-decoder-embeddings", "share-decoder-input-output-embed"},
    // translation
    {"model", "path"},
    {"models", "path"},
    {"ckpt", "path"},
    {"src", "input"},
    {"beam-size", "beam"},
    {"num-beams", "beam"},
    {"n-best", "nbest"},
    {"num-hypotheses", "nbest"},
    {"num-return-sequences", "nbest"},
    {"normalize", "lenpen"},
    {"length-penalty",
     "lenpen",
     "; none and wu are values of --length-penalty-form, and avg is --lenpen 1"},
    {"alpha", "lenpen"},
    {"min-length", "min-len"},
    {"min-decoding-length", "min-len"},
    {"min-output-length", "min-len"},
    {"max-decoding-length", "max-len-b"},
    {"max-output-length", "max-len-b"},
    {"max-new-tokens", "max-len-b"},
    {"max-length-factor", "max-len-a", ", and --max-len-b 0 limits the length to it"},
    {"max-length-ratio", "max-len-a", ", and --max-len-b 0 limits the length to it"},
    {"block-ngram-repeat", "no-repeat-ngram-size"},
    {"replace-unknowns", "replace-unk"},
    {"alignment", "print-alignment"},
    {"report-align", "print-alignment"},
    {"output-sampling", "sampling"},
    {"random-sampling-topk", "sampling-topk"},
    {"random-sampling-topp", "sampling-topp"},
    {"random-sampling-temp", "temperature"},
    {"sampling-temperature", "temperature"},
    {"cpu-threads", "workers"},
    {"cpu-threads", "threads"},
    {"inter-threads", "workers"},
    {"intra-threads", "threads"},
    // preprocessing
    {"vocab-size", "subwords"},
    {"src-vocab", "srcdict"},
    {"tgt-vocab", "tgtdict"},
    {"share-vocab", "joined-dictionary"},
    {"src-vocab-size", "nwordssrc"},
    {"tgt-vocab-size", "nwordstgt"},
    {"voc-limit", "nwordssrc"},
    {"src-words-min-frequency", "thresholdsrc"},
    {"tgt-words-min-frequency", "thresholdtgt"},
    {"voc-min-freq", "thresholdsrc"},
    {"save-data", "destdir"},
    {"num-threads", "workers"},
});

}  // namespace

std::span<const ToolkitName> toolkit_names() { return kNames; }

std::string explain_toolkit_name(const OptionTable& table, std::string_view name) {
  for (const ToolkitName& known : toolkit_names()) {
    if (known.name == name && table.find(known.ours) != nullptr)
      return fmt::format("it is called --{} here{}", known.ours, known.remark);
  }
  return {};
}

}  // namespace phraseq
