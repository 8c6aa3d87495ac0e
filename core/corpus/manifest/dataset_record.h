#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace phraseq {

/// The manifest's entry for an indexed data set: the file that it was made from, and the checksums
/// of what was made.
nlohmann::json dataset_record(const std::string& input, const std::string& prefix);

}  // namespace phraseq
