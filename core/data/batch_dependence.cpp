#include "core/data/batch_dependence.h"

namespace phraseq {

BatchDependence::~BatchDependence() = default;

}  // namespace phraseq
