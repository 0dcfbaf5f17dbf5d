#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "inventory/snapshot.h"
#include "loop/event_loop.h"

namespace patchbay::daemon {

/// Decides when the changes of a resource are sent. The first change is sent at once; further ones
/// within kSettleTime are combined into one. Each message costs the kubelet a checkpoint write
/// (docs/dev/kubelet.md: List of devices). Loop thread.
class Publisher {
 public:
  static constexpr loop::Milliseconds kSettleTime{100};

  Publisher(loop::EventLoop& loop, std::function<void(inventory::SnapshotPtr)> publish)
      : loop_(loop), publish_(std::move(publish)) {}

  /// Takes a snapshot that differs from the last one offered.
  void offer(inventory::SnapshotPtr snapshot) {
    if (settling_) {
      gathered_ = gathered_ ? replacing(*gathered_, std::move(snapshot)) : std::move(snapshot);
      return;
    }
    send(std::move(snapshot));
  }
  /// Sends the waiting snapshot now.
  void flush() {
    if (auto next = std::exchange(gathered_, nullptr)) send(std::move(next));
  }
  /// Sends nothing more.
  void stop() {
    gathered_.reset();
    settling_.reset();
  }

 private:
  void send(inventory::SnapshotPtr snapshot) {
    settling_ = loop_.after(kSettleTime, [this] { on_settled(); });
    publish_(std::move(snapshot));
  }

  void on_settled() {
    settling_.reset();
    if (auto next = std::exchange(gathered_, nullptr)) send(std::move(next));
  }

  loop::EventLoop& loop_;
  std::function<void(inventory::SnapshotPtr)> publish_;
  inventory::SnapshotPtr gathered_;
  loop::Subscription settling_;
};

}  // namespace patchbay::daemon
