#include "paths/chain_watcher.h"

#include <sys/inotify.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "fake/manual_loop.h"

namespace patchbay::paths {
namespace {

/// Reports the events of the test.
class ScriptedInotify final : public loop::Inotify {
 public:
  Result<loop::Subscription> watch(const std::string& directory,
                                   std::function<void(const loop::InotifyEvent&)> on_event,
                                   uint32_t /*more*/) override {
    watches[directory] = std::move(on_event);
    return loop::Subscription([] {});
  }
  Result<loop::Subscription> watch_file(
      const std::string& file, std::function<void(const loop::InotifyEvent&)> on_event) override {
    return watch(file, std::move(on_event), 0);
  }

  std::map<std::string, std::function<void(const loop::InotifyEvent&)>> watches;
};

/// For a changed mode at the root of a mount, the kernel notifies no watch above it.
TEST(ChainWatcherTest, ReportsEventWithoutNameAsChangeOfTheDirectory) {
  fake::ManualLoop loop;
  ScriptedInotify inotify;
  std::vector<std::string> happened;
  ChainWatcher watcher(loop, inotify, {},
                       {.at_or_above = [&](const auto& path) { happened.push_back(path); },
                        .on_chain = [](const auto&) {},
                        .written = [](const auto&) {},
                        .entry = [](const auto&, const auto&) {},
                        .lost = [] {},
                        .any_below = [](const auto&) { return true; }},
                       IN_ATTRIB);
  PathChain chain;
  chain.watch_points.push_back({.path = "/conf", .entry = "a.yaml", .device = 1, .inode = 2});
  static_cast<void>(watcher.follow("/conf/a.yaml", chain, 0, {.begun = 1, .applied = 1}));
  inotify.watches.at("/conf")({.mask = IN_ATTRIB, .name = "a.yaml"});
  inotify.watches.at("/conf")({.mask = IN_ATTRIB, .name = ""});
  EXPECT_THAT(happened, testing::ElementsAre("/conf/a.yaml", "/conf"));
}

}  // namespace
}  // namespace patchbay::paths
