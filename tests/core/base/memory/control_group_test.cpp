#include "core/base/memory/control_group.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/io/temporary_folder.h"

namespace phraseq {
namespace {

class ControlGroups : public testing::Test {
 protected:
  /// Writes the files of a group: its limit, the memory in use, and the part of it that can be
  /// dropped.
  void write_group(const std::string& group, const std::string& limit, int used, int droppable) {
    std::filesystem::create_directories(folder_.file("mount/" + group));
    write(group, "memory.max", limit);
    write(group, "memory.current", std::to_string(used));
    write(group,
          "memory.stat",
          "anon 1\ninactive_anon 7\ninactive_file " + std::to_string(droppable) + "\n");
  }
  void write(const std::string& group, const std::string& file, const std::string& text) {
    folder_.write("mount/" + group + "/" + file, text + "\n");
  }

  std::vector<std::optional<uint64_t>> left(const std::string& membership) {
    std::vector<std::optional<uint64_t>> all;
    for (const MemoryGroup& group :
         memory_groups(folder_.write("cgroup", membership), folder_.file("mount")))
      all.push_back(group.left());
    return all;
  }

  TemporaryFolder folder_;
};

TEST_F(ControlGroups, OfVersion2AreTheOneOfTheProcessAndItsParents) {
  write_group("system.slice", "1000", 900, 100);
  write_group("system.slice/phraseq.service", "500", 250, 50);
  EXPECT_THAT(left("0::/system.slice/phraseq.service\n"), testing::ElementsAre(300, 200));
}

TEST_F(ControlGroups, WithoutALimitHaveNoNumber) {
  write_group("user.slice", "max", 900, 100);
  EXPECT_THAT(left("0::/user.slice\n"), testing::ElementsAre(std::nullopt));
  write_group("user.slice", "9223372036854771712", 900, 100);
  EXPECT_THAT(left("0::/user.slice\n"), testing::ElementsAre(std::nullopt));
}

TEST_F(ControlGroups, OverTheirLimitLeaveNothing) {
  write_group("job", "500", 900, 100);
  EXPECT_THAT(left("0::/job\n"), testing::ElementsAre(0));
}

TEST_F(ControlGroups, OfAContainerAreTheVisibleOnes) {
  write_group("", "800", 300, 0);
  EXPECT_THAT(left("0::/docker/0123abcd\n"), testing::ElementsAre(500));
  EXPECT_THAT(left("0::/\n"), testing::ElementsAre(500));
  EXPECT_THAT(left("0::/../../other.slice\n"), testing::ElementsAre(500));
}

TEST_F(ControlGroups, OfVersion1HaveTheirOwnFiles) {
  const std::string job = "memory/slurm/uid_0/job_7";
  std::filesystem::create_directories(folder_.file("mount/" + job));
  write(job, "memory.limit_in_bytes", "4000");
  write(job, "memory.usage_in_bytes", "1500");
  write(job, "memory.stat", "inactive_file 9\ntotal_inactive_file 500");
  EXPECT_THAT(left("9:name=systemd:/\n4:hugetlb,memory:/slurm/uid_0/job_7\n1:cpu:/x\n0::/\n"),
              testing::ElementsAre(3000));
}

TEST_F(ControlGroups, ThatAreUnknownAreOmitted) {
  EXPECT_THAT(left("0::/gone\n"), testing::IsEmpty());
  EXPECT_THAT(left("no group\n3:memory\n\n"), testing::IsEmpty());
  EXPECT_THAT(memory_groups(folder_.file("nothing"), folder_.file("mount")), testing::IsEmpty());
}

}  // namespace
}  // namespace phraseq
