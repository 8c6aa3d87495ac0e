#pragma once

#include <memory>
#include <string>

#include "core/embed/engine_parts.h"
#include "core/embed/translation_engine.h"
#include "core/translate/translator.h"

namespace phraseq {

/// The engine of the models of a translator, which were loaded from `path`; it `translates` unless
/// they are language models. `parts` must outlive it.
std::unique_ptr<TranslationEngine> make_translator_engine(const EngineParts& parts,
                                                          std::string path,
                                                          bool translates,
                                                          Translator translator);

}  // namespace phraseq
