#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/embed/phraseq/translate.h"
#include "core/options/option_table.h"
#include "core/serve/http/http_server.h"

namespace phraseq {

inline constexpr EnumName<api::Split> kSplitNames[] = {
    {"long", api::Split::kLong}, {"always", api::Split::kAlways}, {"never", api::Split::kNever}};

/// Where `phraseq serve` listens, and what it accepts.
struct ServeOptions : Options {
  std::vector<std::string> path;
  std::string host = "127.0.0.1";
  int64_t port = 8080;
  std::string api_keys;
  std::string access_log;
  api::Split split = api::Split::kLong;
  HttpLimits http;
  int64_t max_text_length = 100'000;
  int64_t max_texts = 1000;
  int64_t max_queue = 256;
  int64_t max_requests_per_client = 0;

  void describe(OptionTable& table) override;
  std::vector<std::string> problems() const override;
};

}  // namespace phraseq
