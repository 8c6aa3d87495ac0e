#pragma once

#include <string>
#include <vector>

#include "core/base/api.h"
#include "core/text/dictionary.h"

namespace phraseq {

class DataFolder;

/// The remedy if the folders of A:B:C do not agree.
inline constexpr const char* kPreprocessAlike =
    "Preprocess all folders with the --srcdict, --tgtdict and --subword-model of the first.";

/// The folders that DATA names, separated by colons as in fairseq, at least one. If DATA as a whole
/// is an existing path, it is one folder, whatever its name contains. Throws UsageError for an
/// empty part.
PHRASEQ_API std::vector<std::string> data_folders(const std::string& data);

/// The splits that --train-subset names, separated by commas; `has` says which a folder has. One
/// name also includes its numbered parts, train1, train2 …, as in fairseq; several names are taken
/// as they are. Throws UsageError for an empty or repeated name.
template <class Has>
std::vector<std::string> training_splits(const std::string& subset, const Has& has);

/// Where two dictionaries differ: "120 symbols, expected 118; the first difference is id 17: 'cat',
/// expected 'dog'".
PHRASEQ_API std::string dictionary_difference(const Dictionary& found, const Dictionary& expected);

/// Throws DataError if the dictionary of a language in a further folder of A:B:C differs from that
/// of the `first` one: the ids would have different meanings.
PHRASEQ_API void require_same_dictionary(const DataFolder& further,
                                         const std::string& language,
                                         const Dictionary& expected,
                                         const std::string& first);

/// The names in the value of an option, separated by commas, as they were given. Throws UsageError
/// for an empty or repeated name.
PHRASEQ_API std::vector<std::string> listed_splits(const std::string& option,
                                                   const std::string& subset);

template <class Has>
std::vector<std::string> training_splits(const std::string& subset, const Has& has) {
  std::vector<std::string> splits = listed_splits("train-subset", subset);
  if (splits.size() > 1)
    return splits;
  for (int number = 1; has(subset + std::to_string(number)); ++number)
    splits.push_back(subset + std::to_string(number));
  return splits;
}

}  // namespace phraseq
