#pragma once

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/end_to_end/workspace.h"

namespace phraseq::serve_test {

/// A trained toy model, and servers of it. Trained once for all tests of a process.
class ServeTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite();
  static void TearDownTestSuite();
  void TearDown() override;

  /// `phraseq serve` with these options, at a free port.
  void start(const std::string& options = {});
  int port() const { return port_; }
  void send(int signal) { server_->send(signal); }
  /// The end of the server after a signal.
  end_to_end::CommandResult stop(int signal);
  bool is_running() { return server_->is_running(); }
  /// What the server has written to standard error so far.
  std::string log() const;
  /// Waits until the log contains `text`, at most five minutes.
  bool wait_for_log(const std::string& text) const;
  /// The value of a line of /metrics; waits until it is `value`, at most five minutes.
  bool wait_for_metric(const std::string& line_begin, const std::string& value) const;
  /// Waits until a file of the workspace has `count` lines, at most five minutes.
  bool wait_for_lines(const std::string& file, size_t count) const;

  /// The lines that `phraseq generate` makes of the same input.
  std::vector<std::string> generated(const std::string& input, const std::string& options = {});

  static end_to_end::Workspace& workspace() { return *workspace_; }

 private:
  static end_to_end::Workspace* workspace_;
  std::optional<end_to_end::RunningCommand> server_;
  int port_ = 0;
  int number_ = 0;
};

}  // namespace phraseq::serve_test
