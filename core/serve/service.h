#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include <nlohmann/json.hpp>

#include "core/embed/translation_queue.h"
#include "core/serve/access_log.h"
#include "core/serve/api/translate_call.h"
#include "core/serve/api_keys.h"
#include "core/serve/http/http_message.h"
#include "core/serve/metrics.h"
#include "core/serve/model_pool.h"
#include "core/serve/serve_options.h"

namespace phraseq {

/// The answers of `phraseq serve`: routes, authorization, and errors as JSON.
class Service : public HttpHandler {
 public:
  Service(const ServeOptions& options, ModelPool& models);

  void handle(HttpRequest request, std::function<void(HttpResponse)> reply) override;
  HttpResponse refusal(const std::string& path, const HttpRefusal& refusal) override;
  void client_left(const std::string& path) override;
  void finished(const HttpExchange& exchange) override { access_log_.write(exchange); }

  /// Reads the file of keys again. Throws on an error; the old keys then stay valid.
  void reload_keys();
  /// Calls AccessLog::reopen.
  void reopen_access_log() { access_log_.reopen(); }
  /// From now on, requests for translations are refused.
  void stop() { stopping_ = true; }
  ServerMetrics& metrics() { return metrics_; }
  /// Asks the server for its open connections, for the metrics.
  void set_connections(std::function<int64_t()> connections) {
    connections_ = std::move(connections);
  }

 private:
  using Reply = std::function<void(HttpResponse)>;
  class ClientSlot;

  void route(const HttpRequest& request, const Reply& reply);
  std::shared_ptr<const ApiKeys> keys() const;
  void check_key(const HttpRequest& request, const std::string& key_in_body) const;
  /// The name of a client in the access log: "key2" for the second key of the file; "" without
  /// keys.
  std::string user_of(const std::string& key) const;
  std::string client_of(const HttpRequest& request, const std::string& key) const;
  /// The fields of a request for a translation, and the client's key.
  struct AuthorizedBody {
    nlohmann::json fields;
    std::string key;
  };
  /// Throws 401 for a wrong key, and 503 while the server stops.
  AuthorizedBody read_authorized(const HttpRequest& request) const;
  void translate(const HttpRequest& request, const Reply& reply);
  /// What ends the client's request once its sentences are translated.
  static TranslationQueue::Done answer_to(const std::string& path,
                                          const AnswerForm& form,
                                          std::shared_ptr<ClientSlot> slot,
                                          const Reply& reply);
  HttpResponse health() const;

  const ServeOptions& options_;
  ModelPool& models_;
  mutable std::mutex keys_mutex_;
  std::shared_ptr<const ApiKeys> keys_ = std::make_shared<const ApiKeys>();
  ServerMetrics metrics_;
  AccessLog access_log_;
  std::function<int64_t()> connections_;
  std::atomic<bool> stopping_ = false;
  std::mutex clients_mutex_;
  std::map<std::string, int64_t> clients_;  ///< number of requests in progress
};

}  // namespace phraseq
