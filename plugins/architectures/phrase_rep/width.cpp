#include "plugins/architectures/phrase_rep/width.h"

#include "core/base/text_fields.h"

namespace phraseq::phrase_rep {
namespace {

/// Parses "3d" or "1536"; 0 if the text is neither or the number is too large.
int64_t parse_one(std::string_view text, int64_t model) {
  int64_t factor = 1;
  if (text.ends_with('d')) {
    text.remove_suffix(1);
    factor = model;
    if (text.empty())
      return factor <= kMaxWidth ? factor : 0;
  }
  const int64_t number = number_in<int64_t>(text).value_or(0);
  return number > 0 && number <= kMaxWidth / factor ? number * factor : 0;
}

}  // namespace

std::optional<Widths> parse_widths(std::string_view text,
                                   int64_t encoder_model,
                                   int64_t decoder_model) {
  const size_t comma = text.find(',');
  const std::string_view encoder = text.substr(0, comma);
  const std::string_view decoder =
      comma == std::string_view::npos ? encoder : text.substr(comma + 1);
  const Widths widths{parse_one(encoder, encoder_model), parse_one(decoder, decoder_model)};
  if (widths.encoder == 0 || widths.decoder == 0)
    return std::nullopt;
  return widths;
}

}  // namespace phraseq::phrase_rep
