#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "inventory/snapshot.h"
#include "loop/event_loop.h"

namespace patchbay::daemon {

/// Decides when a resource's changes go out: the first at once, for the people who plugged
/// something in; further ones within its `settle` are gathered into one, since each message costs
/// the kubelet a checkpoint write (kubelet contract 4). Loop thread.
class Publisher {
 public:
  Publisher(loop::EventLoop& loop, std::function<void(inventory::SnapshotPtr)> publish)
      : loop_(loop), publish_(std::move(publish)) {}

  /// A snapshot that differs from the last one offered.
  void offer(inventory::SnapshotPtr snapshot) {
    if (settling_) {
      gathered_ = std::move(snapshot);
      return;
    }
    send(std::move(snapshot));
  }
  /// What is gathered goes out now.
  void flush() {
    if (auto next = std::exchange(gathered_, nullptr)) send(std::move(next));
  }
  /// What went out last; null: nothing yet.
  [[nodiscard]] const inventory::SnapshotPtr& sent() const { return sent_; }
  /// Nothing more goes out.
  void stop() {
    gathered_.reset();
    settling_.reset();
  }

 private:
  void send(inventory::SnapshotPtr snapshot) {
    settling_ = loop_.after(snapshot->resource->settle, [this] { on_settled(); });
    sent_ = snapshot;
    publish_(std::move(snapshot));
  }

  void on_settled() {
    settling_.reset();
    if (auto next = std::exchange(gathered_, nullptr)) send(std::move(next));
  }

  loop::EventLoop& loop_;
  std::function<void(inventory::SnapshotPtr)> publish_;
  inventory::SnapshotPtr sent_;
  inventory::SnapshotPtr gathered_;
  loop::Subscription settling_;
};

}  // namespace patchbay::daemon
