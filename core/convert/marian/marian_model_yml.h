#pragma once

#include <cstddef>
#include <string>

#include "core/convert/export_model.h"

namespace phraseq {

/// The settings that Marian stores in a model (`special:model.yml`), for vocabularies of these
/// sizes.
std::string marian_model_yml(const ExportModel& model,
                             size_t source_symbols,
                             size_t target_symbols);

}  // namespace phraseq
