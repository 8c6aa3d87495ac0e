#include "core/embed/phraseq/phraseq.h"

#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "core/embed/phraseq/translate.h"

namespace api = phraseq::api;

struct phraseq_model {
  api::Model model;
};

struct phraseq_result {
  std::vector<api::Translation> translations;
  std::vector<std::string> texts;
};

namespace {

static_assert(sizeof(std::pair<int64_t, int64_t>) == 2 * sizeof(int64_t));

thread_local std::string last_error;

phraseq_status remember(phraseq_status status, const char* message) noexcept {
  try {
    last_error = message;
  } catch (...) {
    last_error.clear();
  }
  return status;
}

/// Runs `work`; what it throws becomes a status and the thread's last error.
template <class Work>
phraseq_status guarded(const Work& work) noexcept {
  try {
    last_error.clear();
    work();
    return PHRASEQ_OK;
  } catch (const api::Error& failure) {
    return remember(static_cast<phraseq_status>(failure.code()), failure.what());
  } catch (const std::bad_alloc&) {
    return remember(PHRASEQ_ERROR_IO, "out of memory");
  } catch (const std::exception& failure) {
    return remember(PHRASEQ_ERROR_INTERNAL, failure.what());
  } catch (...) {
    return remember(PHRASEQ_ERROR_INTERNAL, "an unknown exception was thrown");
  }
}

void require(bool condition, const char* problem) {
  if (!condition)
    throw api::Error(api::ErrorCode::kUsage, problem);
}

std::vector<std::string> strings_of(const char* const* strings, size_t count, const char* problem) {
  require(count == 0 || strings != nullptr, problem);
  std::vector<std::string> copies;
  for (size_t i = 0; i < count; ++i) {
    require(strings[i] != nullptr, problem);
    copies.emplace_back(strings[i]);
  }
  return copies;
}

/// For a caller that was compiled with an older, shorter struct, the later members are zero.
phraseq_options complete(const phraseq_options* given) {
  phraseq_options options{};
  if (given == nullptr)
    return options;
  require(given->size >= sizeof(size_t) && given->size <= sizeof(options),
          "phraseq_translate: options->size must be sizeof(phraseq_options)");
  std::memcpy(&options, given, given->size);
  return options;
}

api::TranslateOptions options_from(const phraseq_options* given, size_t texts) {
  const phraseq_options options = complete(given);
  require(options.split >= PHRASEQ_SPLIT_LONG && options.split <= PHRASEQ_SPLIT_NEVER,
          "phraseq_translate: options->split is not a phraseq_split");
  api::TranslateOptions converted;
  converted.nbest = options.nbest == 0 ? 1 : options.nbest;
  converted.alignment = options.alignment != 0;
  converted.split = static_cast<api::Split>(options.split);
  if (options.prefixes != nullptr)
    converted.prefixes = strings_of(options.prefixes, texts, "phraseq_translate: a prefix is null");
  return converted;
}

const api::Sentence* sentence_at(const phraseq_result* result, size_t text, size_t sentence) {
  if (result == nullptr || text >= result->translations.size())
    return nullptr;
  const auto& sentences = result->translations[text].sentences;
  return sentence < sentences.size() ? &sentences[sentence] : nullptr;
}

const api::Hypothesis* hypothesis_at(const phraseq_result* result,
                                     size_t text,
                                     size_t sentence,
                                     size_t rank) {
  const api::Sentence* found = sentence_at(result, text, sentence);
  return found != nullptr && rank < found->hypotheses.size() ? &found->hypotheses[rank] : nullptr;
}

double number_of(const api::Hypothesis* hypothesis, double api::Hypothesis::*number) {
  return hypothesis == nullptr ? std::numeric_limits<double>::quiet_NaN() : hypothesis->*number;
}

const char* text_at(const std::vector<std::string>& texts, size_t place) {
  return place < texts.size() ? texts[place].c_str() : nullptr;
}

}  // namespace

const char* phraseq_version(void) {
  static const std::string version = api::version();
  return version.c_str();
}

const char* phraseq_last_error(void) { return last_error.c_str(); }

phraseq_status phraseq_load(const char* path,
                            const char* const* options,
                            size_t count,
                            phraseq_model** model) {
  if (model != nullptr)
    *model = nullptr;
  return guarded([&] {
    require(path != nullptr && model != nullptr, "phraseq_load: path or model is null");
    auto words = strings_of(options, count, "phraseq_load: an option is null");
    *model = new phraseq_model{api::Model(path, words)};
  });
}

void phraseq_free_model(phraseq_model* model) { delete model; }

const char* phraseq_source_language(const phraseq_model* model) {
  return model == nullptr ? nullptr : model->model.source_language().c_str();
}

const char* phraseq_target_language(const phraseq_model* model) {
  return model == nullptr ? nullptr : model->model.target_language().c_str();
}

int64_t phraseq_max_source_tokens(const phraseq_model* model) {
  return model == nullptr ? 0 : model->model.max_source_tokens();
}

int64_t phraseq_max_nbest(const phraseq_model* model) {
  return model == nullptr ? 0 : model->model.max_nbest();
}

phraseq_status phraseq_translate(const phraseq_model* model,
                                 const char* const* texts,
                                 size_t count,
                                 const phraseq_options* options,
                                 phraseq_result** result) {
  if (result != nullptr)
    *result = nullptr;
  return guarded([&] {
    require(model != nullptr && result != nullptr, "phraseq_translate: model or result is null");
    auto made = std::make_unique<phraseq_result>();
    const auto sources = strings_of(texts, count, "phraseq_translate: a text is null");
    made->translations = model->model.translate(sources, options_from(options, count));
    for (const auto& translation : made->translations) made->texts.push_back(translation.text());
    *result = made.release();
  });
}

void phraseq_free_result(phraseq_result* result) { delete result; }

size_t phraseq_text_count(const phraseq_result* result) {
  return result == nullptr ? 0 : result->texts.size();
}

const char* phraseq_text(const phraseq_result* result, size_t text) {
  return text < phraseq_text_count(result) ? result->texts[text].c_str() : nullptr;
}

size_t phraseq_sentence_count(const phraseq_result* result, size_t text) {
  return text < phraseq_text_count(result) ? result->translations[text].sentences.size() : 0;
}

const char* phraseq_source(const phraseq_result* result, size_t text, size_t sentence) {
  const api::Sentence* found = sentence_at(result, text, sentence);
  return found == nullptr ? nullptr : found->source.c_str();
}

size_t phraseq_hypothesis_count(const phraseq_result* result, size_t text, size_t sentence) {
  const api::Sentence* found = sentence_at(result, text, sentence);
  return found == nullptr ? 0 : found->hypotheses.size();
}

const char* phraseq_hypothesis(const phraseq_result* result,
                               size_t text,
                               size_t sentence,
                               size_t rank) {
  const api::Hypothesis* found = hypothesis_at(result, text, sentence, rank);
  return found == nullptr ? nullptr : found->text.c_str();
}

double phraseq_score(const phraseq_result* result, size_t text, size_t sentence, size_t rank) {
  return number_of(hypothesis_at(result, text, sentence, rank), &api::Hypothesis::score);
}

double phraseq_log_probability(const phraseq_result* result,
                               size_t text,
                               size_t sentence,
                               size_t rank) {
  return number_of(hypothesis_at(result, text, sentence, rank), &api::Hypothesis::log_probability);
}

size_t phraseq_source_token_count(const phraseq_result* result, size_t text, size_t sentence) {
  const api::Sentence* found = sentence_at(result, text, sentence);
  return found == nullptr ? 0 : found->source_tokens.size();
}

const char* phraseq_source_token(const phraseq_result* result,
                                 size_t text,
                                 size_t sentence,
                                 size_t token) {
  const api::Sentence* found = sentence_at(result, text, sentence);
  return found == nullptr ? nullptr : text_at(found->source_tokens, token);
}

size_t phraseq_token_count(const phraseq_result* result,
                           size_t text,
                           size_t sentence,
                           size_t rank) {
  const api::Hypothesis* found = hypothesis_at(result, text, sentence, rank);
  return found == nullptr ? 0 : found->tokens.size();
}

const char* phraseq_token(
    const phraseq_result* result, size_t text, size_t sentence, size_t rank, size_t token) {
  const api::Hypothesis* found = hypothesis_at(result, text, sentence, rank);
  return found == nullptr ? nullptr : text_at(found->tokens, token);
}

const int64_t* phraseq_alignment(
    const phraseq_result* result, size_t text, size_t sentence, size_t rank, size_t* count) {
  const api::Hypothesis* found = hypothesis_at(result, text, sentence, rank);
  const bool some = found != nullptr && !found->alignment.empty();
  if (count != nullptr)
    *count = some ? found->alignment.size() : 0;
  return some ? &found->alignment.front().first : nullptr;
}
