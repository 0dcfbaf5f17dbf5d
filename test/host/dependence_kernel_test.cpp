#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fake/facts.h"
#include "fake/temp_dir.h"
#include "host/examine.h"
#include "host/kernel_fixture.h"

namespace patchbay::host {
namespace {

using testing::ElementsAre;

/// For facts of kernel devices that depend on files or other devices.
using DependenceTest = KernelTest;

TEST_F(DependenceTest, ReReadsADeviceWhenARuleFileChanges) {
  SKIP_IF(fake::ZramDevice::unavailable());
  const fake::TempDir dir;
  const fake::ZramDevice zram;
  HostQuery query = subsystems({"block"});
  query.files = [](const DeviceFacts& facts) {
    return std::vector<std::string>{"/etc/lab/" + facts.name};
  };
  start(std::move(query), {.root = paths::HostRoot(dir.path())});
  ASSERT_TRUE(comes(zram.syspath()));
  const auto file = "/etc/lab/" + zram.name();
  const auto reads = [&](const NamedValues& files) {
    return until(
        [&] { return fake::named(*listener.devices.at(zram.syspath()), Fact::file) == files; });
  };
  EXPECT_TRUE(reads({}));
  dir.write(file, "spare\n");
  EXPECT_TRUE(reads({{file, "spare"}}));
  dir.write(file, "taken\n");
  EXPECT_TRUE(reads({{file, "taken"}}));
  std::filesystem::remove(dir / file);
  EXPECT_TRUE(reads({}));
  EXPECT_EQ(host->event_counts().rescans, 0U);
}

TEST_F(DependenceTest, ReReadsADeviceWhenAnAncestorAttributeChanges) {
  SKIP_IF(fake::VethPair::unavailable());
  const fake::VethPair veth("pbhost0", "pbhost1");
  const fake::MacvtapDevice macvtap("pbhost0", "pbtap0");
  if (!macvtap.made()) GTEST_SKIP() << "no macvtap to plug here";
  HostQuery query = subsystems({"macvtap"});
  query.wanted = [](const DeviceFacts&) {
    WantedFacts wanted;
    wanted.relevant = true;
    WantedFacts above;
    above.relevant = true;
    above.add(Fact::attribute, "ifalias");
    wanted.above = {above};
    return wanted;
  };
  start(std::move(query));
  ASSERT_TRUE(comes(macvtap.tap_syspath()));
  const auto alias = [&] {
    const auto& above = listener.devices.at(macvtap.tap_syspath())->ancestors;
    return above.empty() ? ValueLists{{"nothing", {"above"}}}
                         : fake::lists(above.front(), Fact::attribute);
  };
  EXPECT_EQ(alias(), ValueLists{});
  ASSERT_EQ(fake::write_to_kernel(macvtap.syspath() + "/ifalias", "burrow"), 0);
  ASSERT_TRUE(fake::uevent_storm(macvtap.syspath(), 1));
  EXPECT_TRUE(until([&] { return alias() == ValueLists{{"ifalias", {"burrow"}}}; }));
  EXPECT_EQ(host->event_counts().rescans, 0U);
}

TEST_F(DependenceTest, FindsDeviceByLinkToNodeAndBySysPath) {
  SKIP_IF(fake::ZramDevice::unavailable());
  const fake::ZramDevice zram;
  const fake::TempDir dir;
  HostQuery query;
  query.sysfs_patterns = {"/sys/block/zram*"};
  query.wanted = [](const DeviceFacts&) {
    WantedFacts wanted;
    wanted.relevant = true;
    wanted.add(Fact::attribute, "disksize");
    return wanted;
  };
  const auto shared = std::make_shared<const HostQuery>(std::move(query));
  const std::string link = dir / "scratch";
  std::filesystem::create_symlink(zram.devnode(), link);
  ASSERT_TRUE(until([&] { return std::filesystem::exists(link); }));
  const auto found = examine(shared, {}, link);
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_EQ(found->size(), 2U);
  EXPECT_EQ(found->at(0)->key, zram.syspath());
  EXPECT_EQ(fake::lists(*found->at(0), Fact::attribute), (ValueLists{{"disksize", {"0"}}}));
  EXPECT_THAT(found->at(0)->found_by,
              ElementsAre(FoundBy{"/sys/block/zram*", "/sys/block/" + zram.name()}));
  EXPECT_EQ(found->at(1)->key, link);
  EXPECT_EQ(found->at(1)->number, found->at(0)->number);

  const auto by_class = examine(shared, {}, "/sys/block/" + zram.name());
  ASSERT_TRUE(by_class) << by_class.error().message;
  ASSERT_EQ(by_class->size(), 1U);
  EXPECT_EQ(*by_class->front(), *found->front());
}

}  // namespace
}  // namespace patchbay::host
