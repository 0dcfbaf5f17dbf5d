#include "host/udev/udev_settle_detector.h"

namespace patchbay::host {

void UdevSettleDetector::queue_ended() {
  quiet_ = loop_.after(kQuiet, [this, end = loop_.now()] {
    if (!callbacks_.queue_exists()) callbacks_.on_settled(end);
  });
}

}  // namespace patchbay::host
