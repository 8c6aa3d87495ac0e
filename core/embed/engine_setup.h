#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/embed/translation_engine.h"
#include "core/options/option_table.h"

namespace phraseq {

struct EngineParts;

/// How models translate: plugins, machine, precision, decoder, batches. The options are those of
/// `phraseq generate`, with the same defaults. It must outlive the engines that it loads.
class PHRASEQ_API EngineSetup {
 public:
  /// Loads the plugins and selects the decoder that the arguments name.
  explicit EngineSetup(std::span<const std::string> arguments);
  ~EngineSetup();
  EngineSetup(const EngineSetup&) = delete;
  EngineSetup& operator=(const EngineSetup&) = delete;

  void describe(OptionTable& table);
  std::vector<std::string> problems() const;
  /// Call once, after parsing: makes the decoder return all hypotheses of its beam.
  void finish();

  /// `path` is like --path of `generate`: an ensemble has several checkpoints, separated by colons.
  std::unique_ptr<TranslationEngine> load(const std::string& path) const;

 private:
  std::unique_ptr<EngineParts> parts_;
};

}  // namespace phraseq
