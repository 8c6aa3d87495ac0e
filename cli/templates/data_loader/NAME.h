#pragma once

#include <memory>
#include <string>

#include "core/data/data_loader.h"

/// Reads FOLDER/SPLIT.SOURCE and FOLDER/SPLIT.TARGET, one sentence per line. A starting
/// point: replace the source of the text.
namespace @name@_plugin {

struct Settings final : phraseq::Options {
  void describe(phraseq::OptionTable&) override {}
};

class Loader final : public phraseq::DataLoader {
 public:
  Loader(const Settings&, const phraseq::DataLoaderSetup& setup) : setup_(setup) {}
  bool has_split(const std::string& split) const override;
  /// DataError when the sides have different numbers of lines.
  std::unique_ptr<phraseq::Corpus> open(const std::string& split, bool training) const override;

 private:
  std::string file(const std::string& split, const std::string& language) const;

  phraseq::DataLoaderSetup setup_;
};

}  // namespace @name@_plugin
