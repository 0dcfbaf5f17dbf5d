#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "host/facts/sysfs_files.h"
#include "host/kernel_fixture.h"
#include "host/link_watch.h"
#include "host/recording_hints.h"

namespace patchbay::host {
namespace {

using testing::Contains;

class LinkTest : public KernelTest {
 protected:
  void SetUp() override { SKIP_IF(fake::VethPair::unavailable()); }

  [[nodiscard]] static HostQuery carriers(bool follows_links) {
    HostQuery query = subsystems({"net"});
    query.follows_links = follows_links;
    query.wanted = [](const DeviceFacts& cheap) {
      return WantedFacts{.relevant = cheap.name.starts_with("pbhost"),
                         .facts = {{Fact::attribute, "carrier"}}};
    };
    return query;
  }
  [[nodiscard]] std::string carrier(const std::string& key) const {
    return std::string(listener.devices.at(key)->known.first(Fact::attribute, "carrier"));
  }

  RecordingHints hints;
  RecordingRescans rescans;
  Targets targets{{}, {}};
  UnresponsiveReads missing{loop, targets, listener};
  EventCounts counts;
  LinkWatch watch{loop, hints, rescans, missing, counts};
};

/// The kernel sends no uevent when a link goes down, and no rescan is due.
TEST_F(LinkTest, ReportsALinkThatGoesDown) {
  const fake::VethPair veth("pbhost0", "pbhost1");
  const std::string key = veth.syspath();
  ASSERT_TRUE(fake::VethPair::set_up("pbhost0", true));
  ASSERT_TRUE(fake::VethPair::set_up("pbhost1", true));
  ASSERT_TRUE(until([&] { return read_attribute({}, key, "carrier") == "1"; }));
  start(carriers(true));
  ASSERT_TRUE(comes(key));
  ASSERT_TRUE(until([&] { return carrier(key) == "1"; }));
  for (int round = 0; round < 3; ++round) {
    ASSERT_TRUE(fake::VethPair::set_up("pbhost1", false));
    ASSERT_TRUE(until([&] { return carrier(key) == "0"; })) << round;
    ASSERT_TRUE(fake::VethPair::set_up("pbhost1", true));
    ASSERT_TRUE(until([&] { return carrier(key) == "1"; })) << round;
  }
  EXPECT_GT(host->event_counts().links, 0U);
  EXPECT_EQ(host->event_counts().rescans, 0U);
}

TEST_F(LinkTest, DoesNotFollowLinksWithoutARuleThatNeedsThem) {
  const fake::VethPair veth("pbhost0", "pbhost1");
  start(carriers(false));
  ASSERT_TRUE(comes(veth.syspath()));
  ASSERT_TRUE(fake::VethPair::set_up("pbhost0", true));
  const fake::VethPair later("pbhost2", "pbhost3");  // Its uevent comes after the link's message.
  ASSERT_TRUE(comes(later.syspath()));
  EXPECT_EQ(host->event_counts().links, 0U);
}

/// While the loop does not run, the kernel sends more messages than the socket can buffer.
TEST_F(LinkTest, OverflowRereadsAllInterfaces) {
  const fake::VethPair veth("pbhost0", "pbhost1");
  const fake::VethPair quiet("pbhost2", "pbhost3");
  watch.start();
  const std::string batch = "/tmp/patchbay-links";
  {
    std::ofstream commands(batch);
    for (int i = 0; i < 3000; ++i) {
      commands << "link set pbhost0 " << (i % 2 == 0 ? "up" : "down") << '\n';
    }
  }
  ASSERT_EQ(fake::run_command({"ip", "-batch", batch}), 0);
  ::unlink(batch.c_str());
  ASSERT_TRUE(until([&] { return counts.overflows > 0; }));
  EXPECT_TRUE(until([&] {
    return std::ranges::find(hints.refreshed, quiet.syspath()) != hints.refreshed.end();
  }));
}

/// Messages about links also report statistics, addresses and similar data.
TEST_F(LinkTest, IgnoresMessagesThatDoNotChangeTheLink) {
  const fake::VethPair veth("pbhost0", "pbhost1");
  watch.start();
  const auto refreshed = [&] { return std::ranges::count(hints.refreshed, veth.syspath()); };
  ASSERT_EQ(fake::run_command({"ip", "link", "set", "pbhost0", "mtu", "1400"}), 0);
  ASSERT_TRUE(until([&] { return refreshed() == 1; })) << "the first word of it";
  const auto before = counts.links;
  ASSERT_EQ(fake::run_command({"ip", "link", "set", "pbhost0", "mtu", "1300"}), 0);
  ASSERT_TRUE(until([&] { return counts.links > before; }));
  ASSERT_TRUE(fake::VethPair::set_up("pbhost1", true));
  ASSERT_TRUE(until([&] {
    return std::ranges::find(hints.refreshed, "/sys/devices/virtual/net/pbhost1") !=
           hints.refreshed.end();
  }));
  EXPECT_EQ(refreshed(), 1);
}

}  // namespace
}  // namespace patchbay::host
