#include "host/node_facts.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>

#include "fake/temp_dir.h"

namespace patchbay::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NodeFactsTest, SaysWhatIsThereBelowTheRoot) {
  const fake::TempDir dir;
  dir.write("etc/machine", "Bench PC\n");
  dir.write("etc/empty", "");
  dir.write("dev/gopher0", "");
  std::filesystem::create_symlink("nowhere", dir / "dev/dangling");
  const NodeFacts facts =
      read_node_facts({.files = {"/etc/empty", "/etc/missing", "/etc/machine"},
                       .globs = {"/dev/dangling", "/dev/gopher*", "/dev/mole*", "/etc"}},
                      HostRoot(dir.path()));
  EXPECT_EQ(facts.files, (NamedValues{{"/etc/machine", "Bench PC"}}));
  EXPECT_THAT(facts.globs, ElementsAre("/dev/gopher*", "/etc"));
}

TEST(NodeFactsTest, PatternsMayLookAtProcAndSys) {
  const NodeFacts facts = read_node_facts(
      {.files = {"/proc/sys/kernel/ostype"}, .globs = {"/proc/gopher*", "/proc/sel?"}}, {});
  EXPECT_EQ(facts.files, (NamedValues{{"/proc/sys/kernel/ostype", "Linux"}}));
  EXPECT_THAT(facts.globs, ElementsAre("/proc/sel?"));
}

TEST(NodeFactsTest, SaysWhatNobodyKnows) {
  const fake::TempDir dir;
  std::filesystem::create_directories(dir / "d");
  std::filesystem::create_symlink(".", dir / "d/loop");
  dir.write("d/here", "");
  const std::string far = "/d/*/*/*/*/*/*/*/*/*/";
  const NodeFacts facts =
      read_node_facts({.files = {}, .globs = {far + "none", "/d/none"}}, HostRoot(dir.path()));
  EXPECT_THAT(facts.globs, IsEmpty());
  EXPECT_THAT(facts.unknown_globs,
              ElementsAre(testing::Pair(far + "none", testing::HasSubstr("8 links"))));
}

TEST(NodeFactsTest, SaysWhatOurEnvironmentHolds) {
  ASSERT_EQ(::setenv("PATCHBAY_BENCH", "7", 1), 0);
  ASSERT_EQ(::unsetenv("PATCHBAY_NONE"), 0);
  EXPECT_EQ(read_node_facts({.variables = {"PATCHBAY_BENCH", "PATCHBAY_NONE"}}, {}).variables,
            (NamedValues{{"PATCHBAY_BENCH", "7"}}));
}

TEST(NodeFactsTest, NothingAskedNothingSaid) {
  const NodeFacts facts = read_node_facts({}, {});
  EXPECT_THAT(facts.files, IsEmpty());
  EXPECT_THAT(facts.globs, IsEmpty());
}

}  // namespace
}  // namespace patchbay::host
