#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.h"
#include "kube/api_client.h"
#include "kube/slice.h"

namespace patchbay::kube {

/// A report of the watch: the server has accepted it, an event, or its end. After an end, list the
/// slices and call start(): changes may have been missed.
struct WatchUpdate {
  enum class Kind { started, event, ended } kind = Kind::started;
  Json event{};     ///< type and object. A bookmark is an event, too.
  Answer answer{};  ///< The reason of an end.
};

/// Watches the server's slices of our driver and node, with a thread and a connection of its own. A
/// watch that ends at its time limit is continued without a report. One thread uses it. The
/// destruction ends the watch. While it connects, this takes as long as the time limit of that.
class SliceWatch {
 public:
  /// `path` is the path of the list of these slices in the API.
  SliceWatch(const Server& server, Timeouts timeouts, std::string path);

  /// Watches the changes since the list with this resourceVersion. Returns false if a watch runs.
  [[nodiscard]] bool start(uint64_t version);
  /// Takes all reports, in order.
  [[nodiscard]] std::vector<WatchUpdate> take();
  /// Readable while there are reports.
  [[nodiscard]] int descriptor() const { return ready_.get(); }

 private:
  void run(const std::stop_token& stop);
  void report(WatchUpdate update);

  const std::string path_;
  ApiClient api_;
  UniqueFd ready_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  uint64_t version_ = 0;              // The last list or event; 0: no watch. Guarded by mutex_.
  std::vector<WatchUpdate> updates_;  // Guarded by mutex_.
  std::jthread thread_;               // Last, so that it starts when all else exists.
};

}  // namespace patchbay::kube
