#include "core/io/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "tests/core/io/child_process.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

/// Whether both reading and writing fail.
bool is_of_no_use(int stream) {
  char byte = 0;
  return ::fcntl(stream, F_GETFD) != -1 && ::read(stream, &byte, 1) <= 0 &&
         ::write(stream, &byte, 1) < 0;
}

TEST(StandardStreams, ClosedOnesDoNotBecomeFilesEvenWithoutDevNull) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root may change the root folder";
  TemporaryFolder empty;
  const int status = in_child([&] {
    if (::chroot(empty.path().c_str()) != 0)
      ::_exit(2);
    for (int stream = 0; stream < 3; ++stream) ::close(stream);
    prepare_standard_streams();
    for (int stream = 0; stream < 3; ++stream) {
      if (!is_of_no_use(stream))
        ::_exit(3 + stream);
    }
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace phraseq
