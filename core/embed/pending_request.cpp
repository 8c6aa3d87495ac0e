#include "core/embed/pending_request.h"

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/embed/translation_engine.h"
#include "core/io/utf8.h"
#include "core/translate/translator.h"

namespace phraseq {
namespace {

void check_characters(const TextLayout& layout, const std::string& field) {
  for (const std::string& sentence : layout.sentences) {
    if (const auto fault = find_text_fault(sentence, ControlBytes::kReject))
      throw TranslationFailure(FailureReason::kBadInput, field, fault_text(sentence, *fault));
  }
}

/// Makes sentences of a request's texts.
class RequestEncoder {
 public:
  RequestEncoder(const TranslationEngine& engine, PendingRequest& pending)
      : engine_(engine), pending_(pending) {}

  void encode() {
    const auto& request = pending_.request;
    for (size_t text = 0; text < request.texts.size(); ++text) {
      field_ = field_place("text", text);
      layout_ = lay_out_lines(request.texts[text]);
      check_characters(layout_, field_);
      split();
      prefix_ = request.options.prefixes.empty() ? "" : request.options.prefixes[text];
      check_prefix(text);
      for (const std::string& sentence : layout_.sentences) {
        check_wanted();
        add_sentence(sentence, text);
      }
      check_prefix_is_used(text);
      pending_.layouts.push_back(std::move(layout_));
    }
    pending_.results.resize(pending_.sentences.size());
  }

 private:
  /// Also drops an abandoned request while it is being encoded.
  void check_wanted() const {
    if (pending_.is_abandoned())
      throw nobody_waits();
  }

  void split() {
    if (pending_.request.options.split == api::Split::kNever)
      return;
    TextLayout divided{{}, {layout_.gaps.front()}};
    for (size_t place = 0; place < layout_.sentences.size(); ++place) {
      check_wanted();
      append_layout(divided, parts_of(layout_.sentences[place]));
      divided.gaps.back() += layout_.gaps[place + 1];
    }
    layout_ = std::move(divided);
  }

  /// A line as one sentence or as several.
  TextLayout parts_of(const std::string& line) const {
    const bool always = pending_.request.options.split == api::Split::kAlways;
    if (always || is_too_long(engine_.encode(line, "", 0))) {
      TextLayout parts = lay_out_sentences(line, engine_.source_language());
      if (parts.sentences.size() > 1 || (always && !parts.sentences.empty()))
        return parts;
    }
    return {{line}, {"", ""}};
  }

  void check_prefix(size_t text) const {
    if (prefix_.empty())
      return;
    const auto layout = lay_out_lines(prefix_);
    const std::string field = field_place("prefix", text);
    check_characters(layout, field);
    if (layout.sentences.empty())
      throw TranslationFailure(
          FailureReason::kBadInput, field, "expected words, or \"\" for no prefix");
    if (layout.sentences.size() != 1 || layout.sentences.front() != prefix_)
      throw TranslationFailure(FailureReason::kBadInput, field, "expected one line");
  }

  void check_prefix_is_used(size_t text) const {
    if (!prefix_.empty())
      throw TranslationFailure(FailureReason::kBadInput,
                               field_place("prefix", text),
                               "the text has no sentence that it could begin");
  }

  bool is_too_long(const Example& example) const {
    return static_cast<int64_t>(example.source.size()) > engine_.max_source_tokens();
  }

  /// The prefix belongs to the first sentence that has words for the model.
  void add_sentence(const std::string& sentence, size_t text) {
    EngineSentence added{sentence, {}, pending_.request.options.nbest};
    const size_t number = pending_.sentences.size();
    try {
      added.example = engine_.encode(sentence, prefix_, static_cast<int64_t>(number));
    } catch (const DataError& failure) {
      const auto field = prefix_.empty() ? field_ : field_place("prefix", text);
      throw TranslationFailure(FailureReason::kBadInput, field, failure.message());
    }
    if (is_too_long(added.example))
      reject_length(added.example);
    if (!is_empty(added.example))
      prefix_.clear();
    (added.example.target.empty() ? pending_.plain : pending_.forced).push_back(number);
    pending_.sentences.push_back(std::move(added));
  }

  [[noreturn]] void reject_length(const Example& example) const {
    throw TranslationFailure(FailureReason::kTooLong,
                             field_,
                             fmt::format("a sentence has {} tokens, the model accepts at most {}",
                                         example.source.size(),
                                         engine_.max_source_tokens()));
  }

  const TranslationEngine& engine_;
  PendingRequest& pending_;
  TextLayout layout_;
  std::string field_;
  std::string prefix_;  ///< what no sentence has begun with yet
};

}  // namespace

TranslationFailure nobody_waits() {
  return TranslationFailure(FailureReason::kStopping, "", "nobody waits for the answer");
}

void encode_request(const TranslationEngine& engine, PendingRequest& pending) {
  RequestEncoder(engine, pending).encode();
}

TranslationAnswer answer_of(PendingRequest& pending) {
  TranslationAnswer answer;
  auto next = pending.results.begin();
  for (TextLayout& layout : pending.layouts) {
    api::Translation translation;
    const auto end = next + static_cast<std::ptrdiff_t>(layout.sentences.size());
    translation.sentences.assign(std::make_move_iterator(next), std::make_move_iterator(end));
    translation.gaps = std::move(layout.gaps);
    answer.translations.push_back(std::move(translation));
    next = end;
  }
  return answer;
}

}  // namespace phraseq
