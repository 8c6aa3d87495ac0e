#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace phraseq {

/// The keys of clients. The time that a comparison takes reveals nothing about them.
class ApiKeys {
 public:
  /// No keys: all clients are admitted.
  ApiKeys() = default;
  /// One key per line; empty lines and lines that begin with # are skipped. Throws DataError for a
  /// file without keys.
  explicit ApiKeys(const std::string& file);

  bool required() const { return !keys_.empty(); }
  bool contains(std::string_view key) const { return number_of(key) > 0; }
  /// The number of the key in the file, from 1; 0 = the file does not contain it.
  int64_t number_of(std::string_view key) const;

 private:
  std::vector<std::string> keys_;
};

}  // namespace phraseq
