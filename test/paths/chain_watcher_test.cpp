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

/// An Inotify that reports the events of the test.
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

class RecordingListener final : public ChainWatcher::Listener {
 public:
  void changed_at_or_above(const std::string& path) override { changed.push_back(path); }
  void chain_changed(const std::string& /*path*/) override {}
  void file_written(const std::string& /*path*/) override {}
  void entry_changed(const std::string& /*path*/, const loop::InotifyEvent& /*event*/) override {}
  void events_lost() override {}
  [[nodiscard]] bool follows_below(const std::string& /*directory*/) const override { return true; }

  std::vector<std::string> changed;
};

/// If the mode of a mount's root changes, the kernel notifies no watch of the directory above.
TEST(ChainWatcherTest, ReportsEventWithoutNameAsChangeOfTheDirectory) {
  fake::ManualLoop loop;
  ScriptedInotify inotify;
  RecordingListener listener;
  ChainWatcher watcher(loop, inotify, {}, listener, IN_ATTRIB);
  PathChain chain;
  chain.watch_points.push_back({.path = "/conf", .entry = "a.yaml", .device = 1, .inode = 2});
  static_cast<void>(watcher.follow("/conf/a.yaml", chain, 0, {.begun = 1, .applied = 1}));
  inotify.watches.at("/conf")({.mask = IN_ATTRIB, .name = "a.yaml"});
  inotify.watches.at("/conf")({.mask = IN_ATTRIB, .name = ""});
  EXPECT_THAT(listener.changed, testing::ElementsAre("/conf/a.yaml", "/conf"));
}

}  // namespace
}  // namespace patchbay::paths
