#pragma once

#include "core/plugin/registry.h"
#include "phraseq/abi_stamp.h"

namespace phraseq {

/// The contents of a plugin's only exported symbol: plain constants, readable before any code runs.
/// The symbol's name ends in the hash of `abi_text`, so a plugin of a different build can be
/// recognized by its symbol table alone; `abi_text` follows a marker, so it can be found in a file
/// that was rejected.
struct PluginManifest {
  const char* magic;     ///< "phraseq-plugin"
  const char* abi_text;  ///< "PHRASEQ-ABI-TEXT:" and PHRASEQ_ABI_TEXT
  const char* name;
  const char* version;
  const char* description;
  void (*register_components)(Registry& registry);
};

}  // namespace phraseq

/// Everything that a plugin exports: name, version, a one-line description, and the function that
/// registers its components.
#define PHRASEQ_PLUGIN(NAME, VERSION, DESCRIPTION, REGISTER)                                  \
  extern "C" __attribute__((visibility("default"), section("phrasq")))                        \
  const ::phraseq::PluginManifest PHRASEQ_ABI_SYMBOL = {"phraseq-plugin",                     \
                                                        "PHRASEQ-ABI-TEXT:" PHRASEQ_ABI_TEXT, \
                                                        NAME,                                 \
                                                        VERSION,                              \
                                                        DESCRIPTION,                          \
                                                        REGISTER};
