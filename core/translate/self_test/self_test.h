#pragma once

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// The metadata entry kSelfTestEntry of a checkpoint (docs/formats/checkpoint.md): a made-up
/// sentence pair with symbols from all parts of both vocabularies, and the natural-log
/// probabilities that the model gives its target tokens in fp32. Null for a model that takes no
/// such pair or has diverged. Nothing of the model or of its random numbers changes.
PHRASEQ_API nlohmann::json self_test_record(const TranslationModel& model);

/// Computes the probabilities of the recorded pair again, in fp32 (fp64 where the parameters are),
/// and compares: |found - recorded| <= 0.01 + 0.002 |recorded|. That is wider than what processors,
/// numbers of threads and TF32 change, and much narrower than what a wrong kernel does.
///
/// Files without checksums, whose weights somebody may have edited, and files without the entry
/// pass. Throws FormatError naming file, token and both values.
PHRASEQ_API void verify_self_test(const TranslationModel& model, const CheckpointFile& file);

}  // namespace phraseq
