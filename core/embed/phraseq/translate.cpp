#include "core/embed/phraseq/translate.h"

#include <algorithm>
#include <future>
#include <new>
#include <unistd.h>

#include "core/base/error.h"
#include "core/embed/engine_setup.h"
#include "core/embed/translation_queue.h"
#include "core/options/command_line.h"
#include "phraseq/abi_stamp.h"

namespace phraseq::api {
namespace {

/// Runs `work`; what it throws comes as the interface's Error.
template <class Work>
auto with_public_errors(const Work& work) {
  try {
    return work();
  } catch (const Error&) {
    throw;
  } catch (const phraseq::Error& failure) {
    throw Error(static_cast<ErrorCode>(failure.exit_code()), failure.what());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& failure) {
    throw Error(ErrorCode::kInternal, failure.what());
  }
}

/// LibTorch sets OpenMP's number of threads for the thread that calls it first, so the caller's
/// thread must not be the one.
template <class Work>
void on_another_thread(const Work& work) {
  std::async(std::launch::async, work).get();
}

/// LibTorch's threads are those of the process that loaded the first model.
void require_no_fork() {
  static const pid_t first = ::getpid();
  if (first != ::getpid())
    throw UsageError("a model cannot be loaded in the child of a process that has loaded one",
                     "Load the first model after fork().");
}

/// A program has no --help.
void parse_model_options(EngineSetup& setup, const std::vector<std::string>& options) {
  OptionTable table;
  setup.describe(table);
  try {
    parse_command_line(table, options, [&setup] { return setup.problems(); });
  } catch (const UsageError& failure) {
    throw UsageError(failure.message(), "phraseq generate --help lists the options.");
  }
}

std::unique_ptr<EngineSetup> set_up(const std::vector<std::string>& options) {
  if (peek_flag(options, "help") || peek_flag(options, "version"))
    throw UsageError("--help and --version are not options of a model");
  auto setup = std::make_unique<EngineSetup>(options);
  parse_model_options(*setup, options);
  setup->finish();
  return setup;
}

}  // namespace

std::string Translation::text(size_t rank) const {
  std::string text = gaps.empty() ? "" : gaps.front();
  for (size_t i = 0; i < sentences.size(); ++i) {
    const auto& hypotheses = sentences[i].hypotheses;
    if (!hypotheses.empty())
      text += hypotheses[std::min(rank, hypotheses.size() - 1)].text;
    text += gaps[i + 1];
  }
  return text;
}

struct Model::Parts {
  Parts() = default;
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;
  /// In a child of fork(), the thread of the queue is not there, and would be waited for forever.
  ~Parts() {
    if (!is_forked_child())
      return;
    static_cast<void>(queue.release());
    static_cast<void>(setup.release());
  }

  bool is_forked_child() const { return process != ::getpid(); }

  std::unique_ptr<EngineSetup> setup;
  std::unique_ptr<TranslationQueue> queue;  // ends before the setup
  pid_t process = ::getpid();
};

Model::Model(const std::string& path, const std::vector<std::string>& options) : parts_(new Parts) {
  with_public_errors([&] {
    require_no_fork();
    on_another_thread([&] {
      parts_->setup = set_up(options);
      parts_->queue =
          std::make_unique<TranslationQueue>(parts_->setup->load(path), /*max_waiting=*/0);
    });
  });
}

Model::~Model() = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;

std::vector<Translation> Model::translate(const std::vector<std::string>& texts,
                                          const TranslateOptions& options) const {
  if (parts_->is_forked_child())
    throw Error(ErrorCode::kUsage, "the model was loaded before fork(): load it after fork()");
  return with_public_errors([&] {
    auto promise = std::make_shared<std::promise<TranslationAnswer>>();
    auto answer = promise->get_future();
    parts_->queue->submit({texts, options},
                          [promise](TranslationAnswer got) { promise->set_value(std::move(got)); });
    TranslationAnswer got = answer.get();
    if (got.failure)
      std::rethrow_exception(got.failure);
    return std::move(got.translations);
  });
}

std::string Model::translate(const std::string& text) const {
  return translate(std::vector<std::string>{text}).front().text();
}

const std::string& Model::source_language() const {
  return parts_->queue->engine().source_language();
}
const std::string& Model::target_language() const {
  return parts_->queue->engine().target_language();
}
int64_t Model::max_source_tokens() const { return parts_->queue->engine().max_source_tokens(); }
int64_t Model::max_nbest() const { return parts_->queue->engine().max_nbest(); }

std::string version() { return PHRASEQ_VERSION; }

}  // namespace phraseq::api
