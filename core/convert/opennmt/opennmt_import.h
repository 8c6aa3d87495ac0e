#pragma once

#include <string>

#include "core/base/api.h"
#include "core/convert/foreign_model.h"
#include "core/convert/imported_model.h"

namespace phraseq {

/// Whether a file of `torch.save` has the parts of a checkpoint of OpenNMT-py 3.x: `model`,
/// `generator`, `vocab` and `opt`. False for a file that cannot be read.
PHRASEQ_API bool is_opennmt_checkpoint(const std::string& path);

/// Reads an OpenNMT-py 3.x Transformer from a checkpoint (model_step_N.pt). Its sources have no
/// </s>, and its layers are pre-norm. Words that pad the vocabulary to a multiple of eight remain
/// in it: their scores are learned. Throws FormatError, UsageError and IoError as import_fairseq
/// does.
PHRASEQ_API ImportedModel import_opennmt(const ForeignModel& files);

}  // namespace phraseq
