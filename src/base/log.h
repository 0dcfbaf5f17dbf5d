#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

/// The log: one line per happening, on standard error. Any thread may log. Every line about a
/// device carries the fields resource, unit and reason. Levels: error, the daemon cannot do its
/// work; warning, a person should look; info, something changed; debug, why it did.
namespace patchbay::log {

enum class Level { debug, info, warning, error };
enum class Format { text, json };

/// Name and value. Values may hold anything: they are escaped for the format.
using Field = std::pair<std::string_view, std::string>;
using Fields = std::initializer_list<Field>;

/// Call once, before other threads start. Without it lines of `warning` and above are text.
void configure(Level level, Format format);

/// From now on whole lines go there, from any thread and one at a time: while something else is
/// drawn on the terminal that standard error is. Without a function, to standard error again.
void divert(std::function<void(const std::string& line)> to);

void debug(std::string_view message, Fields fields = {});
void info(std::string_view message, Fields fields = {});
void warning(std::string_view message, Fields fields = {});
void error(std::string_view message, Fields fields = {});

}  // namespace patchbay::log
