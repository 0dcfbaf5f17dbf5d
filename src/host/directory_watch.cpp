#include "host/directory_watch.h"

#include <optional>
#include <utility>

#include "loop/may_block.h"

namespace patchbay::host {
namespace {

/// No inode: there is no such directory.
Place standing_at(const std::string& directory) {
  const auto status = HostRoot().status(directory);
  if (!status || !S_ISDIR(status->st_mode)) return {};
  return {.path = directory, .entry = {}, .device = status->st_dev, .inode = status->st_ino};
}

}  // namespace

DirectoryWatch::DirectoryWatch(loop::Inotify& inotify, std::string directory, Callbacks callbacks,
                               uint32_t more)
    : inotify_(inotify),
      directory_(std::move(directory)),
      callbacks_(std::move(callbacks)),
      more_(more),
      short_(inotify.when_short([this] { look_when_refused(); })) {}

void DirectoryWatch::start() {
  const loop::MayBlock may(true);  // In memory, or nothing works: see the class.
  if (std::exchange(refused_, false)) way_.clear();
  for (int look = 0; look < kMostLooks; ++look) {
    auto way = way_to({}, directory_).places;
    const Place now = standing_at(directory_);
    if (way == way_ && now == standing_) return;
    way_ = std::move(way);
    watch_way();
    if (now != standing_) watch_directory(now);
  }
}

void DirectoryWatch::stop() {
  way_.clear();
  on_way_.clear();
  standing_ = {};
  watch_.reset();
  refused_ = false;
}

void DirectoryWatch::look_when_refused() {
  if (!refused_) return;
  start();
  const loop::MayBlock may(true);
  callbacks_.on_changed(standing_at(directory_).inode != 0);
}

void DirectoryWatch::watch_way() {
  on_way_.clear();
  for (const Place& place : way_) {
    auto watch = inotify_.watch(place.path, [this, entry = place.entry](const auto& event) {
      if (event.overflow() || event.directory_gone() || event.name == entry) look_again();
    });
    if (watch) {
      on_way_.push_back(*std::move(watch));
    } else {
      refused_ = true;
    }
  }
}

void DirectoryWatch::watch_directory(const Place& now) {
  standing_ = now;
  watch_.reset();
  if (now.inode == 0) return;
  auto watch = inotify_.watch(
      directory_, [this](const auto& event) { on_event(event); }, more_);
  if (watch) {
    watch_ = *std::move(watch);
  } else {
    standing_ = {};
    refused_ = true;
  }
}

void DirectoryWatch::look_again() {
  const Place before = standing_;
  start();
  if (standing_ != before) callbacks_.on_changed(standing_.inode != 0);
}

void DirectoryWatch::on_event(const loop::InotifyEvent& event) {
  if (!event.directory_gone()) return callbacks_.on_event(event);
  // The next one there may have the same inode.
  standing_ = {};
  watch_.reset();
  start();
  callbacks_.on_changed(standing_.inode != 0);
}

}  // namespace patchbay::host
