#pragma once

#include <functional>
#include <optional>

#include "inventory/snapshot.h"
#include "loop/event_loop.h"

namespace patchbay::daemon {

/// Decides when a resource's changes go out: the first at once, for the people who plugged
/// something in; further ones within `settle` are gathered into one, since each message costs the
/// kubelet a checkpoint write (kubelet contract 4). Loop thread.
class Publisher {
 public:
  Publisher(loop::EventLoop& loop, loop::Milliseconds settle,
            std::function<void(inventory::SnapshotPtr)> publish)
      : loop_(loop), settle_(settle), publish_(std::move(publish)) {}

  /// A snapshot that differs from the last one offered.
  void offer(inventory::SnapshotPtr snapshot) {
    if (settling_) {
      gathered_ = std::move(snapshot);
      return;
    }
    send(std::move(snapshot));
  }

 private:
  void send(inventory::SnapshotPtr snapshot) {
    settling_ = loop_.after(settle_, [this] { settled(); });
    publish_(std::move(snapshot));
  }

  void settled() {
    settling_.reset();
    if (auto next = std::exchange(gathered_, nullptr)) send(std::move(next));
  }

  loop::EventLoop& loop_;
  loop::Milliseconds settle_;
  std::function<void(inventory::SnapshotPtr)> publish_;
  inventory::SnapshotPtr gathered_;
  loop::Subscription settling_;
};

}  // namespace patchbay::daemon
