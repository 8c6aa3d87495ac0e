#pragma once

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/workspace.h"

namespace phraseq::serve_test {

/// Servers with a trained toy model, which is trained once for all tests of a process.
class ServeTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void TearDown() override;

  /// Starts `phraseq serve` with these options on a free port.
  void start(const std::string& options = {});
  int port() const { return port_; }
  void send(int signal) { server_->send(signal); }
  /// Sends a signal and returns the result of the server.
  end_to_end::CommandResult stop(int signal);
  bool is_running() { return server_->is_running(); }
  /// The standard error of the server up to now.
  std::string log() const;
  /// Waits until the log contains `text`, at most five minutes.
  bool wait_for_log(const std::string& text);
  /// The value of a line of /metrics; waits until it is `value`, at most five minutes.
  bool wait_for_metric(const std::string& line_begin, const std::string& value) const;
  /// Waits until a file of the workspace has `count` lines, at most five minutes.
  bool wait_for_lines(const std::string& file, size_t count) const;

  /// The translations of the same input by `phraseq generate`.
  std::vector<std::string> generated(const std::string& input, const std::string& options = {});

  static end_to_end::Workspace& workspace() { return *workspace_; }

 private:
  static end_to_end::Workspace* workspace_;
  std::optional<end_to_end::RunningCommand> server_;
  int port_ = 0;
  int number_ = 0;
};

}  // namespace phraseq::serve_test
