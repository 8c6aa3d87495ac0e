// An ordinary shared library, which is not a plugin.
#include "toy.h"

namespace {
const toy::Mark mark("no_manifest");
}

extern "C" PHRASEQ_API int unrelated() { return 5; }
