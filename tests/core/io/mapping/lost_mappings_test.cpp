#include "core/io/mapping/lost_mappings.h"

#include <csignal>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/signals.h"
#include "core/io/mapping/mapped_file.h"
#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

constexpr const char* kLost =
    "phraseq test: error: .*/lost: cannot read: the file became shorter after it was opened";

class LostMappings : public ::testing::Test {
 protected:
  LostMappings() { folder_.write("lost", std::string(20'000, 'x')); }

  void shorten() const { ASSERT_EQ(::truncate(folder_.file("lost").c_str(), 0), 0); }
  static void read(const MappedFile& file) {
    const volatile std::byte* bytes = file.bytes().data();
    static_cast<void>(bytes[file.size() - 1]);
  }

  TemporaryFolder folder_;
};

TEST_F(LostMappings, EndWithTheNameOfTheFile) {
  const auto shortened = [&] {
    report_lost_mappings("phraseq test");
    const MappedFile first(folder_.file("lost"));
    shorten();
    read(first);
  };
  EXPECT_EXIT(shortened(), ::testing::ExitedWithCode(kExitIo), kLost);
}

TEST_F(LostMappings, AreFoundAfterTheFileWasMovedAndOnAThreadWithoutSignals) {
  const auto shortened = [&] {
    report_lost_mappings("phraseq test");
    MappedFile first(folder_.file("lost"));
    const MappedFile moved(std::move(first));
    shorten();
    std::thread([&] {
      block_signals_on_this_thread();
      read(moved);
    }).join();
  };
  EXPECT_EXIT(shortened(), ::testing::ExitedWithCode(kExitIo), kLost);
}

TEST_F(LostMappings, LeaveOtherBusErrorsAlone) {
  const auto raised = [&] {
    report_lost_mappings("phraseq test");
    { const MappedFile unmapped(folder_.file("lost")); }
    ::raise(SIGBUS);
    ::raise(SIGBUS);  // the handler has removed itself
  };
  EXPECT_EXIT(raised(), ::testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace phraseq
