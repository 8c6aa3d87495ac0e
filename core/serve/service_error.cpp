#include "core/serve/service_error.h"

#include <exception>
#include <new>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/embed/translation_failure.h"

namespace phraseq {
namespace {

constexpr const char* kRetrySeconds = "1";

ServiceError error_of(const TranslationFailure& failure) {
  switch (failure.reason()) {
    case FailureReason::kTooLong:
      return {413, "sentence_too_long", failure.message(), failure.field()};
    case FailureReason::kQueueFull:
      return {503, "queue_full", failure.message()};
    case FailureReason::kStopping:
      return {503, "stopping", failure.message()};
    case FailureReason::kBadInput:
      break;
  }
  const bool model = failure.field() == "model";
  return {model ? 404 : 400,
          model ? "model_not_found" : "bad_request",
          failure.message(),
          failure.field()};
}

/// A text of a request is "text[0]" elsewhere.
std::string libre_message(const ServiceError& error) {
  constexpr std::string_view kTexts = "text[";
  const std::string message = error.what();
  return error.field().starts_with(kTexts) && message.starts_with(kTexts)
             ? "q" + message.substr(kTexts.size() - 1)
             : message;
}

}  // namespace

ServiceError service_error_of(std::exception_ptr failure) {
  try {
    std::rethrow_exception(std::move(failure));
  } catch (const ServiceError& error) {
    return error;
  } catch (const TranslationFailure& error) {
    return error_of(error);
  } catch (const Error& error) {
    return {500, "internal", error.message()};
  } catch (const std::bad_alloc&) {
    return {503, "out_of_memory", "out of memory"};
  } catch (const std::exception& error) {
    return {500, "internal", error.what()};
  } catch (...) {
    return {500, "internal", "an unknown exception was thrown"};
  }
}

bool is_libre_path(const std::string& path) {
  return path == "/translate" || path == "/languages" || path == "/detect";
}

HttpResponse error_response(const std::string& path, const ServiceError& error) {
  nlohmann::ordered_json body;
  if (is_libre_path(path)) {
    body["error"] = libre_message(error);
  } else {
    body["error"] = {{"code", error.code()}, {"message", error.what()}};
    if (!error.field().empty())
      body["error"]["field"] = error.field();
  }
  HttpResponse response;
  response.status = error.status();
  response.body =
      body.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
  if (error.status() == 503 || error.status() == 429)
    response.headers["Retry-After"] = kRetrySeconds;
  if (error.status() == 401)
    response.headers["WWW-Authenticate"] = "Bearer";
  return response;
}

}  // namespace phraseq
