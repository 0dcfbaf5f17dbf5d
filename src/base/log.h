#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>

#include "base/log_line.h"

/// The log: one line per happening, on standard error. Any thread may log. Every line about a
/// device carries the fields resource, unit and reason. Levels: error, the daemon cannot do its
/// work; warning, a person should look; info, something changed; debug, why it did.
namespace patchbay::log {

/// Call once, before other threads start. Without it lines of `warning` and above are text.
void configure(Level level, Format format);

/// From now on a thread of its own writes, so that nobody ever waits for who reads the log: what
/// nobody takes is dropped when 512 KiB are waiting, and counted. `suppress`: lines that say the
/// same again and again are rate-limited, see RepeatFilter. For the daemon; once.
enum class RepeatPolicy { suppress, keep_all };
void start_writer_thread(RepeatPolicy policy = RepeatPolicy::suppress);

/// Has all written that was logged, held back lines, too. False: it was not within that time, and
/// is lost if the process ends. Without start_writer_thread() there is nothing to do.
bool flush(std::chrono::milliseconds at_most);

/// Waits until what was logged is written, so that what is printed next comes after it: 0.1 s at
/// most, and not at all while nobody reads the log. Does not write lines that are held back.
void wait_for_writer();

/// From now on whole lines go there, from any thread and one at a time: while something else is
/// drawn on the terminal that standard error is. Without a function, to standard error again.
void divert(std::function<void(const std::string& line)> to);

/// From now on every entry goes there, too, whatever its level, before it is written: on the thread
/// that logs, which must not wait. Once; it lives as long as the process.
using Listener = std::function<void(const Entry&, std::chrono::system_clock::time_point)>;
void listen(Listener listener);

void debug(std::string_view message, Fields fields = {});
void info(std::string_view message, Fields fields = {});
void warning(std::string_view message, Fields fields = {});
void error(std::string_view message, Fields fields = {});

/// Not a line of the log, but text for people that stands on standard error, too: whole lines, in
/// their order among those of the log.
void text(std::string_view text);

}  // namespace patchbay::log
