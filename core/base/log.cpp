#include "core/base/log.h"

#include <memory>
#include <mutex>
#include <string>

#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "core/base/launcher/log_of_rank.h"
#include "core/base/line_file.h"

namespace phraseq {
namespace {

/// A message that cannot be written is kept until it can; nothing is thrown.
class LogFileSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit LogFileSink(std::string_view path)
      : file_(std::string(path), LineFile::TornLine::kEnd) {}

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t text;
    formatter_->format(message, text);
    file_.append({text.data(), text.size()});
  }
  void flush_() override {}

  LineFile file_;
};

spdlog::logger& logger() {
  static const auto instance = [] {
    auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    sink->set_pattern("%H:%M:%S | %l | %v");
    auto made = std::make_shared<spdlog::logger>("phraseq", sink);
    made->set_error_handler([](const std::string&) {});  // a log never ends the work
    return made;
  }();
  return *instance;
}

}  // namespace

void log_info(std::string_view message) { logger().info("{}", message); }
void log_warning(std::string_view message) { logger().warn("{}", message); }
void log_error(std::string_view message) { logger().error("{}", message); }

void set_log_quiet(bool quiet) {
  logger().set_level(quiet ? spdlog::level::warn : spdlog::level::info);
}

void log_only_errors(std::string_view prefix) {
  logger().set_level(spdlog::level::err);
  logger().set_pattern("%H:%M:%S | %l | " + std::string(prefix) + "%v");
}

void add_log_file(std::string_view path) {
  auto sink = std::make_shared<LogFileSink>(path);
  sink->set_pattern("%Y-%m-%d %H:%M:%S | %l | %v");
  logger().sinks().push_back(sink);
}

}  // namespace phraseq
