#include "tests/serve/server.h"

#include <csignal>

#include "core/base/error.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "tests/end_to_end/toy_corpus.h"
#include "tests/serve/client.h"

namespace phraseq::serve_test {

using end_to_end::Arguments;
using end_to_end::CommandResult;
using end_to_end::wait_until;
using end_to_end::words;
using end_to_end::operator+;

end_to_end::Workspace* ServeTest::workspace_ = nullptr;

void ServeTest::SetUpTestSuite() {
  workspace_ = new end_to_end::Workspace;
  end_to_end::write_toy_corpus(*workspace_);
  for (const Arguments& arguments :
       {end_to_end::toy_preprocess(), end_to_end::toy_train("model", 150) + words("--threads 1")}) {
    const CommandResult result = workspace_->run(arguments);
    ASSERT_EQ(result.exit_code, kExitOk) << result.errors;
  }
  std::filesystem::copy_file(resolve_checkpoint(workspace_->path("model/checkpoint_best")),
                             workspace_->path("toy"));
}

void ServeTest::TearDownTestSuite() {
  delete workspace_;
  workspace_ = nullptr;
}

void ServeTest::TearDown() {
  if (server_ && server_->is_running()) {
    server_->send(SIGKILL);
    server_->wait();
  }
}

void ServeTest::start(const std::string& options) {
  server_.emplace(workspace().start(
      words("serve --port 0 " + options) +
      (options.find("--path") == std::string::npos ? Arguments{"--path", "toy"} : Arguments{})));
  ASSERT_TRUE(wait_for_log("Listening at http://127.0.0.1:")) << log();
  const std::string text = log();
  const std::string place = "Listening at http://127.0.0.1:";
  port_ = std::stoi(text.substr(text.find(place) + place.size()));
}

CommandResult ServeTest::stop(int signal) {
  server_->send(signal);
  return server_->wait();
}

std::string ServeTest::log() const { return server_->errors_so_far(); }

bool ServeTest::wait_for_log(const std::string& text) {
  const auto is_logged = [&] { return log().find(text) != std::string::npos; };
  wait_until([&] { return is_logged() || !server_->is_running(); });
  return is_logged();
}

bool ServeTest::wait_for_metric(const std::string& line_begin, const std::string& value) const {
  return wait_until([&] {
    const std::string text = "\n" + ask(port(), "GET", "/metrics").body;
    return text.find("\n" + line_begin + " " + value + "\n") != std::string::npos;
  });
}

bool ServeTest::wait_for_lines(const std::string& file, size_t count) const {
  return wait_until([&] { return end_to_end::lines_of(workspace().read(file)).size() == count; });
}

std::vector<std::string> ServeTest::generated(const std::string& input,
                                              const std::string& options) {
  const CommandResult result = workspace().run(words("generate --path toy " + options), input);
  EXPECT_EQ(result.exit_code, kExitOk) << result.errors;
  return end_to_end::lines_of(result.output);
}

}  // namespace phraseq::serve_test
