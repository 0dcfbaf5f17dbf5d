#include <sys/inotify.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "fake/manual_loop.h"
#include "host/file_watch.h"

namespace patchbay::host {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

/// Tells the events that a test makes up.
class ScriptedInotify final : public loop::Inotify {
 public:
  using Callback = std::function<void(const loop::InotifyEvent&)>;

  Result<loop::Subscription> watch(const std::string& directory, Callback on_event,
                                   uint32_t /*more*/) override {
    return watch_file(directory, std::move(on_event));
  }
  Result<loop::Subscription> watch_file(const std::string& file, Callback on_event) override {
    watches_[file] = std::move(on_event);
    return loop::Subscription([this, file] { watches_.erase(file); });
  }
  void tell(const std::string& path, uint32_t mask, const std::string& name = "") {
    if (const auto it = watches_.find(path); it != watches_.end()) {
      const auto on_event = it->second;
      on_event({.mask = mask, .name = name});
    }
  }

 private:
  std::map<std::string, Callback> watches_;
};

/// When is a file read that is written? Time is the test's.
class FileWritesTest : public testing::Test, public LookHints {
 protected:
  FileWritesTest() {
    follow();
    take();
  }
  void look(const std::string& key) override { looks_.push_back(key); }
  void events_lost(const std::string& source) override { looks_.push_back("lost " + source); }

  void follow() {
    watch_.follow("scope", {{.path = "/etc", .entry = "state", .device = 1, .inode = 1},
                            {.path = "/etc/state", .entry = "", .device = 1, .inode = inode_}});
  }
  void file(uint32_t mask) { inotify_.tell("/etc/state", mask); }
  void rewrite() {
    file(IN_MODIFY);  // Truncated,
    file(IN_MODIFY);  // written,
    file(IN_CLOSE_WRITE);
  }
  /// What was to be looked at by now.
  std::vector<std::string> take() {
    loop_.advance(0ms);
    return std::exchange(looks_, {});
  }
  std::vector<std::string> take_after(loop::Milliseconds time) {
    loop_.advance(time);
    return take();
  }

  fake::ManualLoop loop_;
  ScriptedInotify inotify_;
  std::vector<std::string> looks_;
  FileWatch watch_{loop_, inotify_, *this};
  ino_t inode_ = 2;
};

TEST_F(FileWritesTest, IsReadOnceWhenTheWriterClosesIt) {
  file(IN_MODIFY);
  EXPECT_THAT(take_after(10ms), IsEmpty()) << "it is empty now";
  file(IN_MODIFY);
  EXPECT_THAT(take_after(10ms), IsEmpty());
  file(IN_CLOSE_WRITE);
  EXPECT_THAT(take(), ElementsAre("scope"));
  EXPECT_THAT(take_after(1h), IsEmpty());
}

TEST_F(FileWritesTest, IsReadWhenAWriterPausesThatKeepsItOpen) {
  for (int i = 0; i < 5; ++i) {
    file(IN_MODIFY);
    EXPECT_THAT(take_after(FileWrites::kPause - 1ms), IsEmpty());
  }
  EXPECT_THAT(take_after(1ms), ElementsAre("scope"));
  file(IN_MODIFY);
  EXPECT_THAT(take_after(FileWrites::kPause), ElementsAre("scope"));
}

TEST_F(FileWritesTest, IsReadNowAndThenWhenAWriterNeverPauses) {
  std::vector<loop::Milliseconds> times;
  for (auto time = 0ms; time < 2000ms; time += 10ms) {
    file(IN_MODIFY);
    if (!take_after(10ms).empty()) times.push_back(time + 10ms);
  }
  EXPECT_THAT(times, ElementsAre(500ms, 1000ms, 1500ms, 2000ms));
}

TEST_F(FileWritesTest, ManyRewritesAreFewReadings) {
  size_t readings = 0;
  for (int i = 0; i < 1000; ++i) {
    rewrite();
    readings += take_after(1ms).size();
  }
  EXPECT_GE(readings, 19U);
  EXPECT_LE(readings, 21U);
  rewrite();
  EXPECT_THAT(take_after(FileWrites::kPause), ElementsAre("scope")) << "the last one counts";
  EXPECT_THAT(take_after(1h), IsEmpty());
}

TEST_F(FileWritesTest, OneThatIsPutInPlaceOfAnotherIsOneReading) {
  inotify_.tell("/etc", IN_MOVED_TO, "state");
  file(IN_ATTRIB);
  file(IN_DELETE_SELF);
  EXPECT_THAT(take(), ElementsAre("scope"));
  inode_ = 3;
  follow();
  EXPECT_THAT(take(), ElementsAre("scope")) << "it was not watched while it was read";
  follow();
  EXPECT_THAT(take_after(1h), IsEmpty());
}

TEST_F(FileWritesTest, OneThatBecomesReadableIsReadAtOnce) {
  file(IN_ATTRIB);
  EXPECT_THAT(take(), ElementsAre("scope"));
  // But not while it is written, as by cp -p.
  file(IN_MODIFY);
  file(IN_ATTRIB);
  EXPECT_THAT(take(), IsEmpty());
  file(IN_CLOSE_WRITE);
  EXPECT_THAT(take(), ElementsAre("scope"));
}

TEST_F(FileWritesTest, WhatIsReadWhileItIsWrittenDoesNotCount) {
  EXPECT_FALSE(watch_.defers("scope", true));
  file(IN_MODIFY);
  EXPECT_TRUE(watch_.defers("scope", true));
  EXPECT_FALSE(watch_.defers("psu", true));
  EXPECT_THAT(take_after(FileWrites::kPause), ElementsAre("scope")) << "then it is read again";
  EXPECT_FALSE(watch_.defers("scope", true));
}

TEST_F(FileWritesTest, OneThatIsAlwaysWrittenCountsAtLast) {
  const auto deferred = [&](bool all_there) {
    int times = 0;
    file(IN_MODIFY);
    while (times < 100 && watch_.defers("scope", all_there)) ++times;
    return times;
  };
  EXPECT_EQ(deferred(true), 8);
  follow();
  EXPECT_EQ(deferred(true), 8) << "and then it begins anew";
  follow();
  EXPECT_EQ(deferred(false), 40) << "an empty one is not believed so soon";
}

TEST_F(FileWritesTest, AThingThatIsGoneIsNotLookedAt) {
  inotify_.tell("/etc", IN_MOVED_TO, "state");
  file(IN_MODIFY);
  watch_.drop("scope");
  EXPECT_THAT(take_after(1h), IsEmpty());
  EXPECT_FALSE(loop_.until_next_timer());
}

}  // namespace
}  // namespace patchbay::host
