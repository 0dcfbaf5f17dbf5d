#include "host/refresher.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "fake/manual_loop.h"
#include "fake/manual_work_queue.h"
#include "host/glob_source.h"
#include "host/recording_listener.h"
#include "host/unresponsive_reads.h"
#include "loop/executor.h"

namespace patchbay::host {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

using Keys = std::vector<std::string>;

class RefresherTest : public testing::Test, public EntityReader, public ReadListener {
 protected:
  RefresherTest() { pending.set_queue(true); }

  static Keys keys(int count) {
    Keys made;
    for (int i = 0; i < count; ++i) made.push_back("/sys/devices/d" + std::to_string(1000 + i));
    return made;
  }

  Reading read_one(const Target& target) {
    read.push_back(target.key);
    if (target.event_time) events.push_back(target.key);
    if (during_read) during_read(target.key);
    Reading reading;
    reading.event_time = target.event_time;
    reading.took = loop::Milliseconds(slow.contains(target.key) ? 500 : 0);
    if (uninitialised.contains(target.key) && target.defer_uninitialised) {
      reading.deferred = true;
    } else if (present.contains(target.key)) {
      DeviceFacts facts;
      facts.key = target.key;
      reading.facts = std::make_shared<const DeviceFacts>(std::move(facts));
    }
    return reading;
  }

  // EntityReader
  std::optional<Reading> try_read_cached(const Target& target) override {
    if (!in_memory.contains(target.key)) return std::nullopt;
    return read_one(target);
  }
  std::optional<Reading> try_read_from_event(const Target& target,
                                             const DeviceFacts& /*event_facts*/) override {
    if (!known_from_event.contains(target.key)) return std::nullopt;
    return read_one(target);
  }
  loop::Subscription start(std::shared_ptr<Batch> batch, std::shared_ptr<ReadProgress> progress,
                           loop::WorkQueue::Callbacks callbacks) override {
    jobs.push_back(batch->size());
    return threads.run([this, batch, progress] { read_batch(*batch, *progress); },
                       std::move(callbacks));
  }
  std::string mount_of(const std::string& key) override { return mounts[key]; }

  void read_batch(Batch& batch, ReadProgress& progress) {
    size_t count = 0;
    batch.run([&](const Target& target) -> std::optional<Reading> {
      if (count++ == stop_after) return std::nullopt;
      progress.begin(target.key);
      if (partial.contains(target.key)) {
        DeviceFacts facts;
        facts.key = target.key;
        facts.unread = {{Fact::file, "/f"}};
        progress.set_facts(facts);
      }
      return read_one(target);
    });
  }

  // ReadListener
  void seen(const Reading& reading) override {
    report("+" + reading.facts->key, reading.event_time);
  }
  void seen_partly(const DeviceFactsPtr& facts, std::optional<loop::Time> event_time) override {
    report("part of " + facts->key, event_time);
  }
  void deferred(const std::string& key) override { reported.push_back("deferred " + key); }
  void gone(const std::string& key, std::optional<loop::Time> event_time) override {
    report("-" + key, event_time);
  }

  /// Each key whose read is slow ("waits KEY"), or whose read hangs or was skipped ("hangs KEY").
  Keys unresponsive() {
    reads.report();
    Keys all;
    for (const auto& [what, key] : host_listener.unresponsive_keys) {
      all.push_back((host_listener.hangs(what) ? "hangs " : "waits ") + key);
    }
    return all;
  }

  void report(std::string text, std::optional<loop::Time> event_time) {
    reported.push_back(std::move(text));
    event_times.push_back(event_time);
  }

  void refresh_from_event(const std::string& key) {
    DeviceFacts facts;
    facts.key = key;
    refresher.refresh_from_event(facts);
  }

  fake::ManualLoop loop;
  std::set<std::string> present;
  std::set<std::string> in_memory;         ///< Keys that can be read without a job.
  std::set<std::string> known_from_event;  ///< Keys that can be read from the uevent.
  std::set<std::string> uninitialised;
  std::set<std::string> slow;
  /// Keys whose read reports some facts (ReadProgress::set_facts()) before it ends.
  std::set<std::string> partial;
  /// Maximum number of entities that a job reads. Other jobs read the rest of the slice.
  size_t stop_after = SIZE_MAX;
  std::function<void(const std::string&)> during_read;

  Keys read;                 ///< Keys in the order of their reads.
  Keys events;               ///< Keys whose read had an event time.
  std::vector<size_t> jobs;  ///< Number of entities in the batch of each job.
  Keys reported;             ///< Reports: "+key", "-key", "part of key", "deferred key".

  std::map<std::string, std::string> mounts;
  fake::ManualWorkQueue threads{loop};

  std::vector<std::optional<loop::Time>> event_times;  ///< Event times of the reports.

  Targets targets{{}, {}};
  UdevPending pending{true};
  RecordingListener host_listener;
  UnresponsiveReads reads{loop, targets, host_listener};
  Refresher refresher{loop, targets, pending, *this, reads, globs, *this};
  GlobSource globs{loop, {}, {}, nullptr, targets, refresher, reads, host_listener};
};

TEST_F(RefresherTest, ReportsExistingEntities) {
  present = {"/a"};
  refresher.refresh("/a");
  refresher.refresh("/b");
  loop.run_ready();
  EXPECT_THAT(reported, ElementsAre("+/a"));
  EXPECT_TRUE(refresher.knows("/a"));
  EXPECT_FALSE(refresher.knows("/b"));
  EXPECT_EQ(refresher.reads(), 2U);
}

TEST_F(RefresherTest, ReportsTheTimeOfTheFirstEvent) {
  present = {"/a"};
  const loop::Time begin = loop.now();
  refresher.refresh("/a");
  during_read = [&](const std::string& key) {
    during_read = nullptr;
    for (int i = 0; i < 2; ++i) {  // The running read may have begun before these events.
      loop.advance(loop::Milliseconds(3));
      refresher.refresh(key);
    }
  };
  loop.run_ready();
  EXPECT_THAT(event_times, ElementsAre(begin, begin + loop::Milliseconds(3)));
  present.clear();
  refresher.refresh("/a");
  const loop::Time last = loop.now();
  loop.run_ready();
  EXPECT_THAT(reported, ElementsAre("+/a", "+/a", "-/a"));
  EXPECT_EQ(event_times.back(), last);
  present = {"/a"};
  refresher.scan({"/a"}, ReadReason::found);
  loop.run_ready();
  EXPECT_EQ(event_times.back(), std::nullopt);
}

TEST_F(RefresherTest, CachedReadNeedsNoJob) {
  present = {"/a", "/b"};
  in_memory = {"/a"};
  refresher.refresh("/a");
  EXPECT_THAT(reported, ElementsAre("+/a")) << "the read ends within refresh()";
  EXPECT_THAT(event_times, ElementsAre(loop.now()));
  refresher.refresh("/b");
  refresher.scan({"/b"}, ReadReason::found);
  loop.run_ready();
  EXPECT_THAT(reported, ElementsAre("+/a", "+/b"));
  EXPECT_THAT(jobs, ElementsAre(1));
  EXPECT_EQ(refresher.reads(), 2U);
}

TEST_F(RefresherTest, CaughtUpTaskRunsAfterCachedReads) {
  present = {"/a", "/b"};
  in_memory = {"/a"};
  size_t reported_by_then = 0;
  refresher.refresh("/b");
  refresher.when_caught_up([&] { reported_by_then = reported.size(); });
  refresher.refresh("/a");
  refresher.when_caught_up([&] { reported_by_then = reported.size(); });
  loop.run_ready();
  EXPECT_EQ(reported_by_then, 2U);
}

TEST_F(RefresherTest, ReReadsAnEntityThatAScanFindsDuringItsRead) {
  present = {"/a"};
  refresher.refresh("/a");
  loop.run_ready();
  during_read = [&](const std::string& key) {
    present.clear();  // The entity is missing only during this read.
    refresher.scan({key}, ReadReason::found);
    during_read = [&](const std::string& again) {
      during_read = nullptr;
      present.insert(again);
    };
  };
  refresher.refresh("/a");
  loop.run_ready();
  EXPECT_THAT(reported, ElementsAre("+/a", "-/a", "+/a"));
}

TEST_F(RefresherTest, ReReadsARemovedEntityThatAScanFindsDuringItsRead) {
  present = {"/a"};
  refresher.refresh("/a");
  loop.run_ready();
  during_read = [&](const std::string& key) {
    during_read = nullptr;
    refresher.gone(key);
    refresher.scan({key}, ReadReason::found);
  };
  refresher.refresh("/a");
  loop.run_ready();
  EXPECT_THAT(reported, ElementsAre("+/a", "-/a", "+/a"));
  EXPECT_THAT(event_times.back(), std::nullopt);
}

TEST_F(RefresherTest, ReadHasAnEventTimeOnlyAfterAHint) {
  present = {"/a"};
  slow = {"/a"};
  refresher.scan({"/a"}, ReadReason::found);
  loop.run_ready();
  EXPECT_THAT(events, IsEmpty());
  refresher.refresh("/a");
  loop.run_ready();
  EXPECT_THAT(events, ElementsAre("/a"));
  refresher.scan({"/a"}, ReadReason::rescan);  // /a waits in the slow lane.
  loop.run_ready();
  EXPECT_THAT(read, ElementsAre("/a", "/a", "/a"));
  EXPECT_THAT(events, ElementsAre("/a"));
}

TEST_F(RefresherTest, ManyHintsForAQueuedEntityCauseOneRead) {
  present = {"/a", "/b", "/c"};
  refresher.refresh("/a");  // /a and /b keep both jobs busy.
  refresher.refresh("/b");
  for (int i = 0; i < 1000; ++i) refresher.refresh("/c");
  loop.run_ready();
  EXPECT_THAT(read, ElementsAre("/a", "/b", "/c"));
}

TEST_F(RefresherTest, HintsDuringAReadCauseOneMoreRead) {
  present = {"/a"};
  bool first = true;
  during_read = [&](const std::string& key) {
    if (!std::exchange(first, false)) return;
    refresher.refresh(key);
    refresher.refresh(key);
  };
  refresher.refresh("/a");
  loop.run_ready();
  EXPECT_THAT(read, ElementsAre("/a", "/a"));
  EXPECT_THAT(reported, ElementsAre("+/a", "+/a"));
}

TEST_F(RefresherTest, DoesNotReportAnEntityRemovedDuringItsRead) {
  present = {"/a"};
  during_read = [&](const std::string& key) { refresher.gone(key); };
  refresher.refresh("/a");
  loop.run_ready();
  EXPECT_THAT(reported, IsEmpty());
  EXPECT_FALSE(refresher.knows("/a"));
}

TEST_F(RefresherTest, ReReadsAnEntityReplacedDuringItsRead) {
  present = {"/a"};
  bool first = true;
  during_read = [&](const std::string& key) {
    if (!std::exchange(first, false)) return;
    refresher.gone(key);
    refresher.refresh(key);
  };
  refresher.refresh("/a");
  loop.run_ready();
  EXPECT_THAT(read, ElementsAre("/a", "/a"));
  EXPECT_THAT(reported, ElementsAre("+/a"));
}

TEST_F(RefresherTest, ReportsARemovalImmediatelyAndOnlyOnce) {
  present = {"/a"};
  refresher.refresh("/a");
  loop.run_ready();
  refresher.gone("/a");
  EXPECT_THAT(reported, ElementsAre("+/a", "-/a"));
  refresher.gone("/a");
  refresher.gone("/never-seen");
  EXPECT_THAT(reported, SizeIs(2));
}

TEST_F(RefresherTest, RemovalCancelsAQueuedHint) {
  present = {"/a", "/b", "/c"};
  refresher.refresh("/a");
  refresher.refresh("/b");
  refresher.refresh("/c");
  refresher.gone("/c");
  loop.run_ready();
  EXPECT_THAT(read, ElementsAre("/a", "/b"));
}

TEST_F(RefresherTest, MissingEntityIsReportedAsGone) {
  present = {"/a"};
  refresher.refresh("/a");
  loop.run_ready();
  present.clear();
  refresher.refresh("/a");
  loop.run_ready();
  EXPECT_THAT(reported, ElementsAre("+/a", "-/a"));
}

TEST_F(RefresherTest, DiscardsTheReadingOfADeviceThatUdevdProcesses) {
  present = {"/a"};
  during_read = [&](const std::string& key) { pending.defer(key, loop.now()); };
  refresher.refresh("/a");
  loop.run_ready();
  EXPECT_THAT(reported, IsEmpty());
}

TEST_F(RefresherTest, TwoJobsReadAScanInSlices) {
  const Keys many = keys(1000);
  present = {many.begin(), many.end()};
  refresher.scan(many, ReadReason::found);
  loop.run_ready();
  EXPECT_THAT(reported, SizeIs(1000));
  // A slice has a quarter of the waiting entities, but at least kSlice (64) and at most kLargeSlice
  // (256). The last slice has the rest.
  EXPECT_THAT(jobs, ElementsAre(250, 187, 140, 105, 79, 64, 64, 64, 47));
}

TEST_F(RefresherTest, SliceOfALargeScanHasAtMostKLargeSlice) {
  const Keys many = keys(5000);
  present = {many.begin(), many.end()};
  refresher.scan(many, ReadReason::found);
  loop.run_ready();
  EXPECT_EQ(std::ranges::max(jobs), Refresher::kLargeSlice);
}

TEST_F(RefresherTest, EventOvertakesAScan) {
  const Keys many = keys(1000);
  present = {many.begin(), many.end()};
  present.insert("/plugged");
  refresher.scan(many, ReadReason::found);
  refresher.refresh("/plugged");
  loop.run_ready();
  const auto at = std::ranges::find(reported, "+/plugged") - reported.begin();
  EXPECT_LE(at, 2 * static_cast<ptrdiff_t>(Refresher::kLargeSlice));
}

TEST_F(RefresherTest, RescanLeavesAJobForEvents) {
  const Keys many = keys(1000);
  present = {many.begin(), many.end()};
  refresher.scan(many, ReadReason::found);
  loop.run_ready();
  jobs.clear();
  refresher.scan(many, ReadReason::rescan);
  EXPECT_THAT(jobs, SizeIs(1));
  present.insert("/plugged");
  refresher.refresh("/plugged");
  EXPECT_THAT(jobs, ElementsAre(250, 1)) << "the event does not wait for the rescan";
  loop.run_ready();
  EXPECT_THAT(reported, SizeIs(2001));
}

TEST_F(RefresherTest, EventDuringARescanWaitsForNoMoreThanOneSlice) {
  const Keys many = keys(1000);
  present = {many.begin(), many.end()};
  refresher.scan(many, ReadReason::found);
  loop.run_ready();
  reported.clear();
  present.insert("/plugged");
  during_read = [&](const std::string&) {
    during_read = nullptr;
    refresher.refresh("/plugged");
  };
  refresher.scan(many, ReadReason::rescan);
  loop.run_ready();
  const auto at = std::ranges::find(reported, "+/plugged") - reported.begin();
  EXPECT_LE(at, static_cast<ptrdiff_t>(Refresher::kLargeSlice));
}

TEST_F(RefresherTest, RescanComesAfterAScanForNewEntities) {
  present = {"/a", "/b", "/c"};
  refresher.refresh("/a");
  loop.run_ready();
  read.clear();
  refresher.refresh("/c");  // /c and /b keep both jobs busy, so the scans wait.
  refresher.refresh("/b");
  refresher.scan({"/a", "/not-reported"}, ReadReason::rescan);
  refresher.scan({"/a", "/d"}, ReadReason::found);
  loop.run_ready();
  EXPECT_THAT(read, ElementsAre("/c", "/b", "/d", "/a"));
}

TEST_F(RefresherTest, DefersUninitialisedDevicesOfAScanWhileUdevdIsBusy) {
  present = {"/a"};
  uninitialised = {"/a"};
  refresher.scan({"/a"}, ReadReason::found);
  loop.run_ready();
  EXPECT_THAT(reported, ElementsAre("deferred /a"));
  refresher.refresh("/a");
  loop.run_ready();
  EXPECT_THAT(reported, ElementsAre("deferred /a", "+/a"));
}

TEST_F(RefresherTest, SlowEntityDelaysNoOtherEntity) {
  present = {"/slow", "/a", "/b"};
  slow = {"/slow"};
  refresher.refresh("/slow");
  loop.run_ready();
  read.clear();
  jobs.clear();
  refresher.refresh("/slow");
  refresher.refresh("/a");
  refresher.refresh("/b");
  loop.run_ready();
  EXPECT_THAT(jobs, ElementsAre(1, 1, 1)) << "the slow lane has a job of its own";
  EXPECT_THAT(reported, SizeIs(4));
}

TEST_F(RefresherTest, NextJobReadsTheRestOfASlice) {
  const Keys many = keys(10);
  present = {many.begin(), many.end()};
  stop_after = 3;
  int caught_up = 0;
  refresher.scan(many, ReadReason::found);
  refresher.when_caught_up([&] { caught_up = static_cast<int>(reported.size()); });
  loop.run_ready();
  EXPECT_THAT(reported, SizeIs(10));
  EXPECT_THAT(jobs, ElementsAre(10, 7, 4, 1));
  EXPECT_EQ(caught_up, 10);
  EXPECT_EQ(refresher.reads(), 10U)
      << "reads() does not count an entity that a job puts back into the queue unread";
}

TEST_F(RefresherTest, EntityReturnedToTheQueueKeepsItsHint) {
  present = uninitialised = {"/a", "/b", "/c", "/d"};
  stop_after = 1;
  for (const char* key : {"/a", "/b", "/c", "/d"}) refresher.refresh(key);
  loop.run_ready();
  EXPECT_THAT(jobs, ElementsAre(1, 1, 2, 1)) << "the job of /c and /d returns /d to the queue";
  EXPECT_THAT(reported, ElementsAre("+/a", "+/b", "+/c", "+/d"));
  EXPECT_THAT(event_times, Each(loop.now()));
}

TEST_F(RefresherTest, CaughtUpTaskRunsAfterAllWaitingReads) {
  const Keys many = keys(300);
  present = {many.begin(), many.end()};
  size_t reported_by_then = 0;
  refresher.refresh(many.front());
  refresher.scan(many, ReadReason::found);
  refresher.when_caught_up(
      [&] { reported_by_then = std::set(reported.begin(), reported.end()).size(); });
  loop.run_ready();
  EXPECT_EQ(reported_by_then, 300U);
}

TEST_F(RefresherTest, CaughtUpTaskWaitsForHintsDuringARead) {
  present = {"/a"};
  size_t reported_by_then = 0;
  during_read = [&](const std::string& key) {
    if (read.size() > 1) return;
    refresher.refresh(key);
    refresher.when_caught_up([&] { reported_by_then = reported.size(); });
  };
  refresher.scan({"/a"}, ReadReason::found);
  loop.run_ready();
  EXPECT_THAT(reported, ElementsAre("+/a", "+/a"));
  EXPECT_EQ(reported_by_then, 2U);
}

TEST_F(RefresherTest, EndlessEventsDoNotDelayCaughtUpTask) {
  present = {"/busy", "/a"};
  int readings = 0;
  during_read = [&](const std::string& key) {
    if (key == "/busy" && ++readings < 1000) refresher.refresh("/busy");
  };
  int caught_up_after = 0;
  refresher.refresh("/busy");
  refresher.scan({"/a"}, ReadReason::found);
  refresher.when_caught_up([&] { caught_up_after = readings; });
  loop.run_ready();
  EXPECT_EQ(readings, 1000);
  EXPECT_LT(caught_up_after, 10);
}

TEST_F(RefresherTest, CaughtUpTaskRunsAtOnceIfNothingIsQueued) {
  bool caught_up = false;
  refresher.when_caught_up([&] { caught_up = true; });
  EXPECT_TRUE(caught_up);
}

TEST_F(RefresherTest, ListsReportedKeysBelowADirectory) {
  present = {"/sys/a", "/sys/a-b", "/sys/a/b", "/sys/a/b/c", "/sys/b"};
  for (const std::string& key : present) refresher.refresh(key);
  loop.run_ready();
  EXPECT_THAT(refresher.reported_below("/sys/a"), ElementsAre("/sys/a/b", "/sys/a/b/c"));
}

TEST_F(RefresherTest, DeliversKnownFactsWhileOtherFactsAreRead) {
  present = partial = {"/a"};
  bool again = false;
  during_read = [&](const std::string&) {
    if (std::exchange(again, true)) return;
    threads.became_slow();
    EXPECT_THAT(reported, ElementsAre("part of /a"));
    threads.time_out();
  };
  refresher.scan({"/a"}, ReadReason::found);
  loop.run_ready();
  EXPECT_THAT(reported, ElementsAre("part of /a", "part of /a", "+/a", "+/a"));
}

TEST_F(RefresherTest, ReportedEntityKeepsItsFactsDuringSlowRead) {
  present = partial = {"/a"};
  bool again = false;
  refresher.assume("/a");
  during_read = [&](const std::string&) {
    if (std::exchange(again, true)) return;
    threads.became_slow();
    EXPECT_THAT(reported, IsEmpty());
  };
  refresher.refresh("/a");
  loop.run_ready();
  EXPECT_THAT(reported, ElementsAre("+/a"));
}

TEST_F(RefresherTest, HungReadDelaysNoOtherEntity) {
  present = {"/a", "/b", "/c"};
  bool caught_up = false;
  bool again = false;
  during_read = [&](const std::string& key) {
    if (key != "/b" || std::exchange(again, true)) return;
    threads.became_slow();
    loop.run_ready();
    EXPECT_THAT(unresponsive(), ElementsAre("waits /b"));
    EXPECT_THAT(reported, ElementsAre("+/a", "+/c"));
    EXPECT_TRUE(caught_up);
    threads.time_out();
    EXPECT_THAT(unresponsive(), ElementsAre("hangs /b"));
    refresher.refresh("/b");
    loop.run_ready();
    EXPECT_THAT(read, ElementsAre("/a", "/b", "/c")) << "two jobs do not read /b at the same time";
  };
  refresher.scan({"/a", "/b", "/c"}, ReadReason::found);
  refresher.when_caught_up([&] { caught_up = true; });
  loop.run_ready();
  EXPECT_THAT(reported, ElementsAre("+/a", "+/c", "+/b", "+/b"))
      << "the hint for /b causes one more read";
  EXPECT_THAT(unresponsive(), IsEmpty());
}

TEST_F(RefresherTest, SkipsEntitiesOfAMountOnWhichTooManyReadsHang) {
  const Keys many = keys(10);
  present = {many.begin(), many.end()};
  present.insert("/other");
  for (const std::string& key : many) mounts[key] = "/mount";
  size_t deep = 0;
  bool at_limit = false;
  during_read = [&](const std::string& key) {
    if (key == "/other" || deep == loop::kMaxHungPerMount) return;
    ++deep;
    threads.became_slow();
    loop.run_ready();
    if (deep == loop::kMaxHungPerMount && !std::exchange(at_limit, true)) {
      EXPECT_THAT(reported, testing::Contains("+/other"));
      EXPECT_THAT(unresponsive(), testing::Contains("hangs " + many.back()))
          << "too many reads hang on /mount, so the last entity is skipped";
    }
    --deep;
  };
  Keys all = many;
  all.emplace_back("/other");
  refresher.scan(all, ReadReason::found);
  loop.run_ready();
  EXPECT_TRUE(at_limit);
  EXPECT_THAT(unresponsive(), IsEmpty());
  EXPECT_THAT(std::set(reported.begin(), reported.end()), SizeIs(11));
}

TEST_F(RefresherTest, SkipsEntitiesIfNoThreadIsFree) {
  const Keys many = keys(3);
  present = {many.begin(), many.end()};
  threads.set_has_threads(false);
  refresher.scan(many, ReadReason::found);
  loop.run_ready();
  EXPECT_THAT(unresponsive(),
              UnorderedElementsAre("hangs " + many[0], "hangs " + many[1], "hangs " + many[2]));
  EXPECT_THAT(read, IsEmpty());
}

TEST_F(RefresherTest, KeepsTheEventTimeOfASkippedEntity) {
  present = {"/a"};
  const loop::Time event_time = loop.now();
  threads.set_has_threads(false);
  refresher.refresh("/a");
  loop.run_ready();
  threads.set_has_threads(true);
  loop.advance(loop::Milliseconds(5000));
  refresher.refresh("/a");
  loop.run_ready();
  EXPECT_THAT(event_times, ElementsAre(event_time));
}

TEST_F(RefresherTest, SlowEntitiesAreReadOneAtATime) {
  present = slow = {"/a", "/b"};
  refresher.scan({"/a", "/b"}, ReadReason::found);
  loop.run_ready();
  jobs.clear();
  refresher.refresh("/a");
  refresher.refresh("/b");
  EXPECT_THAT(jobs, ElementsAre(1)) << "/b waits for /a";
  loop.run_ready();
  EXPECT_THAT(jobs, ElementsAre(1, 1));
}

TEST_F(RefresherTest, CaughtUpTaskWaitsForHintsThatAreNotInAJobYet) {
  present = {"/a", "/b", "/c"};
  bool caught_up = false;
  during_read = [&](const std::string& key) { EXPECT_FALSE(caught_up && key == "/c"); };
  for (const char* key : {"/a", "/b", "/c"}) refresher.refresh(key);
  EXPECT_THAT(jobs, SizeIs(2)) << "/c waits for a job";
  refresher.when_caught_up([&] { caught_up = true; });
  loop.run_ready();
  EXPECT_TRUE(caught_up);
  EXPECT_THAT(reported, ElementsAre("+/a", "+/b", "+/c"));
}

TEST_F(RefresherTest, CaughtUpTaskDoesNotWaitForASlowJob) {
  present = {"/a"};
  bool caught_up = false;
  during_read = [&](const std::string&) {
    EXPECT_FALSE(caught_up);
    threads.became_slow();
    EXPECT_TRUE(caught_up);
  };
  refresher.scan({"/a"}, ReadReason::found);
  refresher.when_caught_up([&] { caught_up = true; });
  loop.run_ready();
}

TEST_F(RefresherTest, ReadsOnceAfterARemovalBetweenTwoHints) {
  present = {"/a", "/b", "/c"};
  refresher.refresh("/a");
  refresher.refresh("/b");
  refresher.refresh("/c");
  refresher.gone("/c");
  refresher.refresh("/c");
  loop.run_ready();
  EXPECT_THAT(read, ElementsAre("/a", "/b", "/c"));
}

TEST_F(RefresherTest, ForgetsRemovedEntity) {
  present = {"/a"};
  refresher.refresh("/a");
  loop.run_ready();
  refresher.gone("/a");
  EXPECT_FALSE(refresher.knows("/a"));
  refresher.scan({"/b"}, ReadReason::rescan);
  EXPECT_FALSE(refresher.knows("/b")) << "a rescan reads only reported entities";
}

TEST_F(RefresherTest, DoesNotDeliverKnownFactsOfADeviceThatUdevdProcesses) {
  present = partial = {"/a"};
  bool again = false;
  during_read = [&](const std::string&) {
    if (std::exchange(again, true)) return;
    pending.defer("/a", loop.now());
    threads.became_slow();
    EXPECT_THAT(reported, IsEmpty());
  };
  refresher.scan({"/a"}, ReadReason::found);
  loop.run_ready();
}

TEST_F(RefresherTest, ReportsTheRemovalOfAPartlyReadEntity) {
  partial = {"/a"};
  bool again = false;
  during_read = [&](const std::string&) {
    if (!std::exchange(again, true)) threads.became_slow();
  };
  refresher.scan({"/a"}, ReadReason::found);
  loop.run_ready();
  EXPECT_THAT(reported, ElementsAre("part of /a", "-/a"));
}

/// assume() treats an entity as reported, because another Host reported it.
TEST_F(RefresherTest, ReportsAnAssumedEntityAsGoneIfItDoesNotExist) {
  refresher.assume("/a");
  EXPECT_THAT(refresher.reported_below(""), ElementsAre("/a"));
  refresher.refresh("/a");
  loop.run_ready();
  EXPECT_THAT(reported, ElementsAre("-/a"));
}

TEST_F(RefresherTest, ReadsFromAKernelEventAtOnce) {
  const loop::Time now = loop.now();
  present = {"/a"};
  known_from_event = {"/a", "/gone"};
  refresh_from_event("/a");
  EXPECT_THAT(reported, ElementsAre("+/a")) << "the read ends within refresh_from_event()";
  EXPECT_THAT(event_times, ElementsAre(now));
  refresh_from_event("/gone");
  EXPECT_FALSE(refresher.knows("/gone"));
  present = {};
  refresh_from_event("/a");
  EXPECT_THAT(reported, ElementsAre("+/a", "-/a"));
  loop.run_ready();
  EXPECT_THAT(jobs, IsEmpty());
  EXPECT_EQ(refresher.reads(), 3U);
}

/// While a task of when_caught_up() waits, nothing is read inline, because only the end of a job
/// makes Refresher check whether the task can run.
TEST_F(RefresherTest, DoesNotReadInlineWhileACaughtUpTaskWaits) {
  present = known_from_event = {"/a", "/b"};
  refresh_from_event("/a");
  refresher.refresh("/b");
  size_t reported_by_then = 0;
  refresher.when_caught_up([&] { reported_by_then = reported.size(); });
  refresh_from_event("/a");
  EXPECT_THAT(reported, ElementsAre("+/a")) << "the second read of /a is not inline";
  loop.run_ready();
  EXPECT_THAT(reported, ElementsAre("+/a", "+/b", "+/a"));
  EXPECT_THAT(jobs, ElementsAre(1U, 1U));
  EXPECT_EQ(reported_by_then, 2U);
  refresh_from_event("/a");
  EXPECT_THAT(jobs, SizeIs(2)) << "no task of when_caught_up() waits, so the read is inline";
  EXPECT_THAT(reported, SizeIs(4));
}

TEST_F(RefresherTest, StartsAJobIfTheKernelEventDoesNotSuffice) {
  present = {"/a"};
  refresh_from_event("/a");
  EXPECT_THAT(reported, IsEmpty());
  loop.run_ready();
  EXPECT_THAT(reported, ElementsAre("+/a"));
  EXPECT_THAT(jobs, ElementsAre(1U));
}

TEST_F(RefresherTest, KernelEventDuringAReadCausesOneMoreRead) {
  present = {"/a"};
  during_read = [&](const std::string&) {
    during_read = nullptr;
    known_from_event = {"/a"};
    refresh_from_event("/a");
    EXPECT_THAT(reported, IsEmpty())
        << "nothing is read inline, because the running job could deliver an older state later";
  };
  refresher.refresh("/a");
  loop.run_ready();
  EXPECT_THAT(read, ElementsAre("/a", "/a"));
}

TEST_F(RefresherTest, DoesNotReadASlowEntityInline) {
  present = known_from_event = slow = {"/a"};
  refresh_from_event("/a");
  refresh_from_event("/a");
  EXPECT_THAT(read, ElementsAre("/a"));
  loop.run_ready();
  EXPECT_THAT(read, ElementsAre("/a", "/a"));
}

TEST_F(RefresherTest, InlineReadsAreLimitedInAStorm) {
  present = known_from_event = {"/a"};
  for (int i = 0; i < 100; ++i) refresh_from_event("/a");
  EXPECT_THAT(read, SizeIs(Refresher::kMaxInlineReads));
  loop.run_ready();
  EXPECT_THAT(read, SizeIs(Refresher::kMaxInlineReads + 2))
      << "a job reads /a once, and the hints during this read cause one more read";
  EXPECT_THAT(jobs, SizeIs(2));
  loop.advance(Refresher::kInlineWindow);
  refresh_from_event("/a");
  EXPECT_THAT(jobs, SizeIs(2)) << "a new kInlineWindow has begun, so the read is inline";
  EXPECT_THAT(read, SizeIs(Refresher::kMaxInlineReads + 3));
}

TEST_F(RefresherTest, DoesNotReadADeviceThatUdevdProcesses) {
  present = known_from_event = {"/a", "/b"};
  pending.defer("/a", loop.now());
  refresher.refresh("/a");
  refresh_from_event("/a");
  refresher.refresh("/b");
  loop.run_ready();
  EXPECT_THAT(read, ElementsAre("/b"));
}

TEST_F(RefresherTest, RefreshIfKnownReadsOnlyKnownEntities) {
  present = {"/a", "/b"};
  refresher.refresh("/a");
  loop.run_ready();
  refresher.refresh_if_known("/a");
  refresher.refresh_if_known("/b");
  loop.run_ready();
  EXPECT_THAT(read, ElementsAre("/a", "/a"));
}

/// Reported entities below the device, and directories above it that a sysfs: pattern found.
TEST_F(RefresherTest, RefreshAroundReadsWhatDependsOnTheDevice) {
  const std::string card = "/sys/devices/card";
  const Keys known{"/sys/devices", card, card + "/port", card + "/port/tty", "/sys/devices/card1"};
  targets.set_sysfs({{card, FoundByList({{.pattern = "/sys/devices/c*"}})}});
  present = {known.begin(), known.end()};
  for (const std::string& key : known) refresher.refresh(key);
  loop.run_ready();
  read.clear();
  refresher.refresh_around(card + "/port");
  loop.run_ready();
  EXPECT_THAT(read, testing::UnorderedElementsAre(card + "/port/tty", card));
}

/// After the destruction of the Refresher, the job continues, and the job's result is discarded.
TEST_F(RefresherTest, JobMayOutliveTheRefresher) {
  present = {"/a"};
  {
    Refresher short_lived(loop, targets, pending, *this, reads, globs, *this);
    short_lived.refresh("/a");
  }
  loop.run_ready();
  EXPECT_THAT(read, ElementsAre("/a"));
  EXPECT_THAT(reported, IsEmpty());
}

}  // namespace
}  // namespace patchbay::host
