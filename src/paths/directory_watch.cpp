#include "paths/directory_watch.h"

#include <optional>
#include <utility>

#include "loop/may_block.h"

namespace patchbay::paths {
namespace {

/// No inode: the directory does not exist.
WatchPoint directory_at(const std::string& directory) {
  const auto status = HostRoot().status(directory);
  if (!status || !S_ISDIR(status->st_mode)) return {};
  return {.path = directory, .entry = {}, .device = status->st_dev, .inode = status->st_ino};
}

}  // namespace

DirectoryWatch::DirectoryWatch(loop::Inotify& inotify, std::string directory, Callbacks callbacks,
                               uint32_t extra_mask)
    : inotify_(inotify),
      directory_(std::move(directory)),
      callbacks_(std::move(callbacks)),
      extra_mask_(extra_mask),
      exhaustion_(inotify.on_exhaustion([this] { recheck_after_refusal(); })) {}

void DirectoryWatch::start() {
  const loop::MayBlock may(true);  // In memory, or nothing works: see the class.
  if (std::exchange(refused_, false)) chain_.clear();
  for (int check = 0; check < kMaxChecksInRow; ++check) {
    auto chain = path_chain({}, directory_).watch_points;
    const WatchPoint now = directory_at(directory_);
    if (chain == chain_ && now == watched_) return;
    chain_ = std::move(chain);
    watch_chain();
    if (now != watched_) watch_directory(now);
  }
}

void DirectoryWatch::stop() {
  chain_.clear();
  chain_watches_.clear();
  watched_ = {};
  watch_.reset();
  refused_ = false;
}

void DirectoryWatch::recheck_after_refusal() {
  if (!refused_) return;
  start();
  const loop::MayBlock may(true);
  callbacks_.on_changed(directory_at(directory_).inode != 0);
}

void DirectoryWatch::watch_chain() {
  chain_watches_.clear();
  for (const WatchPoint& point : chain_) {
    auto watch = inotify_.watch(point.path, [this, entry = point.entry](const auto& event) {
      if (event.overflow() || event.is_watch_ended() || event.name == entry) recheck();
    });
    if (watch) {
      chain_watches_.push_back(*std::move(watch));
    } else {
      refused_ = true;
    }
  }
}

void DirectoryWatch::watch_directory(const WatchPoint& now) {
  watched_ = now;
  watch_.reset();
  if (now.inode == 0) return;
  auto watch = inotify_.watch(
      directory_, [this](const auto& event) { on_event(event); }, extra_mask_);
  if (watch) {
    watch_ = *std::move(watch);
  } else {
    watched_ = {};
    refused_ = true;
  }
}

void DirectoryWatch::recheck() {
  const WatchPoint before = watched_;
  start();
  if (watched_ != before) callbacks_.on_changed(watched_.inode != 0);
}

void DirectoryWatch::on_event(const loop::InotifyEvent& event) {
  if (!event.is_watch_ended()) return callbacks_.on_event(event);
  // A new directory may have the same inode.
  watched_ = {};
  watch_.reset();
  start();
  callbacks_.on_changed(watched_.inode != 0);
}

}  // namespace patchbay::paths
