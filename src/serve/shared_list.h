#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "inventory/snapshot.h"

namespace patchbay::serve {

/// The bytes of a resource's list, which all its streams send. They are there as long as somebody
/// sends them: between lists they would only take room. gRPC's thread; the bytes may end on any.
class SharedList {
 public:
  using Bytes = std::shared_ptr<const std::string>;

  /// Those of that snapshot: the very ones that somebody still has, or made now.
  [[nodiscard]] Bytes of(const inventory::SnapshotPtr& snapshot);

 private:
  std::mutex mutex_;  ///< Held while the bytes are made, so that it is done once.
  std::weak_ptr<const inventory::Snapshot> snapshot_;
  std::weak_ptr<const std::string> bytes_;
};

}  // namespace patchbay::serve
