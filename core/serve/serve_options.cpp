#include "core/serve/serve_options.h"

namespace phraseq {
namespace {

void describe_server(OptionTable& table, ServeOptions& o) {
  table.section("Server");
  table
      .field("path",
             o.path,
             "Models, separated by commas: each one a checkpoint or a folder of checkpoints, or "
             "several, separated by colons, as an ensemble. NAME=FILE sets a model's name. The "
             "default name is SOURCE-TARGET, its languages; that of a language model is its "
             "language or, if it has none, the stem of FILE.")
      .value_name("[NAME=]FILE,...")
      .required();
  table.field("host", o.host, "Address to listen on; 0.0.0.0 = all addresses of this machine.");
  table.field("port", o.port, "Port to listen on; 0 = any free port.").in(0, 65535);
  table
      .field("api-keys",
             o.api_keys,
             "File with the API keys of clients, one per line; requests without a valid key are "
             "rejected.")
      .value_name("FILE");
  table
      .field("access-log",
             o.access_log,
             "Append a line for each answered request to this file (- = standard output): client, "
             "time, path, status, size and duration, but no text.")
      .value_name("FILE")
      .writes_file();
  table.field(
      "split-sentences",
      o.split,
      kSplitNames,
      "Which lines of a text are split into sentences. long: lines that are longer than the "
      "model accepts.");
}

void describe_limits(OptionTable& table, ServeOptions& o) {
  table.section("Limits");
  table.field("max-body-bytes", o.http.max_body_bytes, "Maximum size of the body of a request.")
      .in(1, 1 << 30);
  table
      .field("max-text-length",
             o.max_text_length,
             "Maximum length of all texts of a request, in characters.")
      .at_least(1);
  table.field("max-texts", o.max_texts, "Maximum number of texts in a request.").at_least(1);
  table.field("max-queue", o.max_queue, "Maximum number of requests that wait for a model.")
      .at_least(1);
  table
      .field("request-timeout",
             o.http.request_seconds,
             "Maximum time from the arrival of a request to the response, in seconds.")
      .in(0.001, 86400);
  table
      .field("read-timeout",
             o.http.read_seconds,
             "Maximum time for a request to arrive, and for a connection to stay open without "
             "requests, in seconds.")
      .in(0.001, 86400);
  table.field("max-connections", o.http.max_connections, "Maximum number of open connections.")
      .in(1, 100000);
  table
      .field(
          "max-requests-per-client",
          o.max_requests_per_client,
          "Maximum number of requests in progress per API key or, without keys, per address; 0 = "
          "no limit.")
      .at_least(0);
}

}  // namespace

void ServeOptions::describe(OptionTable& table) {
  describe_server(table, *this);
  describe_limits(table, *this);
}

std::vector<std::string> ServeOptions::problems() const {
  std::vector<std::string> problems;
  if (host.empty())
    problems.emplace_back("--host is empty: give the address to listen on, or 0.0.0.0 for all");
  for (const std::string& model : path) {
    if (model.empty())
      problems.emplace_back("--path contains an empty item: expected FILE or NAME=FILE");
    if (model.starts_with('=') || model.ends_with('='))
      problems.push_back("--path " + model + ": expected FILE or NAME=FILE");
  }
  return problems;
}

}  // namespace phraseq
