#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "base/log_line.h"

/// The log: one line for each event, on standard error. Any thread may log. Every line about a
/// device has the fields resource, unit and reason.
///
/// Levels: `error` means that the daemon cannot do its work; `warning`, that an operator should
/// act; `info`, that something changed. `debug` gives the reason for a change.
namespace patchbay::log {

/// Sets the lowest level that is written, and the format. Call configure() once, before other
/// threads start. The defaults are `warning` and text.
void configure(Level level, Format format);

/// Starts a thread that writes the log of a daemon, so that no other thread waits for a slow
/// reader. Lines beyond 512 KiB of queued text are dropped and counted. With `suppress`, a
/// RepeatFilter limits repeated lines. Call start_writer_thread() once.
enum class RepeatPolicy { suppress, keep_all };
void start_writer_thread(RepeatPolicy policy = RepeatPolicy::suppress);

/// Waits until everything that was logged is written, including the counts of suppressed lines.
/// Returns false if that takes longer than `at_most`. Does nothing without start_writer_thread().
bool flush(std::chrono::milliseconds at_most);

/// Waits at most 0.1 s until the logged lines are written, so that later output comes after them.
/// If the previous call timed out, this call does not wait.
void wait_for_writer();

/// Passes each entry of any level to `listener` before it is written. The listener is called on the
/// thread that logs, so it must not block. It is never destroyed. Call listen() once.
using Listener = std::function<void(const Entry&, std::chrono::system_clock::time_point)>;
void listen(Listener listener);

void debug(Message message, Fields fields = {});
void info(Message message, Fields fields = {});
void warning(Message message, Fields fields = {});
void error(Message message, Fields fields = {});
void write(const Entry& entry);

/// Writes text that is not part of the log to standard error, in order with the lines of the log.
/// The text must be whole lines.
void text(std::string_view text);

}  // namespace patchbay::log
