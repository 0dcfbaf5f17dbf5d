#pragma once

#include <functional>
#include <optional>

#include "loop/event_loop.h"

namespace patchbay::paths {

/// Decides when to read a file that is being written. The file is read when its writer closes it or
/// pauses, so all writes until then cause one read. Without this delay, a file could be read
/// between its truncation and the write, when it is empty. Loop thread.
class WriteDebouncer {
 public:
  /// Minimum pause of a writer, and minimum interval between two reads.
  static constexpr loop::Milliseconds kQuietTime{50};
  /// A file whose writer never pauses is read after this time.
  static constexpr loop::Milliseconds kMaxDelay{500};

  /// Calls `read` when the file must be read.
  WriteDebouncer(loop::EventLoop& loop, std::function<void()> read);

  /// Call it when the file was written, and the writer may continue.
  void on_write();
  /// Call it when a writer closed the file.
  void on_close();
  /// Whether the file was written since the last call of `read`, so that another call follows.
  [[nodiscard]] bool pending() const { return since_.has_value(); }

 private:
  void read_at(loop::Time due);
  void read();

  loop::EventLoop& loop_;
  std::function<void()> read_;
  std::optional<loop::Time> since_;  ///< First write that is not read yet.
  std::optional<loop::Time> last_;   ///< Last call of `read`.
  loop::Subscription timer_;
};

}  // namespace patchbay::paths
