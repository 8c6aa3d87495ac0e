#include "core/embed/translation_queue.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/signals.h"
#include "core/base/wording/counted.h"
#include "core/embed/text_layout.h"
#include "core/embed/translation_failure.h"
#include "core/io/utf8.h"

namespace phraseq {

namespace {

/// A request on its way: its texts laid out, its sentences encoded.
struct Pending {
  TranslationRequest request;
  TranslationQueue::Done done;
  std::vector<TextLayout> layouts = {};
  std::vector<EngineSentence> sentences = {};  ///< of all texts, in order
  std::vector<api::Sentence> results = {};     ///< of the sentences
  std::deque<size_t> plain = {}, forced = {};  ///< not yet translated: without and with a prefix
  size_t finished = 0;

  bool is_abandoned() const { return request.abandoned && request.abandoned->load(); }
  bool is_complete() const { return finished == sentences.size(); }
};

/// A sentence of a round.
struct Share {
  Pending* pending;
  size_t place;
};

/// What makes the sentences of a round: they are searched in the same way.
struct RoundKind {
  bool alignment = false;
  bool forced = false;

  /// Each kind in turn.
  RoundKind next() const { return {forced ? !alignment : alignment, !forced}; }
  /// The sentences of a request that a round of this kind takes; null where it takes none.
  std::deque<size_t>* places(Pending& pending) const {
    auto& left = forced ? pending.forced : pending.plain;
    const bool fits = pending.request.options.alignment == alignment && !left.empty();
    return fits ? &left : nullptr;
  }
};

TranslationFailure nobody_waits() {
  return TranslationFailure(FailureReason::kStopping, "", "nobody waits for the answer");
}

void check_characters(const TextLayout& layout, const std::string& field) {
  for (const std::string& sentence : layout.sentences) {
    const auto fault = find_text_fault(sentence, ControlBytes::kReject);
    if (!fault)
      continue;
    const bool control = fault->defect == TextDefect::kControl;
    throw TranslationFailure(
        FailureReason::kBadInput,
        field,
        fmt::format("{}{} ({})",
                    control ? "" : "invalid UTF-8: ",
                    to_string(fault->defect),
                    escape_bytes(std::string_view(sentence).substr(fault->offset, fault->length))));
  }
}

/// Makes sentences of a request's texts.
class Encoder {
 public:
  Encoder(const TranslationEngine& engine, Pending& pending) : engine_(engine), pending_(pending) {}

  void encode() {
    const auto& request = pending_.request;
    for (size_t text = 0; text < request.texts.size(); ++text) {
      field_ = field_place("text", text);
      layout_ = lay_out_lines(request.texts[text]);
      check_characters(layout_, field_);
      split();
      prefix_ = request.options.prefixes.empty() ? "" : request.options.prefixes[text];
      check_prefix(text);
      for (size_t place = 0; place < layout_.sentences.size(); ++place) {
        check_wanted();
        add_sentence(layout_.sentences[place], place == 0 ? prefix_ : "", text);
      }
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
    if (layout.sentences.size() != 1 || layout.sentences.front() != prefix_)
      throw TranslationFailure(FailureReason::kBadInput, field, "expected one line");
  }

  bool is_too_long(const Example& example) const {
    return static_cast<int64_t>(example.source.size()) > engine_.max_source_tokens();
  }

  void add_sentence(const std::string& sentence, const std::string& prefix, size_t text) {
    EngineSentence added{sentence, {}, pending_.request.options.nbest};
    const size_t number = pending_.sentences.size();
    try {
      added.example = engine_.encode(sentence, prefix, static_cast<int64_t>(number));
    } catch (const DataError& failure) {
      const auto field = prefix.empty() ? field_ : field_place("prefix", text);
      throw TranslationFailure(FailureReason::kBadInput, field, failure.message());
    }
    if (is_too_long(added.example))
      reject_length(added.example);
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
  Pending& pending_;
  TextLayout layout_;
  std::string field_, prefix_;
};

/// Puts the texts of a finished request together.
TranslationAnswer answer_of(Pending& pending) {
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

}  // namespace

struct TranslationQueue::State {
  std::unique_ptr<TranslationEngine> engine;
  int64_t max_waiting = 0;

  mutable std::mutex mutex;
  std::condition_variable arrived;
  std::vector<std::unique_ptr<Pending>> incoming;
  QueueFigures figures;
  bool stopping = false;

  std::list<std::unique_ptr<Pending>> active;  // the thread's own, oldest first
  RoundKind kind;                              // of the last round
  std::thread thread;

  void run();
  bool wait_for_work();
  void take_incoming();
  void finish(Pending& pending, TranslationAnswer answer);
  void fail(Pending& pending, std::exception_ptr failure);
  void drop_abandoned();
  void choose_kind();
  std::vector<Share> next_round();
  void translate_round(const std::vector<Share>& shares);
  void translate_apart(const std::vector<Share>& shares);
  void translate(const std::vector<Share>& shares);
  void answer_complete();
};

/// Until there is something to do; false at the end.
bool TranslationQueue::State::wait_for_work() {
  std::unique_lock lock(mutex);
  arrived.wait(lock, [this] { return stopping || !incoming.empty() || !active.empty(); });
  return !incoming.empty() || !active.empty();
}

void TranslationQueue::State::run() {
  block_signals_on_this_thread();
  engine->prepare_thread();
  while (wait_for_work()) {
    take_incoming();
    drop_abandoned();
    answer_complete();  // requests without sentences
    if (active.empty())
      continue;
    translate_round(next_round());
    answer_complete();
  }
}

void TranslationQueue::State::take_incoming() {
  std::vector<std::unique_ptr<Pending>> taken;
  {
    const std::lock_guard lock(mutex);
    taken.swap(incoming);
  }
  for (auto& pending : taken) {
    try {
      Encoder(*engine, *pending).encode();
      active.push_back(std::move(pending));
    } catch (...) {
      fail(*pending, std::current_exception());
    }
  }
}

void TranslationQueue::State::finish(Pending& pending, TranslationAnswer answer) {
  {
    const std::lock_guard lock(mutex);
    --figures.waiting;
  }
  pending.done(std::move(answer));
}

void TranslationQueue::State::fail(Pending& pending, std::exception_ptr failure) {
  finish(pending, {{}, std::move(failure)});
}

void TranslationQueue::State::drop_abandoned() {
  std::erase_if(active, [this](const std::unique_ptr<Pending>& pending) {
    if (!pending->is_abandoned())
      return false;
    fail(*pending, std::make_exception_ptr(nobody_waits()));
    return true;
  });
}

/// The next kind that has sentences; each active request has some left.
void TranslationQueue::State::choose_kind() {
  const auto has_places = [this](const auto& pending) { return kind.places(*pending) != nullptr; };
  do {
    kind = kind.next();
  } while (std::none_of(active.begin(), active.end(), has_places));
}

/// One sentence of each request in turn, all of one kind; the kinds take turns, too.
std::vector<Share> TranslationQueue::State::next_round() {
  choose_kind();
  std::vector<Share> shares;
  int64_t tokens = 0;
  bool found = true;
  while (found && tokens < engine->round_tokens()) {
    found = false;
    for (const auto& pending : active) {
      std::deque<size_t>* places = kind.places(*pending);
      if (places == nullptr)
        continue;
      const auto length =
          static_cast<int64_t>(pending->sentences[places->front()].example.source.size());
      if (!shares.empty() && tokens + length > engine->round_tokens())
        continue;
      shares.push_back({pending.get(), places->front()});
      places->pop_front();
      tokens += length;
      found = true;
    }
  }
  return shares;
}

void TranslationQueue::State::translate_round(const std::vector<Share>& shares) {
  try {
    translate(shares);
  } catch (...) {
    translate_apart(shares);
  }
}

/// After a failure: each request alone, so that only the one that causes it fails.
void TranslationQueue::State::translate_apart(const std::vector<Share>& shares) {
  std::vector<Pending*> failed;
  for (const auto& pending : active) {
    std::vector<Share> own;
    for (const Share& share : shares) {
      if (share.pending == pending.get())
        own.push_back(share);
    }
    try {
      if (!own.empty())
        translate(own);
    } catch (...) {
      fail(*pending, std::current_exception());
      failed.push_back(pending.get());
    }
  }
  std::erase_if(active, [&failed](const std::unique_ptr<Pending>& pending) {
    return std::find(failed.begin(), failed.end(), pending.get()) != failed.end();
  });
}

void TranslationQueue::State::translate(const std::vector<Share>& shares) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<EngineSentence> sentences;
  int64_t tokens = 0;
  for (const Share& share : shares) {
    sentences.push_back(share.pending->sentences[share.place]);
    tokens += static_cast<int64_t>(sentences.back().example.source.size());
  }
  auto results =
      engine->translate(std::move(sentences), shares.front().pending->request.options.alignment);
  for (size_t i = 0; i < shares.size(); ++i) {
    shares[i].pending->results[shares[i].place] = std::move(results[i]);
    ++shares[i].pending->finished;
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  const std::lock_guard lock(mutex);
  ++figures.rounds;
  figures.sentences += static_cast<int64_t>(shares.size());
  figures.source_tokens += tokens;
  figures.seconds += time.count();
}

void TranslationQueue::State::answer_complete() {
  std::erase_if(active, [this](const std::unique_ptr<Pending>& pending) {
    if (!pending->is_complete())
      return false;
    finish(*pending, answer_of(*pending));
    return true;
  });
}

TranslationQueue::TranslationQueue(std::unique_ptr<TranslationEngine> engine, int64_t max_waiting)
    : state_(new State) {
  state_->engine = std::move(engine);
  state_->max_waiting = max_waiting;
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

TranslationQueue::~TranslationQueue() { finish(); }

void TranslationQueue::finish() {
  if (!state_->thread.joinable())
    return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->arrived.notify_all();
  state_->thread.join();
}

const TranslationEngine& TranslationQueue::engine() const { return *state_->engine; }

void TranslationQueue::submit(TranslationRequest request, Done done) {
  const auto& options = request.options;
  const int64_t most = engine().max_nbest();
  if (options.nbest < 1 || options.nbest > most) {
    throw TranslationFailure(FailureReason::kBadInput,
                             "nbest",
                             fmt::format("{} is out of range: 1 to {}", options.nbest, most));
  }
  if (!options.prefixes.empty() && options.prefixes.size() != request.texts.size()) {
    throw TranslationFailure(
        FailureReason::kBadInput,
        "prefix",
        fmt::format("expected one for each text, found {} for {}",
                    counted(static_cast<int64_t>(options.prefixes.size()), "prefix"),
                    counted(static_cast<int64_t>(request.texts.size()), "text")));
  }
  const std::lock_guard lock(state_->mutex);
  if (state_->max_waiting > 0 && state_->figures.waiting >= state_->max_waiting)
    throw TranslationFailure(FailureReason::kQueueFull, "", "too many requests are waiting");
  ++state_->figures.waiting;
  state_->incoming.push_back(
      std::make_unique<Pending>(Pending{std::move(request), std::move(done)}));
  state_->arrived.notify_one();
}

QueueFigures TranslationQueue::figures() const {
  const std::lock_guard lock(state_->mutex);
  return state_->figures;
}

}  // namespace phraseq
