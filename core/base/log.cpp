#include "core/base/log.h"

#include <memory>
#include <string>

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "core/base/error.h"

namespace phraseq {
namespace {

spdlog::logger& logger() {
  static const auto instance = [] {
    auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    sink->set_pattern("%H:%M:%S | %l | %v");
    return std::make_shared<spdlog::logger>("phraseq", sink);
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

void add_log_file(std::string_view path) {
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(std::string(path), false);
    sink->set_pattern("%Y-%m-%d %H:%M:%S | %l | %v");
    logger().sinks().push_back(sink);
    logger().flush_on(spdlog::level::info);
  } catch (const spdlog::spdlog_ex& failure) {
    throw IoError(path, "open the log file", 0, failure.what());
  }
}

}  // namespace phraseq
