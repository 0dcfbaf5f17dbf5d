#include <sys/inotify.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "fake/manual_inotify.h"
#include "fake/manual_loop.h"
#include "fake/scripted_paths.h"
#include "host/file_trigger.h"

namespace patchbay::host {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

/// Tests when a file is read while a program writes it. The test controls the time.
class WriteDebouncerTest : public testing::Test {
 protected:
  WriteDebouncerTest() {
    follow();
    EXPECT_THAT(take(), ElementsAre("scope")) << "it was not watched while it was read";
  }

  void follow() { trigger_->follow({"/etc/state"}); }
  void file(uint32_t mask) { inotify_.notify("/etc/state", {.mask = mask, .name = ""}); }
  void entry(uint32_t mask) { inotify_.notify("/etc", {.mask = mask, .name = "state"}); }
  void rewrite() {
    file(IN_MODIFY);  // The writer truncates the file.
    file(IN_MODIFY);  // The writer writes to it.
    file(IN_CLOSE_WRITE);
  }
  /// Takes the files that are due.
  std::vector<std::string> take() {
    do loop_.advance(0ms);
    while (paths_.end());
    return std::exchange(looks_, {});
  }
  std::vector<std::string> take_after(loop::Milliseconds time) {
    loop_.advance(time);
    return take();
  }

  fake::ManualLoop loop_;
  fake::ManualInotify inotify_;
  fake::ScriptedPaths paths_;
  std::vector<std::string> looks_;
  paths::PathFollower follower_{loop_, paths_, {.inotify = &inotify_}};
  std::optional<FileTrigger> trigger_{std::in_place, loop_, follower_,
                                      [this] { looks_.emplace_back("scope"); }};
};

TEST_F(WriteDebouncerTest, ReadsOnceWhenTheWriterCloses) {
  file(IN_MODIFY);
  EXPECT_THAT(take_after(10ms), IsEmpty()) << "it is empty now";
  file(IN_MODIFY);
  EXPECT_THAT(take_after(10ms), IsEmpty());
  file(IN_CLOSE_WRITE);
  EXPECT_THAT(take(), ElementsAre("scope"));
  EXPECT_THAT(take_after(1h), IsEmpty());
}

TEST_F(WriteDebouncerTest, ReadsWhenAWriterPausesWithoutClosing) {
  for (int i = 0; i < 5; ++i) {
    file(IN_MODIFY);
    EXPECT_THAT(take_after(paths::WriteDebouncer::kQuietTime - 1ms), IsEmpty());
  }
  EXPECT_THAT(take_after(1ms), ElementsAre("scope"));
  file(IN_MODIFY);
  EXPECT_THAT(take_after(paths::WriteDebouncer::kQuietTime), ElementsAre("scope"));
}

TEST_F(WriteDebouncerTest, ReadsPeriodicallyWhenAWriterNeverPauses) {
  std::vector<loop::Milliseconds> times;
  for (auto time = 0ms; time < 2000ms; time += 10ms) {
    file(IN_MODIFY);
    if (!take_after(10ms).empty()) times.push_back(time + 10ms);
  }
  EXPECT_THAT(times, ElementsAre(500ms, 1000ms, 1500ms, 2000ms));
}

TEST_F(WriteDebouncerTest, ManyWritesCauseFewReads) {
  size_t readings = 0;
  for (int i = 0; i < 1000; ++i) {
    rewrite();
    readings += take_after(1ms).size();
  }
  EXPECT_GE(readings, 19U);
  EXPECT_LE(readings, 21U);
  rewrite();
  EXPECT_THAT(take_after(paths::WriteDebouncer::kQuietTime), ElementsAre("scope"))
      << "the last one counts";
  EXPECT_THAT(take_after(1h), IsEmpty());
}

TEST_F(WriteDebouncerTest, ReplacementCausesTwoReads) {
  entry(IN_MOVED_TO);
  file(IN_ATTRIB);
  file(IN_DELETE_SELF);
  paths_.file_inode = 2;
  EXPECT_THAT(take(), ElementsAre("scope", "scope")) << "it was not watched while it was read";
  follow();
  EXPECT_THAT(take_after(1h), IsEmpty());
}

TEST_F(WriteDebouncerTest, ReadsAtOnceWhenAFileBecomesReadable) {
  file(IN_ATTRIB);
  EXPECT_THAT(take(), ElementsAre("scope"));
  // A file is not read while a program writes it, such as `cp -p`.
  file(IN_MODIFY);
  file(IN_ATTRIB);
  EXPECT_THAT(take(), IsEmpty());
  file(IN_CLOSE_WRITE);
  EXPECT_THAT(take(), ElementsAre("scope"));
}

TEST_F(WriteDebouncerTest, DiscardsAReadingDuringAWrite) {
  EXPECT_FALSE(trigger_->should_defer(true));
  file(IN_MODIFY);
  EXPECT_TRUE(trigger_->should_defer(true));
  EXPECT_THAT(take_after(paths::WriteDebouncer::kQuietTime), ElementsAre("scope"))
      << "then it is read again";
  EXPECT_FALSE(trigger_->should_defer(true));
}

TEST_F(WriteDebouncerTest, AcceptsAReadingOfAConstantlyWrittenFileEventually) {
  const auto deferred = [&](bool all_there) {
    int times = 0;
    file(IN_MODIFY);
    while (times < 100 && trigger_->should_defer(all_there)) ++times;
    return times;
  };
  EXPECT_EQ(deferred(true), 8);
  follow();
  EXPECT_EQ(deferred(true), 8) << "and then it begins anew";
  follow();
  EXPECT_EQ(deferred(false), 40) << "an empty one is not believed so soon";
}

TEST_F(WriteDebouncerTest, DoesNotReadARemovedEntity) {
  entry(IN_MOVED_TO);
  file(IN_MODIFY);
  trigger_.reset();
  EXPECT_THAT(take_after(1h), IsEmpty());
  EXPECT_FALSE(loop_.until_next_timer());
}

}  // namespace
}  // namespace patchbay::host
