#include "core/serve/service.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/log.h"
#include "core/base/text_fields.h"
#include "core/serve/api/libre_api.h"
#include "core/serve/api/v1_api.h"
#include "core/serve/request_json.h"
#include "core/serve/service_error.h"
#include "phraseq/serve_page.h"

namespace phraseq {
namespace {

using Json = nlohmann::ordered_json;

/// The paths and their methods; paths that are not open require a key if there are keys.
struct Route {
  const char* path;
  const char* method;
  bool is_open;
};
constexpr Route kRoutes[] = {{"/", "GET", true},
                             {"/health", "GET", true},
                             {"/metrics", "GET", false},
                             {"/v1/models", "GET", false},
                             {"/v1/translate", "POST", false},
                             {"/translate", "POST", false},
                             {"/languages", "GET", true},
                             {"/detect", "POST", true}};

const Route* find_route(const std::string& path) {
  const auto* found = std::find_if(std::begin(kRoutes),
                                   std::end(kRoutes),
                                   [&path](const Route& route) { return path == route.path; });
  return found == std::end(kRoutes) ? nullptr : found;
}

std::string name_in_metrics(const std::string& path) {
  const Route* known = find_route(path);
  return known == nullptr ? "other" : known->path;
}

bool has_method(const Route& route, const std::string& method) {
  return method == route.method || (method == "HEAD" && std::string_view(route.method) == "GET");
}

HttpResponse json_response(const Json& body) {
  HttpResponse response;
  response.body = body.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  return response;
}

HttpResponse page_response() {
  HttpResponse response;
  response.content_type = "text/html; charset=utf-8";
  response.body = kPageText;
  response.headers = {{"Content-Security-Policy",
                       "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
                       "connect-src 'self'; base-uri 'none'; form-action 'none'; "
                       "frame-ancestors 'none'"},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Referrer-Policy", "no-referrer"}};
  return response;
}

/// The key of a request, from "Authorization: Bearer KEY" or X-API-Key.
std::string key_of(const HttpRequest& request) {
  static constexpr std::string_view kBearer = "bearer ";
  const std::string authorization = request.header("authorization");
  if (!to_ascii_lowercase(authorization).starts_with(kBearer))
    return request.header("x-api-key");
  return authorization.substr(
      std::min(authorization.find_first_not_of(' ', kBearer.size()), authorization.size()));
}

HttpResponse method_refusal(const Route& route) {
  HttpResponse response = error_response(
      route.path,
      ServiceError(
          405, "method_not_allowed", fmt::format("{} accepts {}", route.path, route.method)));
  response.headers["Allow"] = route.method == std::string_view("GET") ? "GET, HEAD" : route.method;
  return response;
}

std::string content_type(const HttpRequest& request) {
  return to_ascii_lowercase(request.header("content-type"));
}

bool is_form(const HttpRequest& request) {
  const bool is_object = request.body.starts_with('{');  // curl declares all data a form
  return !is_object && content_type(request).starts_with("application/x-www-form-urlencoded");
}

void reject_other_content(const HttpRequest& request) {
  const std::string coding = to_ascii_lowercase(request.header("content-encoding"));
  if (!coding.empty() && coding != "identity")
    throw ServiceError(415, "unsupported_media_type", "compressed bodies are not supported");
  if (content_type(request).starts_with("multipart/")) {
    throw ServiceError(
        400, "bad_request", "multipart forms are not supported: send JSON or a URL-encoded form");
  }
}

/// The fields of a request for a translation.
nlohmann::json read_body(const HttpRequest& request) {
  reject_other_content(request);
  return is_libre_path(request.path) && is_form(request) ? parse_form(request.body)
                                                         : parse_body(request.body);
}

/// One of the two interfaces for translations.
struct TranslateInterface {
  decltype(read_v1_call)* read;
  decltype(v1_answer)* answer;
};

const TranslateInterface& interface_of(const std::string& path) {
  static constexpr TranslateInterface kV1{read_v1_call, v1_answer};
  static constexpr TranslateInterface kLibre{read_libre_call, libre_answer};
  return is_libre_path(path) ? kLibre : kV1;
}

/// The response with the translations. Rethrows the failure of a translation.
HttpResponse translated_response(const std::string& path,
                                 const AnswerForm& form,
                                 const TranslationAnswer& answer) {
  if (answer.failure)
    std::rethrow_exception(answer.failure);
  return json_response(interface_of(path).answer(form, answer.translations));
}

/// The response for the exception that is being handled; the server's own errors are logged.
HttpResponse failure_response(const std::string& path) {
  const ServiceError error = service_error_of(std::current_exception());
  if (error.status() == 500)
    log_error(error.what());
  return error_response(path, error);
}

}  // namespace

/// A client's request in progress; throws 429 if the client has too many.
class Service::ClientSlot {
 public:
  ClientSlot(Service& service, std::string client) : service_(service), client_(std::move(client)) {
    const std::lock_guard lock(service_.clients_mutex_);
    const int64_t most = service_.options_.max_requests_per_client;
    const auto found = service_.clients_.find(client_);
    if (most > 0 && found != service_.clients_.end() && found->second >= most) {
      throw ServiceError(
          429, "too_many_requests", fmt::format("{} requests are in progress; wait for one", most));
    }
    ++service_.clients_[client_];
  }
  ~ClientSlot() {
    const std::lock_guard lock(service_.clients_mutex_);
    const auto found = service_.clients_.find(client_);
    if (--found->second == 0)
      service_.clients_.erase(found);
  }
  ClientSlot(const ClientSlot&) = delete;
  ClientSlot& operator=(const ClientSlot&) = delete;

 private:
  Service& service_;
  std::string client_;
};

TranslationQueue::Done Service::answer_to(const std::string& path,
                                          const AnswerForm& form,
                                          std::shared_ptr<ClientSlot> slot,
                                          const Reply& reply) {
  return [path, form, slot = std::move(slot), reply](const TranslationAnswer& answer) mutable {
    slot.reset();
    try {
      reply(translated_response(path, form, answer));
    } catch (...) {
      reply(failure_response(path));
    }
  };
}

Service::Service(const ServeOptions& options, ModelPool& models)
    : options_(options), models_(models), access_log_(options.access_log) {
  reload_keys();
}

void Service::reload_keys() {
  if (options_.api_keys.empty())
    return;
  auto read = std::make_shared<const ApiKeys>(options_.api_keys);
  const std::lock_guard lock(keys_mutex_);
  keys_ = std::move(read);
}

std::shared_ptr<const ApiKeys> Service::keys() const {
  const std::lock_guard lock(keys_mutex_);
  return keys_;
}

void Service::handle(HttpRequest request, std::function<void(HttpResponse)> reply) {
  const auto start = std::chrono::steady_clock::now();
  const std::string name = name_in_metrics(request.path);
  const Reply counted =
      [this, start, reply, name, abandoned = request.abandoned](HttpResponse response) {
        const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
        if (!abandoned->load())
          metrics_.count_request(name, response.status, time.count());
        reply(std::move(response));
      };
  try {
    route(request, counted);
  } catch (...) {
    counted(failure_response(request.path));
  }
}

void Service::client_left(const std::string& path) {
  metrics_.count_request(name_in_metrics(path), kClientLeft, std::nullopt);
}

HttpResponse Service::refusal(const std::string& path, const HttpRefusal& refusal) {
  std::optional<double> seconds;
  if (refusal.status == 504)
    seconds = options_.http.request_seconds;
  metrics_.count_request(name_in_metrics(path), refusal.status, seconds);
  return error_response(path, ServiceError(refusal.status, refusal.code, refusal.message));
}

void Service::route(const HttpRequest& request, const Reply& reply) {
  const std::string& path = request.path;
  const Route* known = find_route(path);
  if (known == nullptr)
    throw ServiceError(404, "not_found", fmt::format("no such path: {}", path));
  if (!has_method(*known, request.method))
    return reply(method_refusal(*known));
  if (path == "/v1/translate" || path == "/translate")
    return translate(request, reply);
  if (!known->is_open)
    check_key(request, "");
  if (path == "/")
    return reply(page_response());
  if (path == "/health")
    return reply(health());
  if (path == "/v1/models")
    return reply(json_response(v1_models(models_.models())));
  if (path == "/languages")
    return reply(json_response(libre_languages(models_.models())));
  if (path == "/detect")
    throw ServiceError(501, "not_supported", "Language detection is not supported");
  HttpResponse response;
  response.content_type = "text/plain; version=0.0.4";
  response.body = metrics_.text(models_.models(), connections_ ? connections_() : 0);
  reply(std::move(response));
}

void Service::check_key(const HttpRequest& request, const std::string& key_in_body) const {
  const auto keys = this->keys();
  if (!keys->required())
    return;
  const std::string key = key_in_body.empty() ? key_of(request) : key_in_body;
  if (!keys->contains(key))
    throw ServiceError(
        401, "unauthorized", key.empty() ? "an API key is needed" : "the API key is not valid");
}

std::string Service::user_of(const std::string& key) const {
  const int64_t number = keys()->number_of(key);
  return number == 0 ? "" : fmt::format("key{}", number);
}

std::string Service::client_of(const HttpRequest& request, const std::string& key) const {
  return keys()->required() ? "key " + key : request.address;
}

Service::AuthorizedBody Service::read_authorized(const HttpRequest& request) const {
  std::string key = key_of(request);
  const bool key_is_in_body = is_libre_path(request.path) && key.empty();
  if (!key_is_in_body)
    check_key(request, "");  // before the body is read
  if (stopping_)
    throw ServiceError(503, "stopping", "the server is stopping");
  nlohmann::json fields = read_body(request);
  if (key_is_in_body) {
    key = string_field(fields, "api_key", "");
    check_key(request, key);
  }
  return {std::move(fields), std::move(key)};
}

void Service::translate(const HttpRequest& request, const Reply& reply) {
  const auto [fields, key] = read_authorized(request);
  auto slot = std::make_shared<ClientSlot>(*this, client_of(request, key));
  const auto models = models_.models();
  TranslateCall call = interface_of(request.path).read(fields, models, options_);
  call.request.abandoned = request.abandoned;
  const Reply reply_to_user = [reply, user = user_of(key)](HttpResponse response) {
    response.user = user;
    reply(std::move(response));
  };
  models_.submit(call.form.model,
                 std::move(call.request),
                 answer_to(request.path, call.form, std::move(slot), reply_to_user));
}

HttpResponse Service::health() const {
  HttpResponse response = json_response({{"status", stopping_ ? "stopping" : "ok"}});
  response.status = stopping_ ? 503 : 200;
  return response;
}

}  // namespace phraseq
