#pragma once

#include <string>

#include "core/base/api.h"
#include "core/options/option_table.h"
#include "core/plugin/plugin_options.h"

namespace phraseq {

/// The data and the components of a run. The components describe their own options.
struct PHRASEQ_API ComponentOptions : Options {
  std::string data;                    ///< one or several folders: A:B:C
  std::string train_subset = "train";  ///< one or several splits: train,extra
  std::string arch;                    ///< architecture or preset
  std::string task = "translation";
  std::string criterion = "cross_entropy";
  std::string optimizer = "adam";
  std::string lr_scheduler = "inverse_sqrt";
  std::string metric = "bleu";  ///< for --eval-bleu
  PluginOptions plugins;
  void describe(OptionTable& table) override;
};

}  // namespace phraseq
