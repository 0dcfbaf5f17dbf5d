#include "base/log_line.h"

#include <array>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/wall_clock.h"

namespace patchbay::log {
namespace {

std::string_view color_of(Level level) {
  constexpr std::array<std::string_view, 4> kColors = {"\x1b[36m", "\x1b[32m", "\x1b[33m\x1b[1m",
                                                       "\x1b[31m\x1b[1m"};
  return kColors.at(static_cast<size_t>(level));
}
constexpr std::string_view kNoColor = "\x1b[m";

/// A value of a text line: quoted if it has spaces, with unprintable characters escaped.
std::string text_value(const std::string& value) {
  std::string shown = printable(value, 1000);
  if (!shown.empty() && shown.find_first_of(" \"=") == std::string::npos) return shown;
  std::string quoted = "\"";
  for (const char c : shown) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

/// 2026-01-31T12:34:56.789Z
std::string utc_time(std::chrono::system_clock::time_point at) {
  std::string text = utc_text(at);
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch());
  return text.insert(text.size() - 1, fmt::format(".{:03}", ms.count() % 1000));
}

std::string json_of(const Entry& entry, std::chrono::system_clock::time_point at) {
  nlohmann::ordered_json line;
  line["time"] = utc_time(at);
  line["level"] = word_of(entry.level);
  line["message"] = entry.message;
  for (const auto& [key, value] : entry.fields) line[std::string(key)] = value;
  // Malformed UTF-8 from devices is replaced, so that a log line is always valid JSON.
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

std::string text_of(const Entry& entry, std::chrono::system_clock::time_point at, bool colored) {
  std::string line =
      fmt::format("{} {}{:<7}{} {}", utc_time(at), colored ? color_of(entry.level) : "",
                  word_of(entry.level), colored ? kNoColor : "", printable(entry.message, 4000));
  for (const auto& [name, value] : entry.fields) {
    line += fmt::format(" {}={}", name, text_value(value));
  }
  return line + '\n';
}

}  // namespace

std::string line_of(const Entry& entry, std::chrono::system_clock::time_point at, Format format,
                    bool colored) {
  return format == Format::json ? json_of(entry, at) : text_of(entry, at, colored);
}

}  // namespace patchbay::log
