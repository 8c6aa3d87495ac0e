#pragma once

#include "core/base/api.h"

namespace phraseq {

/// A named step that a test can make fail: PHRASEQ_FAILPOINT=NAME:kill ends the process there with
/// SIGKILL; PHRASEQ_FAILPOINT=NAME:28 makes the step report errno 28. Returns the errno to report,
/// 0 = continue. Always 0 in a build without tests (PHRASEQ_BUILD_TESTS=OFF).
PHRASEQ_API int failpoint(const char* name);

}  // namespace phraseq
