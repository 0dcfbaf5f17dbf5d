#include "base/log.h"

#include <array>
#include <chrono>
#include <ctime>
#include <memory>
#include <mutex>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "base/text.h"

namespace patchbay::log {
namespace {

/// Standard error, or wherever lines are diverted to.
class Output final : public spdlog::sinks::sink {
 public:
  void divert(std::function<void(const std::string&)> to) {
    const std::lock_guard lock(mutex_);
    divert_ = std::move(to);
  }

  void log(const spdlog::details::log_msg& message) override {
    const std::lock_guard lock(mutex_);
    if (!divert_) return stderr_->log(message);
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    divert_(std::string(line.data(), line.size()));
  }
  void flush() override { stderr_->flush(); }
  void set_pattern(const std::string& pattern) override {
    formatter_ = std::make_unique<spdlog::pattern_formatter>(pattern);
    stderr_->set_pattern(pattern);
  }
  void set_formatter(std::unique_ptr<spdlog::formatter> formatter) override {
    stderr_->set_formatter(formatter->clone());
    formatter_ = std::move(formatter);
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<spdlog::sinks::sink> stderr_ =
      std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  std::unique_ptr<spdlog::formatter> formatter_ = std::make_unique<spdlog::pattern_formatter>();
  std::function<void(const std::string&)> divert_;
};

struct State {
  std::shared_ptr<Output> output = std::make_shared<Output>();
  std::shared_ptr<spdlog::logger> logger;
  Format format = Format::text;
};

State make_state(Level level, Format format) {
  State state;
  state.format = format;
  state.logger = std::make_shared<spdlog::logger>("patchbay", state.output);
  // A JSON line is built whole, below: spdlog's patterns cannot escape.
  state.logger->set_pattern(format == Format::json ? "%v" : "%Y-%m-%dT%H:%M:%S.%e%z %^%-7l%$ %v");
  constexpr std::array kLevels = {spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                                  spdlog::level::err};
  state.logger->set_level(kLevels.at(static_cast<size_t>(level)));
  state.logger->flush_on(spdlog::level::debug);
  return state;
}

State& state() {
  static State the_state = make_state(Level::warning, Format::text);
  return the_state;
}

/// A value as it stands in a text line: quoted where it has spaces, escaped where it is not
/// printable.
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

std::string text_line(std::string_view message, Fields fields) {
  std::string line = printable(message, 4000);
  for (const auto& [name, value] : fields) {
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

std::string json_line(spdlog::level::level_enum level, std::string_view message, Fields fields) {
  nlohmann::ordered_json line;
  line["time"] = utc_time(std::chrono::system_clock::now());
  const auto name = spdlog::level::to_string_view(level);
  line["level"] = std::string(name.data(), name.size());
  line["message"] = message;
  for (const auto& [key, value] : fields) line[std::string(key)] = value;
  // Device strings may be bad UTF-8: replaced, so that a log line is always valid JSON.
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

void write(spdlog::level::level_enum level, std::string_view message, Fields fields) {
  const State& s = state();
  if (!s.logger->should_log(level)) return;
  const std::string line =
      s.format == Format::json ? json_line(level, message, fields) : text_line(message, fields);
  s.logger->log(level, spdlog::string_view_t(line.data(), line.size()));
}

}  // namespace

void configure(Level level, Format format) { state() = make_state(level, format); }

void divert(std::function<void(const std::string&)> to) { state().output->divert(std::move(to)); }

void debug(std::string_view message, Fields fields) {
  write(spdlog::level::debug, message, fields);
}
void info(std::string_view message, Fields fields) { write(spdlog::level::info, message, fields); }
void warning(std::string_view message, Fields fields) {
  write(spdlog::level::warn, message, fields);
}
void error(std::string_view message, Fields fields) { write(spdlog::level::err, message, fields); }

}  // namespace patchbay::log
