#pragma once

// A reader of XML that is small enough to trust. It only checks whether a picture is well-formed.

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace phraseq::testing_support {

/// Walks over elements, attributes and text; `fault` returns the first error, or an empty string.
class XmlCheck {
 public:
  explicit XmlCheck(std::string_view text) : text_(text) {}

  std::string fault() {
    if (text_.starts_with("<?xml "))
      position_ = text_.find("?>") + 2;
    skip_space();
    while (position_ < text_.size()) {
      const bool good = peek('<') ? tag() : characters();
      if (!good)
        return "at byte " + std::to_string(position_) + ": " +
               std::string(text_.substr(position_, 40));
    }
    return open_.empty() && roots_ == 1 ? "" : "elements are open at the end, or no single root";
  }

 private:
  bool peek(char byte) const { return position_ < text_.size() && text_[position_] == byte; }
  bool take(char byte) { return peek(byte) && ++position_ > 0; }
  void skip_space() {
    while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_])))
      ++position_;
  }
  std::string name() {
    const size_t begin = position_;
    while (position_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[position_])) || peek(':') || peek('-')))
      ++position_;
    return std::string(text_.substr(begin, position_ - begin));
  }

  /// Entities such as `&amp;`.
  bool entity() {
    for (const std::string_view known : {"&amp;", "&lt;", "&gt;", "&quot;"}) {
      if (text_.substr(position_).starts_with(known)) {
        position_ += known.size();
        return true;
      }
    }
    return false;
  }

  bool characters() {
    while (position_ < text_.size() && !peek('<')) {
      const auto byte = static_cast<unsigned char>(text_[position_]);
      if (open_.empty() && !std::isspace(byte))
        return false;
      if (peek('>') || (byte < 0x20 && byte != '\n' && byte != '\t'))
        return false;
      if (!peek('&'))
        ++position_;
      else if (!entity())
        return false;
    }
    return true;
  }

  bool attribute(std::vector<std::string>& seen) {
    const std::string key = name();
    for (const auto& other : seen) {
      if (other == key)
        return false;
    }
    seen.push_back(key);
    if (key.empty() || !take('=') || !take('"'))
      return false;
    while (position_ < text_.size() && !peek('"')) {
      if (peek('<'))
        return false;
      if (!peek('&'))
        ++position_;
      else if (!entity())
        return false;
    }
    return take('"');
  }

  bool tag() {
    take('<');
    if (take('/')) {
      const bool matches = !open_.empty() && name() == open_.back();
      if (matches)
        open_.pop_back();
      return matches && take('>');
    }
    roots_ += open_.empty() ? 1 : 0;
    const std::string element = name();
    std::vector<std::string> attributes;
    for (skip_space(); !peek('/') && !peek('>'); skip_space()) {
      if (!attribute(attributes))
        return false;
    }
    if (!take('/'))
      open_.push_back(element);
    return !element.empty() && take('>');
  }

  std::string_view text_;
  size_t position_ = 0;
  int roots_ = 0;
  std::vector<std::string> open_;
};

}  // namespace phraseq::testing_support
