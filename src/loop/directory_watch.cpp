#include "loop/directory_watch.h"

#include <sys/stat.h>

#include <utility>

namespace patchbay::loop {
namespace {

bool is_directory(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

/// "" of "/run", "/run" of "/run/udev".
std::string parent_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

DirectoryWatch::DirectoryWatch(Inotify& inotify, std::string directory, Callbacks callbacks,
                               uint32_t more)
    : inotify_(inotify),
      directory_(std::move(directory)),
      callbacks_(std::move(callbacks)),
      more_(more) {}

void DirectoryWatch::start() { arm(); }

void DirectoryWatch::stop() {
  watch_.reset();
  watched_ = false;
}

void DirectoryWatch::arm() {
  const bool was_watched = std::exchange(watched_, watch_it());
  if (was_watched && !watched_ && callbacks_.on_gone) callbacks_.on_gone();
  if (watched_) {
    if (callbacks_.on_watched) callbacks_.on_watched();
  } else {
    watch_above();
  }
}

bool DirectoryWatch::watch_it() {
  watch_.reset();
  auto watch = inotify_.watch(
      directory_, [this](const auto& event) { on_event(event); }, more_);
  if (!watch) return false;
  watch_ = *std::move(watch);
  return true;
}

void DirectoryWatch::watch_above() {
  std::string below = directory_;
  while (below.size() > 1) {
    const std::string above = parent_of(below).empty() ? "/" : parent_of(below);
    const std::string entry = below.substr(below.rfind('/') + 1);
    auto watch = inotify_.watch(above, [this, entry](const InotifyEvent& event) {
      if (event.overflow() || event.directory_gone() || event.name == entry) arm();
    });
    if (watch) {
      watch_ = *std::move(watch);
      // It may have come between the two looks.
      if (is_directory(below)) arm();
      return;
    }
    below = above;
  }
}

void DirectoryWatch::on_event(const InotifyEvent& event) {
  if (event.directory_gone()) {
    arm();
  } else {
    callbacks_.on_event(event);
  }
}

}  // namespace patchbay::loop
