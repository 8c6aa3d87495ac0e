#include "core/embed/translation_queue.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <new>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/embed/translation_failure.h"

namespace phraseq {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

/// What a test observes and controls in its engine.
struct Control {
  std::promise<void> entered;
  std::promise<void> may_go;
  std::mutex mutex;
  std::vector<std::vector<std::string>> rounds;
  std::atomic<bool> has_memory = true;
};

/// "Translates" a sentence to itself in angle brackets, with one token per character. The first
/// round waits for the test.
class FakeEngine : public TranslationEngine {
 public:
  explicit FakeEngine(std::shared_ptr<Control> control) : control_(std::move(control)) {}

  const std::string& path() const override { return text_; }
  const std::string& source_language() const override { return text_; }
  const std::string& target_language() const override { return text_; }
  int64_t max_source_tokens() const override { return 12; }
  int64_t max_nbest() const override { return 2; }
  int64_t round_tokens() const override {
    if (!control_->has_memory.exchange(true))
      throw std::bad_alloc();
    return 6;
  }
  void prepare_thread() const override {}

  Example encode(const std::string& sentence,
                 const std::string& prefix,
                 int64_t id) const override {
    Example example;
    example.id = id;
    example.source.assign(sentence.size(), 7);
    example.target.assign(prefix.size(), 8);
    return example;
  }

  std::vector<api::Sentence> translate(std::vector<EngineSentence> sentences,
                                       bool /*alignment*/) override {
    std::vector<std::string> sources;
    for (const auto& sentence : sentences) sources.push_back(sentence.source);
    wait_in_first_round();
    if (std::find(sources.begin(), sources.end(), "bad") != sources.end())
      throw std::runtime_error("no");
    {
      const std::lock_guard lock(control_->mutex);
      control_->rounds.push_back(sources);
    }
    std::vector<api::Sentence> results;
    for (const auto& source : sources) results.push_back({source, {}, {{"<" + source + ">"}}});
    return results;
  }

 private:
  void wait_in_first_round() {
    if (!first_)
      return;
    first_ = false;
    control_->entered.set_value();
    control_->may_go.get_future().wait();
  }

  std::shared_ptr<Control> control_;
  std::string text_ = "en";
  bool first_ = true;
};

class TranslationQueueTest : public ::testing::Test {
 protected:
  std::future<TranslationAnswer> submit(std::vector<std::string> texts,
                                        api::TranslateOptions options = {}) {
    return submit({std::move(texts), std::move(options)});
  }
  std::future<TranslationAnswer> submit(TranslationRequest request) {
    auto promise = std::make_shared<std::promise<TranslationAnswer>>();
    auto answer = promise->get_future();
    queue_->submit(std::move(request),
                   [promise](TranslationAnswer got) { promise->set_value(std::move(got)); });
    return answer;
  }
  /// Submits a request whose translation lasts until `go`.
  std::future<TranslationAnswer> submit_first() {
    auto first = submit({"first"});
    control_->entered.get_future().wait();
    return first;
  }
  void go() { control_->may_go.set_value(); }

  static std::string text_of(std::future<TranslationAnswer>& answer) {
    const TranslationAnswer got = answer.get();
    return got.failure ? "failed" : got.translations.at(0).text();
  }

  std::shared_ptr<Control> control_ = std::make_shared<Control>();
  std::unique_ptr<TranslationQueue> queue_ =
      std::make_unique<TranslationQueue>(std::make_unique<FakeEngine>(control_), 4);
};

TEST_F(TranslationQueueTest, TranslatesTogetherWhatWaitsTogetherOneSentenceOfEachInTurn) {
  auto first = submit_first();
  auto longer = submit({"a1\n\na2\na3"});
  auto other = submit({"b1"});
  go();
  EXPECT_EQ(text_of(longer), "<a1>\n\n<a2>\n<a3>");
  EXPECT_EQ(text_of(other), "<b1>");
  EXPECT_THAT(control_->rounds,
              ElementsAre(ElementsAre("first"), ElementsAre("a1", "b1", "a2"), ElementsAre("a3")));
  EXPECT_EQ(queue_->figures().rounds, 3);
  EXPECT_EQ(queue_->figures().sentences, 5);
}

TEST_F(TranslationQueueTest, FailsTheWaitingRequestsWhenMemoryRunsOutBetweenTranslations) {
  auto first = submit_first();
  auto second = submit({"a\nb"}), third = submit({"c"});
  control_->has_memory = false;
  go();
  EXPECT_EQ(text_of(first), "<first>");
  EXPECT_EQ(text_of(second), "failed");
  EXPECT_EQ(text_of(third), "failed");
  auto later = submit({"d"});
  EXPECT_EQ(text_of(later), "<d>");
}

TEST_F(TranslationQueueTest, KeepsDifferentSearchesApart) {
  auto first = submit_first();
  auto plain = submit({"p"});
  api::TranslateOptions options;
  options.alignment = true;
  auto aligned = submit({"a"}, options);
  options = {};
  options.prefixes = {"x"};
  auto forced = submit({"f\ng"}, options);
  go();
  EXPECT_EQ(text_of(forced), "<f>\n<g>");
  aligned.wait();
  EXPECT_THAT(
      control_->rounds,
      ElementsAre(ElementsAre("first"), ElementsAre("f"), ElementsAre("a"), ElementsAre("p", "g")));
}

TEST_F(TranslationQueueTest, DoesNotLetALongRequestDelayThoseWithAnotherSearch) {
  auto first = submit_first();
  auto longer = submit({"aaaaaa\nbbbbbb\ncccccc"});
  api::TranslateOptions options;
  options.alignment = true;
  auto aligned = submit({"dddddd\neeeeee"}, options);
  options.prefixes = {"x"};
  auto both = submit({"f"}, options);
  go();
  EXPECT_EQ(text_of(longer), "<aaaaaa>\n<bbbbbb>\n<cccccc>");
  EXPECT_EQ(text_of(aligned), "<dddddd>\n<eeeeee>");
  EXPECT_EQ(text_of(both), "<f>");
  EXPECT_THAT(control_->rounds,
              ElementsAre(ElementsAre("first"),
                          ElementsAre("dddddd"),
                          ElementsAre("f"),
                          ElementsAre("aaaaaa"),
                          ElementsAre("eeeeee"),
                          ElementsAre("bbbbbb"),
                          ElementsAre("cccccc")));
}

TEST_F(TranslationQueueTest, FailsOnlyTheRequestThatCannotBeTranslated) {
  auto first = submit_first();
  auto good = submit({"g"});
  auto bad = submit({"bad"});
  auto fine = submit({"f"});
  go();
  EXPECT_EQ(text_of(good), "<g>");
  EXPECT_EQ(text_of(bad), "failed");
  EXPECT_EQ(text_of(fine), "<f>");
}

TEST_F(TranslationQueueTest, RefusesMoreThanMayWait) {
  auto first = submit_first();
  std::vector<std::future<TranslationAnswer>> waiting;
  for (int i = 0; i < 3; ++i) waiting.push_back(submit({"w"}));
  try {
    submit({"too many"});
    FAIL();
  } catch (const TranslationFailure& failure) {
    EXPECT_EQ(failure.reason(), FailureReason::kQueueFull);
  }
  go();
  for (auto& answer : waiting) EXPECT_EQ(text_of(answer), "<w>");
}

TEST_F(TranslationQueueTest, AnswersWhatItAcceptedBeforeItEnds) {
  auto first = submit_first();
  auto second = submit({"second"});
  go();
  queue_.reset();
  EXPECT_EQ(text_of(first), "<first>");
  EXPECT_EQ(text_of(second), "<second>");
}

TEST_F(TranslationQueueTest, SkipsRequestsThatNobodyWaitsFor) {
  auto first = submit_first();
  const auto abandoned = std::make_shared<std::atomic<bool>>(true);
  auto left = submit(TranslationRequest{{"left"}, {}, abandoned});
  auto last = submit({"last"});
  go();
  EXPECT_EQ(text_of(left), "failed");
  EXPECT_EQ(text_of(last), "<last>");
  EXPECT_THAT(control_->rounds, ElementsAre(ElementsAre("first"), ElementsAre("last")));
}

TEST_F(TranslationQueueTest, NamesTheTextThatIsWrong) {
  go();
  const auto message_of = [this](const std::string& text, api::Split split) {
    api::TranslateOptions options;
    options.split = split;
    const TranslationAnswer answer = submit({"fine", text}, options).get();
    try {
      std::rethrow_exception(answer.failure);
    } catch (const TranslationFailure& failure) {
      return std::string(failure.message());
    }
  };
  EXPECT_EQ(message_of("a\xFF", api::Split::kLong),
            "text[1]: invalid UTF-8: byte that is never in UTF-8 (0xFF)");
  EXPECT_EQ(message_of("0123456789. 012", api::Split::kNever),
            "text[1]: a sentence has 15 tokens, the model accepts at most 12");
  EXPECT_EQ(message_of("0123456789.0123", api::Split::kLong),
            "text[1]: a sentence has 15 tokens, the model accepts at most 12");
}

TEST_F(TranslationQueueTest, SplitsOnlyLinesThatAreTooLongUnlessTold) {
  go();
  const std::string text = "One. Two. Three.\nA. B.";
  auto answer = submit({text});
  EXPECT_EQ(text_of(answer), "<One.> <Two.> <Three.>\n<A. B.>");
  api::TranslateOptions always;
  always.split = api::Split::kAlways;
  answer = submit({text}, always);
  EXPECT_EQ(text_of(answer), "<One.> <Two.> <Three.>\n<A.> <B.>");
}

TEST_F(TranslationQueueTest, SplitsManyLinesAndKeepsThoseWithoutWords) {
  go();
  std::string text, expected;
  for (int i = 0; i < 2000; ++i) {
    text += " A. B. \n \n";
    expected += " <A.> <B.> \n \n";
  }
  api::TranslateOptions always;
  always.split = api::Split::kAlways;
  auto answer = submit({text}, always);
  EXPECT_EQ(text_of(answer), expected);
}

TEST_F(TranslationQueueTest, RefusesOptionsOutOfRange) {
  go();
  api::TranslateOptions options;
  options.nbest = 3;
  EXPECT_THROW(submit({"a"}, options), TranslationFailure);
  options.nbest = 2;
  options.prefixes = {"one", "two"};
  EXPECT_THROW(submit({"a"}, options), TranslationFailure);
  options.prefixes.clear();
  options.split = static_cast<api::Split>(3);
  EXPECT_THROW(submit({"a"}, options), TranslationFailure);
}

}  // namespace
}  // namespace phraseq
