#include "core/conformance/tokenizer_suite.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/text_fields.h"
#include "core/conformance/fixtures/threads_agree.h"
#include "core/io/mapping/mapped_file.h"
#include "core/text/tokenizer.h"

namespace phraseq::conformance {
namespace {

using Symbols = std::vector<std::string>;

const std::vector<std::string>& lines() {
  static const std::vector<std::string> kLines = {"Two men stand at the stove .",
                                                  "Ein Mädchen klettert in ein Haus.",
                                                  "两名工人正乘坐在一台设备上。",
                                                  "Tên biến có thể chứa dấu cách",
                                                  "1,234.5 km/h (30 %)",
                                                  "two  blanks",
                                                  "a\ttab",
                                                  "x"};
  return kLines;
}

std::unique_ptr<Tokenizer> make(const Selection& selection, const TrialData& data) {
  TokenizerSetup setup;
  if (!data.model.empty())
    setup = {read_file(data.model), data.model};
  try {
    return create<Tokenizer>(selection, setup);
  } catch (const Error& failure) {
    if (!data.model.empty())
      throw;
    throw NotApplicable(
        fmt::format("it cannot be created without a model ({}): give one with --model FILE",
                    failure.message()));
  }
}

Findings symbols_are_words(const Selection& selection, const TrialData& data) {
  Findings findings;
  const auto tokenizer = make(selection, data);
  for (const std::string& line : lines()) {
    const Symbols symbols = tokenizer->encode(line);
    if (symbols.empty())
      findings.push_back(fmt::format("'{}' has no symbols", line));
    for (const std::string& symbol : symbols) {
      if (symbol.empty() || symbol.find_first_of(" \t\n\r") != std::string::npos)
        findings.push_back(
            fmt::format("'{}' has the symbol '{}': dictionaries accept only symbols that are not "
                        "empty and contain no whitespace",
                        line,
                        symbol));
    }
  }
  return findings;
}

Findings empty_lines(const Selection& selection, const TrialData& data) {
  const auto tokenizer = make(selection, data);
  Findings findings;
  if (const Symbols symbols = tokenizer->encode(""); !symbols.empty())
    findings.push_back(fmt::format("it has the symbols '{}'", fmt::join(symbols, " ")));
  if (const std::string text = tokenizer->decode({}); !text.empty())
    findings.push_back(fmt::format("an empty list of symbols is decoded to '{}'", text));
  return findings;
}

Findings tokenized_text_comes_back(const Selection& selection, const TrialData& data) {
  Findings findings;
  const auto tokenizer = make(selection, data);
  for (const std::string& line : lines()) {
    const Symbols symbols = tokenizer->encode(line);
    const std::string text = tokenizer->decode(symbols);
    if (tokenizer->decode(tokenizer->encode(text)) != text) {
      findings.push_back(fmt::format("'{}' is decoded as '{}', which is then decoded as '{}'",
                                     line,
                                     text,
                                     tokenizer->decode(tokenizer->encode(text))));
    }
  }
  return findings;
}

Findings sampling(const Selection& selection, const TrialData& data) {
  Findings findings;
  const auto tokenizer = make(selection, data);
  for (const std::string& line : lines()) {
    const Symbols sampled = tokenizer->sample(line, 3);
    if (tokenizer->sample(line, 3) != sampled)
      findings.push_back(
          fmt::format("'{}': the same seed gives different symbols the second time", line));
    if (tokenizer->decode(sampled) != tokenizer->decode(tokenizer->encode(line)))
      findings.push_back(fmt::format(
          "'{}' is sampled as '{}', which is a different text", line, fmt::join(sampled, " ")));
  }
  return findings;
}

Findings model_makes_it_again(const Selection& selection, const TrialData& data) {
  const auto tokenizer = make(selection, data);
  const auto again =
      create<Tokenizer>(selection, TokenizerSetup{tokenizer->model(), "the result of model()"});
  for (const std::string& line : lines()) {
    if (again->encode(line) != tokenizer->encode(line))
      return {
          fmt::format("restored from model(), it encodes '{}' differently: a checkpoint stores "
                      "nothing but these bytes",
                      line)};
  }
  return {};
}

Findings tokenized_from_threads(const Selection& selection, const TrialData& data) {
  constexpr int kRounds = 300;
  const auto tokenizer = make(selection, data);
  const auto there_and_back = [&](size_t i) {
    const Symbols symbols = tokenizer->encode(lines()[i]);
    return std::make_pair(symbols, tokenizer->decode(symbols));
  };
  if (threads_agree(lines().size(), kRounds, there_and_back))
    return {};
  return {
      "threads that encode different lines concurrently get different results than a single "
      "thread: encode() and decode() may not write to members"};
}

/// Letters and digits of ASCII, in lower case.
std::string plain_letters(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    if (is_ascii_letter(c) || is_ascii_digit(c))
      letters += c;
  }
  return to_ascii_lowercase(letters);
}

/// Case, blanks and punctuation may change (a tokenizer may normalize), letters may not.
Findings letters_come_back(const Selection& selection, const TrialData& data) {
  Findings findings;
  const auto tokenizer = make(selection, data);
  for (const char* line : {"two men stand at the stove", "no 17 of 204 houses"}) {
    const std::string text = tokenizer->decode(tokenizer->encode(line));
    if (plain_letters(text) != plain_letters(line)) {
      findings.push_back(fmt::format(
          "'{}' is decoded as '{}': decode() must restore the text of encode(), because "
          "translations are decoded text",
          line,
          text));
    }
  }
  return findings;
}

}  // namespace

std::vector<Check> tokenizer_suite(const Selection& selection, const TrialData& data) {
  const auto check = check_maker(selection, data);
  return {check("symbols are valid in a dictionary", symbols_are_words),
          check("an empty line has no symbols", empty_lines),
          check("decoding is idempotent", tokenized_text_comes_back),
          check("decoding restores the letters of the text", letters_come_back),
          check("sampling depends on its seed and preserves the text", sampling),
          check("the stored model restores the same tokenizer", model_makes_it_again),
          check("threads can encode concurrently", tokenized_from_threads)};
}

}  // namespace phraseq::conformance
