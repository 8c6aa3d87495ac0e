#pragma once

#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace phraseq::fairseq {

/// The settings of a configuration for fairseq-hydra-train: groups of names and values.
class HydraSettings {
 public:
  /// Reads FOLDER/NAME.yaml and the files of its `defaults`, FOLDER/GROUP/NAME.yaml, in the order
  /// of Hydra 1.0: they replace the file's own values unless `_self_` follows them. Without such a
  /// file, `GROUP: NAME` or `GROUP: FOLDER/NAME` selects fairseq's component NAME. `choices` are
  /// further defaults, or replace those of the same groups. An empty `name`: there is no file.
  /// Throws IoError, FormatError, and UsageError for a group that fairseq does not have.
  HydraSettings(const std::string& folder,
                const std::string& name,
                const std::map<std::string, std::string>& choices);

  const std::string& file() const { return file_; }
  const nlohmann::json& groups() const { return groups_; }

  /// Applies `group.name=value`, with or without a `+` in front; a dictionary changes the names
  /// that it contains. `~group.name` removes a setting. Returns false if the argument has none of
  /// these forms.
  bool set(std::string_view argument);

  /// The value that `${group.name}` refers to; any other value unchanged. Throws UsageError if
  /// there is no such setting.
  nlohmann::json resolved(nlohmann::json value) const;

 private:
  nlohmann::json referred(const std::string& text) const;

  std::string file_;
  nlohmann::json groups_;
};

}  // namespace phraseq::fairseq
