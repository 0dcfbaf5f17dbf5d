#pragma once

#include <array>
#include <chrono>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/words.h"

/// Formats lines of the log. Pure.
namespace patchbay::log {

enum class Level { debug, info, warning, error };
enum class Format { text, json };

/// Name and value. Values may contain anything: they are escaped for the format.
using Field = std::pair<std::string_view, std::string>;
using Fields = std::initializer_list<Field>;

/// The content of one line.
struct Entry {
  Level level = Level::info;
  std::string_view message;
  std::span<const Field> fields{};
};

/// Formats lines with their line ends. One thread at a time, because it caches the text of the last
/// second.
class LineMaker {
 public:
  /// `colored`: the level of a text line has its terminal colour.
  explicit LineMaker(Format format, bool colored = false);
  ~LineMaker();
  LineMaker(LineMaker&&) noexcept;
  LineMaker& operator=(LineMaker&&) noexcept;

  [[nodiscard]] std::string line(const Entry& entry, std::chrono::system_clock::time_point at);

 private:
  struct Pattern;
  std::unique_ptr<Pattern> pattern_;  ///< Null: JSON.
};

}  // namespace patchbay::log

namespace patchbay {
template <>
inline constexpr std::array<std::string_view, 4> kWords<log::Level>{"debug", "info", "warning",
                                                                    "error"};
}  // namespace patchbay
