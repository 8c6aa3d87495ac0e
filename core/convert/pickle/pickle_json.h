#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/base/api.h"
#include "core/convert/pickle/pickle_graph.h"

namespace phraseq {

/// A value of a pickle as JSON: options. Objects with a state (a Namespace, omegaconf's containers)
/// become objects, members of an enumeration become their values, and everything else without a
/// counterpart becomes its class as "<module.name>". Bytes that are not UTF-8 are escaped.
///
/// Throws a FormatError that begins with `where` for values nested more than 100 deep (or within
/// themselves) and for more than a million of them.
PHRASEQ_API nlohmann::json json_of(const PickleGraph& graph,
                                   PickleRef ref,
                                   const std::string& where);

}  // namespace phraseq
