#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "driver/kube_client.h"
#include "fake/run_until.h"
#include "loop/event_loop.h"
#include "loop/work_queue.h"

namespace patchbay::driver {
namespace {

/// The first problem that the client of the API server reports if this command is its program.
std::string problem_of(std::vector<std::string> command) {
  loop::UvLoop loop;
  loop::WorkQueue work(loop);
  std::string problem;
  KubeEvents events;
  events.api = [&](const std::string& reported) {
    if (problem.empty()) problem = reported;
  };
  const KubeClient client(loop, work, {.command = std::move(command), .environment = {}},
                          std::move(events));
  EXPECT_TRUE(fake::run_until(loop, [&] { return !problem.empty(); }));
  return problem;
}

TEST(KubeProgram, MissingProgram_ProblemSaysWhichInstallationHasIt) {
  EXPECT_EQ(
      problem_of({"/nonexistent/patchbay-kube"}),
      "the API client is not running (No such file or directory: for DRA use the image, or on "
      "Debian 12 the package)");
}

TEST(KubeProgram, LoaderFindsNoLibrary_ProblemSaysWhichInstallationHasIt) {
  EXPECT_EQ(problem_of({"/bin/sh", "-c", "exit 127"}),
            "the API client is not running (exit code 127: for DRA use the image, or on Debian 12 "
            "the package)");
}

TEST(KubeProgram, ProgramFails_ProblemHasTheExitCodeAlone) {
  EXPECT_EQ(problem_of({"/bin/sh", "-c", "exit 1"}), "the API client is not running (exit code 1)");
}

}  // namespace
}  // namespace patchbay::driver
