#include "health/file_triggers.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "host/host_files.h"

namespace patchbay::health {
namespace {

constexpr loop::Milliseconds kTimeout{2000};

}  // namespace

FileTriggers::FileTriggers(loop::EventLoop& loop, loop::WorkThreads& threads,
                           loop::Inotify& inotify, host::HostRoot root)
    : threads_(threads), inotify_(inotify), root_(std::move(root)), watch_(loop, inotify, *this) {}

uint64_t FileTriggers::add(std::function<void()> on_change) {
  const uint64_t probe = next_++;
  probes_.emplace(std::to_string(probe), Probe{.on_change = std::move(on_change)});
  return probe;
}

void FileTriggers::was_read(uint64_t probe, const std::vector<std::string>& files) {
  const std::string key = std::to_string(probe);
  const auto known = probes_.find(key);
  if (known == probes_.end()) return;
  const auto places = std::make_shared<std::vector<host::FilePlace>>();
  known->second.looking = threads_.run(
      "places of the files of probe " + key, kTimeout,
      [files, places, root = root_] {
        for (const std::string& file : files) {
          std::ranges::move(host::file_places(root, file), std::back_inserter(*places));
        }
      },
      [this, key, places](loop::WorkOutcome outcome) {
        if (outcome == loop::WorkOutcome::done) watch_.follow(key, *places);
      });
}

void FileTriggers::drop(uint64_t probe) {
  const std::string key = std::to_string(probe);
  probes_.erase(key);
  watch_.drop(key);
}

void FileTriggers::look(const std::string& key) {
  if (const auto probe = probes_.find(key); probe != probes_.end()) probe->second.on_change();
}

void FileTriggers::events_lost(const std::string& /*source*/) {
  for (const auto& [key, probe] : probes_) probe.on_change();
}

}  // namespace patchbay::health
