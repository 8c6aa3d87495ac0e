#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace phraseq {

/// The words of a person's name, a frequent given name and one or two surnames, that begins at this
/// word; 0 if there is none. Other capitalized words are titles, labels and names of things as
/// often as names of persons, and German translates those.
size_t personal_name_length(std::span<const std::string> words, size_t begin);

}  // namespace phraseq
