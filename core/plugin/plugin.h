#pragma once

#include "core/plugin/registry.h"
#include "phraseq/abi_stamp.h"

namespace phraseq {

/// What a plugin's one exported symbol holds: plain constants, readable before any code runs. The
/// symbol's name ends in the hash of `abi_text`, so that a plugin of another build can be
/// distinguished from its symbol table alone; `abi_text` follows a marker, so that a rejected file
/// can be asked what it was built with.
struct PluginManifest {
  const char* magic;     ///< "phraseq-plugin"
  const char* abi_text;  ///< "PHRASEQ-ABI-TEXT:" and PHRASEQ_ABI_TEXT
  const char* name;
  const char* version;
  const char* description;
  void (*register_components)(Registry& registry);
};

}  // namespace phraseq

/// A plugin's whole outside: name, version, one line, and the function that registers its
/// components.
#define PHRASEQ_PLUGIN(NAME, VERSION, DESCRIPTION, REGISTER)                                  \
  extern "C" __attribute__((visibility("default"), section("phrasq")))                        \
  const ::phraseq::PluginManifest PHRASEQ_ABI_SYMBOL = {"phraseq-plugin",                     \
                                                        "PHRASEQ-ABI-TEXT:" PHRASEQ_ABI_TEXT, \
                                                        NAME,                                 \
                                                        VERSION,                              \
                                                        DESCRIPTION,                          \
                                                        REGISTER};
