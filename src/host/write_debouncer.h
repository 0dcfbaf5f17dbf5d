#pragma once

#include <functional>
#include <optional>

#include "loop/event_loop.h"

namespace patchbay::host {

/// Says when to read a file that is written: once its writer has closed it, or when he keeps it
/// open and pauses. Between truncating and writing a file is empty, and that means nothing. All
/// that is written meanwhile is one reading. Loop thread.
class WriteDebouncer {
 public:
  /// So long a writer must do nothing; and so long a reading is from the next.
  static constexpr loop::Milliseconds kQuietTime{50};
  /// A writer that never pauses is read all the same.
  static constexpr loop::Milliseconds kMaxDelay{500};

  /// `read` is called when the file is to be read.
  WriteDebouncer(loop::EventLoop& loop, std::function<void()> read);

  /// Something was written, and the writer may go on.
  void on_write();
  /// A writer has closed it.
  void on_close();
  /// Something was written since it was to be read last: that is yet to come.
  [[nodiscard]] bool pending() const { return since_.has_value(); }

 private:
  void read_at(loop::Time due);
  void read();

  loop::EventLoop& loop_;
  std::function<void()> read_;
  std::optional<loop::Time> since_;  ///< What is pending was first written.
  std::optional<loop::Time> last_;   ///< It was to be read.
  loop::Subscription timer_;
};

}  // namespace patchbay::host
