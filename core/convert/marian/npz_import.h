#pragma once

#include "core/base/api.h"
#include "core/convert/foreign_model.h"
#include "core/convert/imported_model.h"

namespace phraseq {

/// Reads a Transformer that Marian trained: the parameters and `special:model.yml` in the `.npz`
/// file, or the folder with one, and the vocabularies, by default those that decoder.yml names. The
/// default subword model is that of the vocabularies, otherwise source.spm and target.spm next to
/// the model, otherwise none. The vector of zeros from which decoding starts becomes <s>, which is
/// never produced. Throws FormatError, UsageError and IoError as import_fairseq does; every setting
/// and parameter that is not understood is named.
PHRASEQ_API ImportedModel import_marian_npz(const ForeignModel& files);

}  // namespace phraseq
