// Claims to be built for another version of phraseq.
#include "toy.h"

namespace {
const toy::Mark mark("other_abi");
void register_components(phraseq::Registry&) {}
}  // namespace

extern "C" PHRASEQ_API const phraseq::PluginManifest phraseq_plugin_0123456789ab = {
    "phraseq-plugin",
    "PHRASEQ-ABI-TEXT:phraseq-abi 999; LibTorch 9.8.7; GNU 99",
    "other_abi",
    "1.0",
    "Of another time",
    register_components};
