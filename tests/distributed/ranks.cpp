#include "tests/distributed/ranks.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <unistd.h>

#include <netinet/in.h>
#include <sys/socket.h>

#include "tests/end_to_end/training_run.h"
#include "tests/support/file_content.h"

namespace phraseq::end_to_end {
namespace {

/// The value of NAME=VALUE in a list separated by NUL bytes.
std::string variable_of(const std::string& environment, const std::string& name) {
  const std::string with_start = std::string(1, '\0') + environment;
  const std::string key = std::string(1, '\0') + name + "=";
  const size_t start = with_start.find(key);
  return start == std::string::npos ? "" : std::string(with_start.c_str() + start + key.size());
}

/// Returns a socket that is bound to a free port of 127.0.0.1, and stores the port in `port`.
int socket_with_port(int& port) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ::bind(listener, reinterpret_cast<sockaddr*>(&address), size);
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  port = ntohs(address.sin_port);
  return listener;
}

}  // namespace

int free_port() {
  int port = 0;
  ::close(socket_with_port(port));
  return port;
}

SilentService::SilentService() : listener_(socket_with_port(port_)) { ::listen(listener_, 8); }

SilentService::~SilentService() { ::close(listener_); }

RunningCommand start_with(Workspace& workspace,
                          const Variables& variables,
                          const Arguments& arguments) {
  for (const auto& [name, value] : variables) ::setenv(name.c_str(), value.c_str(), 1);
  RunningCommand command = workspace.start(arguments);
  for (const auto& [name, value] : variables) ::unsetenv(name.c_str());
  return command;
}

Variables rank_variables(int rank, int size, int port) {
  return {{"RANK", std::to_string(rank)},
          {"WORLD_SIZE", std::to_string(size)},
          {"MASTER_ADDR", "127.0.0.1"},
          {"MASTER_PORT", std::to_string(port)}};
}

bool has_trained(const Workspace& workspace,
                 const std::string& save_dir,
                 RunningCommand& command,
                 size_t updates) {
  const auto has_records = [&] {
    return workspace.exists(save_dir + "/metrics.jsonl") &&
           losses(workspace, save_dir).size() >= updates;
  };
  end_to_end::wait_until([&] { return has_records() || !command.is_running(); });
  return command.is_running() && has_records();
}

std::map<int, pid_t> processes_by_rank(const Workspace& workspace) {
  namespace fs = std::filesystem;
  std::map<int, pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos)
      continue;
    const std::string rank = variable_of(content_of(entry.path() / "environ"), "RANK");
    std::error_code gone;
    const std::string program = fs::read_symlink(entry.path() / "exe", gone).filename().string();
    const fs::path folder = fs::read_symlink(entry.path() / "cwd", gone);
    if (!rank.empty() && program == "phraseq-train" && folder / "" == workspace.path(""))
      found[std::stoi(rank)] = static_cast<pid_t>(std::stol(name));
  }
  return found;
}

double largest_difference(const std::map<std::string, std::string>& a,
                          const std::map<std::string, std::string>& b) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (a.size() != b.size())
    return kInfinite;
  double largest = 0;
  for (const auto& [name, text] : a) {
    const auto other = b.find(name);
    if (other == b.end() || other->second.size() != text.size())
      return kInfinite;
    if (!text.starts_with("F32 ")) {
      largest = other->second == text ? largest : kInfinite;
      continue;
    }
    const size_t start = text.find(' ', 4) + 1;  // after "F32 3x4 "
    for (size_t at = start; at + sizeof(float) <= text.size(); at += sizeof(float)) {
      float x = 0;
      float y = 0;
      std::memcpy(&x, text.data() + at, sizeof(float));
      std::memcpy(&y, other->second.data() + at, sizeof(float));
      largest = std::max(largest, std::abs(double{x} - double{y}));
    }
  }
  return largest;
}

}  // namespace phraseq::end_to_end
