#include "core/serve/serve_run.h"

#include <algorithm>
#include <csignal>
#include <future>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/signals.h"
#include "core/serve/access_log.h"
#include "core/serve/api_keys.h"
#include "core/serve/model_pool.h"
#include "core/serve/service.h"

namespace phraseq {
namespace {

/// Blocks SIGHUP, and SIGTERM and SIGINT unless the caller ignores them, until `wait` takes them:
/// on this thread and on the threads that it starts.
class WaitingSignals {
 public:
  WaitingSignals() = default;
  /// Forgets signals that have arrived since: they must not end a program that has stopped already.
  ~WaitingSignals() {
    const timespec none = {};
    while (sigtimedwait(&set_, nullptr, &none) > 0) {
    }
  }
  WaitingSignals(const WaitingSignals&) = delete;
  WaitingSignals& operator=(const WaitingSignals&) = delete;

  int wait() const {
    int number = 0;
    while (sigwait(&set_, &number) != 0) {
    }
    return number;
  }
  /// Restores the calling thread's earlier treatment of the signals.
  void take_as_before() const { pthread_sigmask(SIG_SETMASK, &blocked_.earlier_mask(), nullptr); }

 private:
  static sigset_t stop_signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGHUP);
    add_unless_ignored(set, {SIGTERM, SIGINT});  // shells ignore SIGINT for background jobs
    return set;
  }

  sigset_t set_ = stop_signals();
  SignalsBlocked blocked_{set_};
};

/// While it exists, the signals act as usual and end the program, on a separate thread.
class SignalsAsBefore {
 public:
  explicit SignalsAsBefore(const WaitingSignals& signals)
      : thread_([this, &signals] {
          signals.take_as_before();
          ended_.wait();
        }) {}
  ~SignalsAsBefore() {
    end_.set_value();
    thread_.join();
  }
  SignalsAsBefore(const SignalsAsBefore&) = delete;
  SignalsAsBefore& operator=(const SignalsAsBefore&) = delete;

 private:
  std::promise<void> end_;
  std::future<void> ended_ = end_.get_future();
  std::thread thread_;  // last: it uses the other members
};

void reload_keys(Service& service) {
  try {
    service.reload_keys();
  } catch (const std::exception& failure) {
    log_error(fmt::format("The API keys were not read again, the old keys stay valid: {}",
                          failure.what()));
  }
}

void reopen_access_log(Service& service) {
  try {
    service.reopen_access_log();
  } catch (const std::exception& failure) {
    log_error(fmt::format("The access log was not opened again: {}", failure.what()));
  }
}

void reload_models(ModelPool& models, ServerMetrics& metrics) {
  try {
    models.reload();
    metrics.count_reload(/*succeeded=*/true);
    log_info("Loaded the models again");
  } catch (const std::exception& failure) {
    metrics.count_reload(/*succeeded=*/false);
    log_error(fmt::format("The models were not loaded again, the old models remain in use: {}",
                          failure.what()));
  }
}

/// The address without the brackets that it has in a URL: "::1" for "[::1]".
std::string without_brackets(const std::string& host) {
  return host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : host;
}

void warn_of_open_server(const ServeOptions& options) {
  const std::string& host = options.host;
  const bool local = host == "localhost" || host == "::1" || host.starts_with("127.") ||
                     host.starts_with("::ffff:127.");
  if (!local && options.api_keys.empty())
    log_warning(
        fmt::format("--host {}: other machines can use this server without a key; --api-keys FILE "
                    "makes keys required",
                    host));
}

/// Finds files that cannot be used before the models are loaded, which takes longer.
void check_files(const ServeOptions& options) {
  const AccessLog log(options.access_log);
  if (!options.api_keys.empty())
    const ApiKeys keys(options.api_keys);
}

/// Warns of models that /translate cannot reach, because its requests name languages instead of a
/// model.
void warn_of_unreachable_models(const std::vector<ServedModel>& models) {
  std::map<std::pair<std::string, std::string>, std::string> first;
  for (const ServedModel& model : models) {
    if (!model.translates)
      continue;
    const auto [entry, is_new] = first.try_emplace({model.source, model.target}, model.name);
    if (is_new)
      continue;
    log_warning(fmt::format(
        "the models '{}' and '{}' both translate from {} to {}: /translate uses the first one; "
        "/v1/translate takes the name of a model",
        entry->second,
        model.name,
        model.source,
        model.target));
  }
}

/// Reads keys and models again for each SIGHUP; returns when another signal arrives.
void reload_until_stopped(const WaitingSignals& signals, Service& service, ModelPool& models) {
  while (signals.wait() == SIGHUP) {
    reopen_access_log(service);
    reload_keys(service);  // first, so that a revoked key is rejected at once
    reload_models(models, service.metrics());
  }
}

/// Stops the server also if an exception ends it: the models before what their late answers use.
struct StopInOrder {
  Service& service;
  HttpServer& server;
  std::optional<ModelPool>& models;

  ~StopInOrder() {
    service.stop();
    server.stop();
    models.reset();
  }
};

}  // namespace

ServeRun::ServeRun(std::span<const std::string> arguments) : engine(arguments) {
  engine.describe(table);  // omits --path, which has a different meaning here
  auto& fields = table.fields();
  const auto engine_fields = static_cast<std::ptrdiff_t>(fields.size());
  options.describe(table);
  std::rotate(fields.begin(), fields.begin() + engine_fields, fields.end());
}

std::vector<std::string> ServeRun::problems() const {
  auto problems = options.problems();
  if (options.path.empty() && table.find("path")->origin != OptionOrigin::kDefault)
    problems.emplace_back("--path contains no model: expected FILE or NAME=FILE");
  for (auto& problem : engine.problems()) problems.push_back(std::move(problem));
  return problems;
}

int serve(ServeRun& run) {
  run.options.host = without_brackets(run.options.host);
  const WaitingSignals signals;  // before libraries start threads, which could receive a signal
  check_files(run.options);
  run.engine.finish();
  std::optional<ModelPool> models;
  {
    const SignalsAsBefore while_loading(signals);
    models.emplace(run.engine, run.options.path, run.options.max_queue);
  }
  Service service(run.options, *models);
  HttpServer server(run.options.host, run.options.port, run.options.http, service);
  service.set_connections([&server] { return server.connections(); });
  {
    const StopInOrder stop{service, server, models};
    server.start();
    warn_of_open_server(run.options);
    warn_of_unreachable_models(models->models());
    log_info(fmt::format("Listening at http://{}", place_text(run.options.host, server.port())));
    reload_until_stopped(signals, service, *models);
    log_info("Stopping after all accepted requests have been answered");
  }
  log_info("Stopped");
  return kExitOk;
}

}  // namespace phraseq
