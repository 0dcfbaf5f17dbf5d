#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "base/log_line.h"

/// The log: one line per event, on standard error. Any thread may log. Every line about a device
/// has the fields resource, unit and reason. Levels: error, the daemon cannot do its work; warning,
/// an operator should act; info, something changed; debug, the reason of a change.
namespace patchbay::log {

/// Call once, before other threads start. Without it, lines of `warning` and above are written as
/// text.
void configure(Level level, Format format);

/// Starts a thread that writes the log, so that no other thread waits for a slow reader. Lines
/// beyond 512 KiB of queued text are dropped and counted. `suppress`: repeated lines are
/// rate-limited, see RepeatFilter. For the daemon; call once.
enum class RepeatPolicy { suppress, keep_all };
void start_writer_thread(RepeatPolicy policy = RepeatPolicy::suppress);

/// Writes everything that was logged, including suppressed lines. False: it took longer than
/// `at_most`; unwritten lines are lost if the process ends. Does nothing without
/// start_writer_thread().
bool flush(std::chrono::milliseconds at_most);

/// Waits until logged lines are written, so that later output comes after them. Waits 0.1 s at
/// most, and does not wait while the reader is stuck. Does not write suppressed lines.
void wait_for_writer();

/// Passes each entry of any level to `listener` before it is written. Called on the thread that
/// logs, so it must not block. Call once; it lives as long as the process.
using Listener = std::function<void(const Entry&, std::chrono::system_clock::time_point)>;
void listen(Listener listener);

void debug(Message message, Fields fields = {});
void info(Message message, Fields fields = {});
void warning(Message message, Fields fields = {});
void error(Message message, Fields fields = {});
void write(const Entry& entry);

/// Writes text that is not part of the log to standard error: whole lines, in order with those of
/// the log.
void text(std::string_view text);

}  // namespace patchbay::log
