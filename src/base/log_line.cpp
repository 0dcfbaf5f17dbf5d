#include "base/log_line.h"

#include <array>
#include <ctime>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <spdlog/pattern_formatter.h>

#include "base/text.h"

namespace patchbay::log {
namespace {

spdlog::level::level_enum level_of(Level level) {
  constexpr std::array kLevels = {spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                                  spdlog::level::err};
  return kLevels.at(static_cast<size_t>(level));
}

/// Same colours as spdlog's own sinks.
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

std::string text_of(const Entry& entry) {
  std::string line = printable(entry.message, 4000);
  for (const auto& [name, value] : entry.fields) {
    line += ' ';
    line += name;
    line += '=';
    line += text_value(value);
  }
  return line;
}

/// 2026-01-31T12:34:56.789Z
std::string utc_time(std::chrono::system_clock::time_point at) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(at);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(at.time_since_epoch());
  return fmt::format("{}.{:03}Z", text.data(), ms.count() % 1000);
}

/// Built here, because spdlog's patterns cannot escape.
std::string json_of(const Entry& entry, std::chrono::system_clock::time_point at) {
  nlohmann::ordered_json line;
  line["time"] = utc_time(at);
  const auto name = spdlog::level::to_string_view(level_of(entry.level));
  line["level"] = std::string(name.data(), name.size());
  line["message"] = entry.message;
  for (const auto& [key, value] : entry.fields) line[std::string(key)] = value;
  // Malformed UTF-8 from devices is replaced, so that a log line is always valid JSON.
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace

struct LineMaker::Pattern {
  spdlog::pattern_formatter formatter{"%Y-%m-%dT%H:%M:%S.%e%z %^%-7l%$ %v"};
  bool colored = false;
};

LineMaker::LineMaker(Format format, bool colored) {
  if (format == Format::json) return;
  pattern_ = std::make_unique<Pattern>();
  pattern_->colored = colored;
}
LineMaker::~LineMaker() = default;
LineMaker::LineMaker(LineMaker&&) noexcept = default;
LineMaker& LineMaker::operator=(LineMaker&&) noexcept = default;

std::string LineMaker::line(const Entry& entry, std::chrono::system_clock::time_point at) {
  if (!pattern_) return json_of(entry, at);
  const std::string text = text_of(entry);
  const spdlog::details::log_msg message(at, {}, {}, level_of(entry.level), text);
  spdlog::memory_buf_t formatted;
  pattern_->formatter.format(message, formatted);
  std::string line(formatted.data(), formatted.size());
  if (pattern_->colored) {
    line.insert(message.color_range_end, kNoColor);
    line.insert(message.color_range_start, color_of(entry.level));
  }
  return line;
}

}  // namespace patchbay::log
