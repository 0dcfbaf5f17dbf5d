#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "inventory/snapshot.h"

namespace patchbay::plugin {

/// Caches the encoded list of a resource, so that all its streams send the same bytes. The bytes
/// are freed after the last send: between lists they would only take memory. Thread-safe.
class SharedList {
 public:
  using Bytes = std::shared_ptr<const std::string>;

  /// Returns the bytes for that snapshot: existing ones if a stream still has them, otherwise new
  /// ones.
  [[nodiscard]] Bytes of(const inventory::SnapshotPtr& snapshot);

 private:
  std::mutex mutex_;  ///< Locked during encoding, so that it is done once.
  std::weak_ptr<const inventory::Snapshot> snapshot_;
  std::weak_ptr<const std::string> bytes_;
};

}  // namespace patchbay::plugin
