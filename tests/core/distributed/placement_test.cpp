#include "core/distributed/placement.h"

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/base/error.h"
#include "core/base/launcher/launched_rank.h"
#include "core/distributed/local_launch.h"
#include "tests/core/io/temporary_folder.h"
#include "tests/support/message_of.h"

namespace phraseq {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Variables = std::map<std::string, std::string>;

Environment environment_of(const Variables& variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

Placement placed(const Variables& variables, const DistributedOptions& options = {}) {
  return find_placement(options, environment_of(variables));
}

std::string problem_of(const Variables& variables, const DistributedOptions& options = {}) {
  return whole_message_of<UsageError>([&] { placed(variables, options); });
}

TEST(Placement, IsASingleProcessByDefault) {
  EXPECT_EQ(placed({}).world_size, 1);
  // A rendezvous address alone, or a batch script of Slurm outside of srun, does not mean several
  // processes.
  EXPECT_EQ(placed({{"MASTER_ADDR", "a"}, {"MASTER_PORT", "1"}}).world_size, 1);
  EXPECT_EQ(placed({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"MASTER_ADDR", "a"}}).world_size,
            1);
}

TEST(Placement, ComesFromTorchrun) {
  const Placement place = placed({{"RANK", "5"},
                                  {"WORLD_SIZE", "8"},
                                  {"LOCAL_RANK", "1"},
                                  {"LOCAL_WORLD_SIZE", "4"},
                                  {"MASTER_ADDR", "node1"},
                                  {"MASTER_PORT", "29123"},
                                  {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                                  {"TORCHELASTIC_RESTART_COUNT", "2"}});
  EXPECT_EQ(place.rank, 5);
  EXPECT_EQ(place.world_size, 8);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.local_world_size, 4);
  EXPECT_EQ(place.address, "node1");
  EXPECT_EQ(place.port, 29123);
  EXPECT_TRUE(place.store_is_running);
  EXPECT_EQ(place.attempt, "2");
}

TEST(Placement, ComesFromAStepOfSlurm) {
  const Placement place = placed({{"SLURM_PROCID", "3"},
                                  {"SLURM_NTASKS", "4"},
                                  {"SLURM_STEP_NUM_TASKS", "4"},
                                  {"SLURM_LOCALID", "1"},
                                  {"SLURM_STEP_TASKS_PER_NODE", "2(x2)"},
                                  {"SLURM_STEP_NODELIST", "gpu[07-08]"},
                                  {"SLURM_JOB_ID", "1234567"}});
  EXPECT_EQ(place.rank, 3);
  EXPECT_EQ(place.world_size, 4);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.local_world_size, 2);
  EXPECT_EQ(place.address, "gpu07");
  EXPECT_EQ(place.port, 20000 + 4567);
  EXPECT_FALSE(place.store_is_running);
  EXPECT_EQ(placed({{"SLURM_PROCID", "0"},
                    {"SLURM_STEP_NUM_TASKS", "2"},
                    {"SLURM_JOB_ID", "4294901234"},  // of a federation
                    {"MASTER_ADDR", "host"}})
                .port,
            20000 + 1234);
}

// mpirun starts its daemons, one per machine, with srun.
TEST(Placement, ComesFromMpiWithinAJobOfSlurm) {
  Variables variables = {
      {"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}, {"MASTER_ADDR", "a"}};
  variables["OMPI_COMM_WORLD_RANK"] = "5";
  variables["OMPI_COMM_WORLD_SIZE"] = "8";
  variables["OMPI_COMM_WORLD_LOCAL_RANK"] = "1";
  EXPECT_EQ(placed(variables).rank, 5);
  EXPECT_EQ(placed(variables).world_size, 8);

  Variables mpich = {{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}, {"MASTER_ADDR", "a"}};
  mpich["PMI_RANK"] = "3";
  mpich["PMI_SIZE"] = "4";
  EXPECT_EQ(placed(mpich).source, kSlurmLauncher);  // srun --mpi=pmi2
  mpich["MPI_LOCALRANKID"] = "1";
  EXPECT_EQ(placed(mpich).rank, 3);
}

TEST(Placement, ComesFromOpenMpiAndOtherMpis) {
  const Variables open_mpi = {{"OMPI_COMM_WORLD_RANK", "1"},
                              {"OMPI_COMM_WORLD_SIZE", "2"},
                              {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                              {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
  EXPECT_EQ(placed(open_mpi).rank, 1);
  EXPECT_EQ(placed(open_mpi).address, "127.0.0.1");  // all ranks are on this machine
  EXPECT_EQ(placed(open_mpi).port, kDefaultPort);
  EXPECT_EQ(placed({{"PMI_RANK", "2"}, {"PMI_SIZE", "3"}, {"MASTER_ADDR", "node1"}}).rank, 2);
  EXPECT_THAT(problem_of({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}}),
              HasSubstr("MASTER_ADDR is not set, but there are 2 processes (Open MPI)"));
}

TEST(Placement, ComesFromFairseqsOptions) {
  DistributedOptions options;
  options.world_size = 4;
  options.rank = 2;
  options.init_method = "tcp://node7:4321";
  const Placement place = placed({{"RANK", "0"}, {"WORLD_SIZE", "9"}}, options);
  EXPECT_EQ(place.rank, 2);
  EXPECT_EQ(place.world_size, 4);
  EXPECT_EQ(place.address, "node7");
  EXPECT_EQ(place.port, 4321);
  options.port = 5000;
  EXPECT_EQ(placed({}, options).port, 5000);
  options.init_method = "tcp://[fe80::1]:4321";
  EXPECT_EQ(placed({}, options).address, "fe80::1");
  options.init_method = "file:///tmp/x";
  EXPECT_THAT(problem_of({}, options), HasSubstr("expected tcp://HOST:PORT"));
  options.world_size = 0;
  EXPECT_THAT(problem_of({}, options), HasSubstr("but not --distributed-world-size"));
}

TEST(Placement, NamesTheVariableThatIsMissingOrWrong) {
  EXPECT_THAT(problem_of({{"RANK", "0"}}),
              HasSubstr("RANK is set in the environment, but WORLD_SIZE is not"));
  EXPECT_THAT(problem_of({{"WORLD_SIZE", "2"}}),
              HasSubstr("WORLD_SIZE is set in the environment, but RANK is not"));
  EXPECT_THAT(problem_of({{"SLURM_STEP_NUM_TASKS", "2"}}), HasSubstr("SLURM_PROCID is not"));
  EXPECT_THAT(problem_of({{"OMPI_COMM_WORLD_SIZE", "2"}}),
              HasSubstr("OMPI_COMM_WORLD_RANK is not"));
  const Variables two = {{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"LOCAL_WORLD_SIZE", "1"}};
  EXPECT_THAT(problem_of(two), HasSubstr("MASTER_ADDR is not set"));
  Variables no_port = two;
  no_port["MASTER_ADDR"] = "node1";
  EXPECT_THAT(problem_of(no_port), HasSubstr("MASTER_PORT is not set, but WORLD_SIZE is 2"));
  EXPECT_THAT(problem_of({{"RANK", "two"}, {"WORLD_SIZE", "4"}}), HasSubstr("RANK is 'two'"));
  EXPECT_THAT(problem_of({{"RANK", "0"}, {"WORLD_SIZE", "0"}}), HasSubstr("WORLD_SIZE is '0'"));
  EXPECT_THAT(problem_of({{"RANK", "4"}, {"WORLD_SIZE", "4"}}),
              HasSubstr("RANK is 4, but WORLD_SIZE is 4: ranks are from 0 to 3"));
  Variables bad_port = no_port;
  bad_port["MASTER_PORT"] = "70000";
  EXPECT_THAT(problem_of(bad_port), HasSubstr("MASTER_PORT is '70000'"));
}

TEST(Placement, RejectsAnotherWorldSizeThanTheLaunchers) {
  DistributedOptions options;
  options.world_size = 3;
  EXPECT_THAT(
      problem_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "1"}},
                 options),
      AllOf(HasSubstr("--distributed-world-size is 3"), HasSubstr("there are 2 processes")));
  EXPECT_THAT(problem_of({}, options), HasSubstr("the rank of this process is not known"));
}

TEST(FirstHost, IsTheFirstOfAListOfSlurm) {
  EXPECT_EQ(first_host("node1"), "node1");
  EXPECT_EQ(first_host("node1,node2"), "node1");
  EXPECT_EQ(first_host("node[03-05,9],gpu1"), "node03");
  EXPECT_EQ(first_host("node[7]"), "node7");
  EXPECT_EQ(first_host("rack[1-2]-a,x"), "rack1-a");
}

TEST(DistributedOptions, HaveAPlaceForEachProcessOfTheMachine) {
  DistributedOptions options;
  options.nproc_per_node = 2;
  options.world_size = 4;
  options.rank = 2;
  EXPECT_TRUE(options.problems().empty());
  options.rank = 3;
  EXPECT_EQ(options.problems().size(), 1U);
  options.rank = 4;
  EXPECT_EQ(options.problems().size(), 1U);  // only the one about the rank
}

TEST(ProcessesToStart, AreThoseOfTheOptionsUnlessALauncherHasStartedThem) {
  DistributedOptions options;
  EXPECT_EQ(processes_to_start(options, environment_of({})), 0);
  options.nproc_per_node = 1;
  EXPECT_EQ(processes_to_start(options, environment_of({})), 0);
  options.nproc_per_node = 3;
  EXPECT_EQ(processes_to_start(options, environment_of({})), 3);
  EXPECT_EQ(processes_to_start(options, environment_of({{"PHRASEQ_LAUNCHER", "1"}})), 0);
  EXPECT_THROW(processes_to_start(options, environment_of({{"RANK", "0"}})), UsageError);
  EXPECT_THROW(processes_to_start(
                   options, environment_of({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}})),
               UsageError);
  EXPECT_THROW(
      processes_to_start(
          options, environment_of({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}})),
      UsageError);
  EXPECT_EQ(processes_to_start(
                options, environment_of({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "1"}})),
            3);
  EXPECT_EQ(
      processes_to_start(
          options,
          environment_of({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"MASTER_ADDR", "x"}})),
      3);
  options.world_size = 4;
  EXPECT_THROW(processes_to_start(options, environment_of({})), UsageError);
  EXPECT_EQ(processes_to_start(options, environment_of({{"PHRASEQ_LAUNCHER", "1"}})), 0);
  options.rank = 1;
  EXPECT_EQ(processes_to_start(options, environment_of({})), 3);
  options.rank = -1;
  options.nproc_per_node = 0;
  options.world_size = 2;  // fairseq's options
  EXPECT_EQ(processes_to_start(options, environment_of({})), 2);
  EXPECT_EQ(processes_to_start(options, environment_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}})), 0);
  options.no_spawn = true;
  EXPECT_EQ(processes_to_start(options, environment_of({})), 0);
}

TEST(LocalProcesses, HaveNoConfigurationFromAPipe) {
  const TemporaryFolder folder;
  const std::string pipe = folder.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const std::vector<std::string> arguments = {"data", "--config", pipe};
  EXPECT_THROW(run_local_processes(arguments, DistributedOptions(), 2), UsageError);
}

}  // namespace
}  // namespace phraseq
