#pragma once

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/translate/translation_model.h"

namespace phraseq {

/// The metadata entry kSelfTestEntry of a checkpoint (docs/formats/checkpoint.md): a made-up
/// sentence pair with symbols from all parts of both vocabularies, and the natural-log
/// probabilities that the model gives its target tokens in fp32. Null for a model that does not
/// accept such a pair or has diverged. The model and its random numbers do not change.
PHRASEQ_API nlohmann::json self_test_record(const TranslationModel& model);

/// Computes the probabilities of the recorded pair again, in fp32 (fp64 where the parameters are),
/// and compares: |found - recorded| <= 0.01 + 0.002 |recorded|. This tolerance is larger than the
/// differences between processors, numbers of threads and TF32, and much smaller than the error of
/// a wrong kernel.
///
/// Files without checksums, whose weights may have been edited, and files without the entry pass.
/// Throws a FormatError that names the file, the token and both values.
PHRASEQ_API void verify_self_test(const TranslationModel& model, const CheckpointFile& file);

}  // namespace phraseq
