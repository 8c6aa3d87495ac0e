#pragma once

#include <string>
#include <vector>

#include "core/serve/serve_options.h"
#include "core/serve/service_error.h"

namespace phraseq {

/// Throws ServiceError 413 if there are too many texts, or if they are too long together.
void check_size(const std::vector<std::string>& texts,
                const std::string& field,
                const ServeOptions& options);

}  // namespace phraseq
