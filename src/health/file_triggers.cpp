#include "health/file_triggers.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "host/host_files.h"

namespace patchbay::health {

FileTriggers::FileTriggers(loop::EventLoop& loop, loop::Inotify& inotify, std::string root)
    : loop_(loop), root_(std::move(root)), watch_(inotify, *this) {}

uint64_t FileTriggers::add(std::function<void()> on_change) {
  const uint64_t probe = next_++;
  probes_.emplace(std::to_string(probe), std::move(on_change));
  return probe;
}

void FileTriggers::was_read(uint64_t probe, const std::vector<std::string>& files) {
  const auto places = std::make_shared<std::vector<host::FilePlace>>();
  loop_.work(
      [files, places, root = root_] {
        for (const std::string& file : files) {
          std::ranges::move(host::file_places(file, root), std::back_inserter(*places));
        }
      },
      [probe, places, self = std::weak_ptr(self_)] {
        const auto me = self.lock();
        const std::string key = std::to_string(probe);
        if (me && (*me)->probes_.contains(key)) (*me)->watch_.follow(key, *places);
      });
}

void FileTriggers::drop(uint64_t probe) {
  const std::string key = std::to_string(probe);
  probes_.erase(key);
  watch_.drop(key);
}

void FileTriggers::look(const std::string& key) {
  if (const auto probe = probes_.find(key); probe != probes_.end()) probe->second();
}

void FileTriggers::events_lost(const std::string& /*source*/) {
  for (const auto& [key, on_change] : probes_) on_change();
}

}  // namespace patchbay::health
