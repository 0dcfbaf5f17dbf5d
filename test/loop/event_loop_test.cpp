#include "loop/event_loop.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/unique_fd.h"
#include "fake/run_until.h"

namespace patchbay::loop {
namespace {

using std::chrono_literals::operator""ms;

TEST(UvLoop, RunsPostedTasksInOrderOnTheLoopThread) {
  UvLoop loop;
  std::vector<int> ran;
  std::thread::id thread;
  std::thread poster([&] {
    for (int i = 0; i < 3; ++i) loop.post([&ran, i] { ran.push_back(i); });
    loop.post([&] {
      thread = std::this_thread::get_id();
      loop.stop();
    });
  });
  loop.run();
  poster.join();
  EXPECT_EQ(ran, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(thread, std::this_thread::get_id());
}

TEST(UvLoop, RunsTasksPostedByLoopAndOtherThreadsInOrder) {
  UvLoop loop;
  std::vector<std::string> ran;
  const auto note = [&](const char* what) { return [&ran, what] { ran.emplace_back(what); }; };
  const auto timer = loop.after(1ms, [&] {
    std::thread([&] { loop.post(note("another thread's")); }).join();
    loop.post(note("its own"));
    loop.post([&] {
      ran.emplace_back("one that posts");
      loop.post([&] { loop.stop(); });
    });
    std::thread([&] { loop.post(note("another thread's, later")); }).join();
    ran.emplace_back("what was at hand");
  });
  loop.run();
  EXPECT_EQ(ran, (std::vector<std::string>{"what was at hand", "another thread's", "its own",
                                           "one that posts", "another thread's, later"}));
}

TEST(UvLoop, RunsPostedTasksAfterAllPendingEvents) {
  UvLoop loop;
  std::array<UniqueFd, 2> events;
  std::vector<std::string> ran;
  std::vector<Subscription> readable;
  for (UniqueFd& event : events) {
    event = UniqueFd(::eventfd(1, EFD_NONBLOCK | EFD_CLOEXEC));
    readable.push_back(loop.watch_readable(event.get(), [&](FdEvent) {
      eventfd_t value = 0;
      ::eventfd_read(event.get(), &value);
      ran.emplace_back("heard");
      loop.post([&] {
        ran.emplace_back("posted");
        if (ran.size() == 4) loop.stop();
      });
    }));
  }
  loop.run();
  EXPECT_EQ(ran, (std::vector<std::string>{"heard", "heard", "posted", "posted"}));
}

TEST(UvLoop, TimerRunsOnceAndMayEndItself) {
  UvLoop loop;
  int ran = 0;
  Subscription timer;
  timer = loop.after(1ms, [&] {
    ++ran;
    timer.reset();
    loop.stop();
  });
  loop.run();
  EXPECT_EQ(ran, 1);
}

TEST(UvLoop, EndedSubscriptionIsNeverCalledAgain) {
  UvLoop loop;
  int ran = 0;
  auto ended = loop.after(1ms, [&] { ++ran; });
  const auto last = loop.after(5ms, [&] { loop.stop(); });
  ended.reset();
  loop.run();
  EXPECT_EQ(ran, 0);
}

TEST(UvLoop, PeriodicTimerRunsUntilItIsEnded) {
  UvLoop loop;
  int ran = 0;
  auto timer = loop.every(1ms, [&] { ++ran; });
  EXPECT_TRUE(fake::run_until(loop, [&] { return ran >= 3; }));
  timer.reset();
}

TEST(UvLoop, WatchesADescriptor) {
  UvLoop loop;
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC), 0);
  const UniqueFd in(ends[0]);
  const UniqueFd out(ends[1]);
  std::string got;
  auto watch = loop.watch_readable(in.get(), [&](FdEvent event) {
    EXPECT_EQ(event, FdEvent::readable);
    char c = 0;
    while (read(in.get(), &c, 1) == 1) got += c;
    if (got.size() == 4) loop.stop();
  });
  loop.post([&] { ASSERT_EQ(write(out.get(), "ab", 2), 2); });
  loop.post([&] { ASSERT_EQ(write(out.get(), "cd", 2), 2); });
  loop.run();
  watch.reset();
  EXPECT_EQ(got, "abcd");
}

/// Both ends of a connection.
struct Ends {
  Ends() {
    std::array<int, 2> pair{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()), 0);
    ours = UniqueFd(pair[0]);
    peers = UniqueFd(pair[1]);
  }
  UniqueFd ours;
  UniqueFd peers;
};

TEST(UvLoop, ReportsHangUpOnceDespiteUnreadData) {
  UvLoop loop;
  Ends ends;
  ASSERT_EQ(write(ends.peers.get(), "unread", 6), 6);
  int reported = 0;
  bool closed = false;
  Subscription end;
  auto watch = loop.when_hung_up(ends.ours.get(), [&] {
    EXPECT_TRUE(closed);
    ++reported;
    end = loop.after(1ms, [&] { loop.stop(); });
  });
  auto closing = loop.after(1ms, [&] {
    closed = true;
    ends.peers.reset();
  });
  loop.run();
  EXPECT_EQ(reported, 1);
}

TEST(UvLoop, ReportsHangUpOfPeerThatLeftDataUnread) {
  UvLoop loop;
  Ends ends;
  ASSERT_EQ(write(ends.ours.get(), "unread", 6), 6);
  ends.peers.reset();
  auto watch = loop.when_hung_up(ends.ours.get(), [&] { loop.stop(); });
  loop.run();
}

TEST(UvLoop, ReportsShutdownOfCopyAsHangUp) {
  UvLoop loop;
  const Ends ends;
  auto watch = loop.when_hung_up(ends.ours.get(), [&] { loop.stop(); });
  UniqueFd copy(fcntl(ends.ours.get(), F_DUPFD_CLOEXEC, 0));
  ASSERT_EQ(shutdown(copy.get(), SHUT_RDWR), 0);
  copy.reset();
  loop.run();
  char byte = 0;
  EXPECT_EQ(read(ends.peers.get(), &byte, 1), 0) << "the peer sees it, too";
}

TEST(UvLoop, WorkRunsInThePoolAndCompletesOnTheLoop) {
  UvLoop loop;
  std::thread::id worker;
  std::thread::id finisher;
  loop.work([&] { worker = std::this_thread::get_id(); },
            [&] {
              finisher = std::this_thread::get_id();
              loop.stop();
            });
  loop.run();
  EXPECT_NE(worker, std::this_thread::get_id());
  EXPECT_EQ(finisher, std::this_thread::get_id());
}

TEST(UvLoop, ReceivesASignalThatWasBlocked) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  UvLoop loop;
  int received = 0;
  const auto watch = loop.watch_signal(SIGUSR1, [&] {
    ++received;
    loop.stop();
  });
  loop.post([] { kill(getpid(), SIGUSR1); });
  loop.run();
  EXPECT_EQ(received, 1);
}

}  // namespace
}  // namespace patchbay::loop
