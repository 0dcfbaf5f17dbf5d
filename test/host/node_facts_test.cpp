#include "host/facts/node_facts.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>

#include "fake/hanging_mount.h"
#include "fake/process.h"
#include "fake/temp_dir.h"

namespace patchbay::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NodeFactsTest, ReadsFilesBelowTheRoot) {
  const fake::TempDir dir;
  dir.write("etc/machine", "Bench PC\n");
  dir.write("etc/empty", "");
  dir.write("dev/gopher0", "");
  std::filesystem::create_symlink("nowhere", dir / "dev/dangling");
  const NodeFacts facts =
      read_node_facts({.files = {"/etc/empty", "/etc/missing", "/etc/machine"},
                       .globs = {"/dev/dangling", "/dev/gopher*", "/dev/mole*", "/etc"}},
                      paths::HostRoot(dir.path()));
  EXPECT_EQ(facts.files, (NamedValues{{"/etc/empty", ""}, {"/etc/machine", "Bench PC"}}));
  EXPECT_THAT(facts.globs, ElementsAre("/dev/gopher*", "/etc"));
}

TEST(NodeFactsTest, ReadsFilesAndPatternsBelowProc) {
  const NodeFacts facts = read_node_facts(
      {.files = {"/proc/sys/kernel/ostype"}, .globs = {"/proc/gopher*", "/proc/sel?"}}, {});
  EXPECT_EQ(facts.files, (NamedValues{{"/proc/sys/kernel/ostype", "Linux"}}));
  EXPECT_THAT(facts.globs, ElementsAre("/proc/sel?"));
}

TEST(NodeFactsTest, ReportsUnknownFacts) {
  const fake::TempDir dir;
  std::filesystem::create_directories(dir / "d");
  std::filesystem::create_symlink(".", dir / "d/loop");
  dir.write("d/here", "");
  const std::string far = "/d/*/*/*/*/*/*/*/*/*/";
  const NodeFacts facts = read_node_facts({.files = {}, .globs = {far + "none", "/d/none"}},
                                          paths::HostRoot(dir.path()));
  EXPECT_THAT(facts.globs, IsEmpty());
  EXPECT_THAT(facts.unknown,
              ElementsAre(testing::Pair(far + "none", testing::HasSubstr("8 links"))));
}

TEST(NodeFactsTest, ReadsEnvironmentVariables) {
  ASSERT_EQ(::setenv("PATCHBAY_BENCH", "7", 1), 0);
  ASSERT_EQ(::unsetenv("PATCHBAY_NONE"), 0);
  EXPECT_EQ(read_node_facts({.variables = {"PATCHBAY_BENCH", "PATCHBAY_NONE"}}, {}).variables,
            (NamedValues{{"PATCHBAY_BENCH", "7"}}));
}

TEST(NodeFactsTest, EmptyQueryYieldsNothing) {
  const NodeFacts facts = read_node_facts({}, {});
  EXPECT_THAT(facts.files, IsEmpty());
  EXPECT_THAT(facts.globs, IsEmpty());
}

TEST(NodeFactsTest, HungPathDelaysNoOtherPath) {
  if (const auto reason = fake::HangingMount::unavailable()) GTEST_SKIP() << *reason;
  const fake::TempDir dir;
  const std::string beside = dir.write("machine", "Bench PC");
  fake::HangingMount nfs(std::vector<std::string>{"one"});
  NodeFactReader reader{loop::Executor(), paths::HostRoot()};
  NodeQuery query{.files = {beside}, .globs = {nfs / "o*"}};
  for (int i = 0; i < 25; ++i) query.files.push_back(nfs / std::to_string(i));
  const auto begin = std::chrono::steady_clock::now();
  NodeFacts facts = reader.read(query);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(25))
      << "one after the other it is 52 s";
  EXPECT_EQ(facts.files, (NamedValues{{beside, "Bench PC"}}));
  EXPECT_THAT(facts.unresponsive, testing::SizeIs(26));
  EXPECT_THAT(facts.unknown, testing::Contains(testing::Pair(nfs / "o*", "unresponsive")));
  EXPECT_THAT(facts.watch_paths, testing::Contains(nfs.path())) << "to hear when it answers";
  nfs.let_go();
  EXPECT_TRUE(fake::wait_until([&] { return reader.read(query).unresponsive.empty(); }));
  EXPECT_THAT(reader.read(query).globs, ElementsAre(nfs / "o*"));
}

TEST(NodeFactsTest, KeepsKnownFactsWhileAPathHangs) {
  if (const auto reason = fake::HangingMount::unavailable()) GTEST_SKIP() << *reason;
  const fake::TempDir dir;
  const std::string file = dir.write("d/machine", "Bench PC");
  NodeFactReader reader{loop::Executor(), paths::HostRoot()};
  const NodeQuery query{.files = {file}, .globs = {dir / "d/*"}};
  const NodeFacts before = reader.read(query);
  const fake::HangingMount over{fake::HangingMount::Over{dir / "d"}};
  const NodeFacts after = reader.read(query);
  EXPECT_EQ(after.files, before.files);
  EXPECT_EQ(after.globs, before.globs);
  EXPECT_THAT(after.unknown, IsEmpty());
  EXPECT_THAT(after.unresponsive, testing::SizeIs(2));
}

}  // namespace
}  // namespace patchbay::host
