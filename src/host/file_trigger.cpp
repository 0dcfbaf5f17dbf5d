#include "host/file_trigger.h"

#include <algorithm>
#include <utility>

namespace patchbay::host {
namespace {

/// If a file is written without end, the last read must suffice.
constexpr int kMostDeferred = 8;
constexpr int kMostDeferredAbsent = 40;

}  // namespace

FileTrigger::FileTrigger(loop::EventLoop& loop, paths::PathFollower& paths,
                         std::function<void()> on_change)
    : loop_(loop), paths_(paths), on_change_(std::move(on_change)) {}

FileTrigger::~FileTrigger() { follow({}); }

void FileTrigger::follow(const std::vector<std::string>& files) {
  deferred_ = 0;
  const auto before = std::exchange(files_, {files.begin(), files.end()});
  for (const std::string& file : files_) {
    if (before.contains(file)) continue;
    // Another listener follows the file already, so earlier changes were reported only to that one.
    if (paths_.reports_all_changes(file)) path_event(file);
    paths_.follow(file, *this, true);
  }
  for (const std::string& file : before) {
    if (!files_.contains(file)) paths_.drop(file, *this);
  }
}

bool FileTrigger::should_defer(bool all_there) {
  const auto is_being_written = [&](const auto& file) { return paths_.being_written(file); };
  if (std::ranges::none_of(files_, is_being_written)) return false;
  return ++deferred_ <= (all_there ? kMostDeferred : kMostDeferredAbsent);
}

void FileTrigger::path_event(const std::string& /*path*/) {
  if (soon_) return;
  soon_ = loop_.after(loop::Milliseconds(0), [this] {
    soon_.reset();
    on_change_();
  });
}

bool FileTriggers::should_defer(const Reading& reading) {
  const auto trigger = triggers_.find(reading.facts->key);
  if (trigger == triggers_.end()) return false;
  return trigger->second.should_defer(
      std::ranges::all_of(reading.files, [&](const std::string& path) {
        return !reading.facts->known.first(Fact::file, path).empty();
      }));
}

void FileTriggers::follow(const Reading& reading) {
  const std::string& key = reading.facts->key;
  if (reading.files.empty()) return forget(key);
  const auto refresh = [this, key] { hints_.refresh(key); };
  triggers_.try_emplace(key, loop_, paths_, refresh).first->second.follow(reading.files);
}

}  // namespace patchbay::host
