#include "host/queue_end.h"

namespace patchbay::host {

void QueueEnd::queue_ended() {
  quiet_ = loop_.after(kQuiet, [this, end = loop_.now()] {
    if (!callbacks_.queue_exists()) callbacks_.on_end(end);
  });
}

}  // namespace patchbay::host
