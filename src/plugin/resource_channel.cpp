#include "plugin/resource_channel.h"

#include "plugin/plugin_messages.h"

namespace patchbay::plugin {

SharedList::Bytes SharedList::of(const inventory::SnapshotPtr& snapshot) {
  const std::lock_guard lock(mutex_);
  Bytes bytes = snapshot_.lock() == snapshot ? bytes_.lock() : nullptr;
  if (!bytes) {
    bytes = std::make_shared<const std::string>(encode_list(*snapshot));
    snapshot_ = snapshot;
    bytes_ = bytes;
  }
  return bytes;
}

}  // namespace patchbay::plugin
