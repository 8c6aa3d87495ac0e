#pragma once

#include "core/corpus/preprocess_options.h"

namespace phraseq {

/// The fields, sections and help texts of all options of `preprocess`.
void describe_preprocessing(OptionTable& table, PreprocessOptions& options);

}  // namespace phraseq
