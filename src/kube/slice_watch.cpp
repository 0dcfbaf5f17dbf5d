#include "kube/slice_watch.h"

#include <sys/eventfd.h>

#include <random>
#include <utility>

#include <fmt/format.h>

namespace patchbay::kube {

SliceWatch::SliceWatch(const Server& server, Timeouts timeouts, std::string path)
    : path_(std::move(path)),
      api_(server, timeouts),
      ready_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

bool SliceWatch::start(uint64_t version) {
  const std::lock_guard lock(mutex_);
  if (version_ != 0) return false;
  version_ = version;
  wake_.notify_one();
  return true;
}

std::vector<WatchUpdate> SliceWatch::take() {
  const std::lock_guard lock(mutex_);
  eventfd_t ignored = 0;
  eventfd_read(ready_.get(), &ignored);
  return std::exchange(updates_, {});
}

void SliceWatch::report(WatchUpdate update) {
  const std::lock_guard lock(mutex_);
  if (update.kind != WatchUpdate::Kind::started)
    version_ = version_of(field(update.event, "object"));
  updates_.push_back(std::move(update));
  eventfd_write(ready_.get(), 1);
}

void SliceWatch::run(const std::stop_token& stop) {
  std::minstd_rand random(std::random_device{}());
  // So that the watches of all nodes do not end together.
  std::uniform_int_distribution<> seconds(300, 600);
  while (true) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, stop, [&] { return version_ != 0; });
    if (stop.stop_requested()) return;
    const std::string path =
        fmt::format("{}&watch=1&allowWatchBookmarks=true&resourceVersion={}&timeoutSeconds={}",
                    path_, version_, seconds(random));
    lock.unlock();
    bool can_continue = false;
    const auto on_line = [&](std::string_view line) {
      Json event = Json::parse(line, nullptr, false);
      // The usual error is 410: the server no longer has the changes since version_.
      can_continue =
          text_field(event, "type") != "ERROR" && version_of(field(event, "object")) != 0;
      if (can_continue) report({.kind = WatchUpdate::Kind::event, .event = std::move(event)});
      return can_continue;
    };
    const WatchReceiver receiver{.on_start = [&] { report({WatchUpdate::Kind::started}); },
                                 .on_line = on_line,
                                 .stop = stop};
    Answer answer = api_.send("GET", path, "", &receiver);
    // A watch that has received events, or at least a bookmark, ends at its time limit.
    if (!can_continue) report({.kind = WatchUpdate::Kind::ended, .answer = std::move(answer)});
  }
}

}  // namespace patchbay::kube
