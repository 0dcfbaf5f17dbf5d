#include "cli/options/option_values.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <re2/re2.h>

#include "base/duration.h"
#include "base/text.h"
#include "base/whole_number.h"

namespace patchbay::cli {
namespace {

constexpr size_t kMaxNodeName = 253;
constexpr uint64_t kLeastSize = uint64_t{4} << 10U;
constexpr uint64_t kMostSize = uint64_t{1} << 30U;

/// The exponent of the unit, in bits.
std::optional<unsigned> shift_of(std::string_view unit) {
  if (unit.empty()) return 0;
  if (unit == "KiB") return 10;
  if (unit == "MiB") return 20;
  if (unit == "GiB") return 30;
  return std::nullopt;
}

}  // namespace

Result<int> parse_number(const std::string& text, int least, int most) {
  const auto value = parse_whole<uint64_t>(text);
  if (!value || std::cmp_less(*value, least) || std::cmp_greater(*value, most)) {
    return fail(
        fmt::format("takes a number from {} to {}, not '{}'", least, most, printable(text)));
  }
  return static_cast<int>(*value);
}

Result<std::chrono::milliseconds> parse_period(const std::string& text) {
  using std::chrono::milliseconds;
  const auto number = parse_whole<uint64_t>(text);
  const auto period = parse_duration(number ? text + "s" : text);
  if (period && (*period == milliseconds(0) ||
                 (*period >= std::chrono::seconds(1) && *period <= std::chrono::hours(24)))) {
    return *period;
  }
  return fail(fmt::format("takes a duration from 1s to 24h such as 5m, or 0s for never, not '{}'",
                          printable(text)));
}

Result<size_t> parse_size(const std::string& text) {
  const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = parse_whole<uint64_t>(std::string_view(text).substr(0, end));
  const auto shift = shift_of(std::string_view(text).substr(end));
  if (number && shift && *number <= kMostSize >> *shift && *number << *shift >= kLeastSize) {
    return *number << *shift;
  }
  return fail(fmt::format("takes a size from 4KiB to 1GiB such as 64KiB or 8MiB, not '{}'",
                          printable(text)));
}

Result<size_t> parse_choice(const std::string& text, std::span<const std::string_view> words) {
  const auto found = std::ranges::find(words, text);
  if (found != words.end()) return static_cast<size_t>(found - words.begin());
  std::string list;
  for (size_t i = 0; i < words.size(); ++i) {
    list += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + std::string(words[i]);
  }
  return fail(fmt::format("takes {}, not '{}'", list, printable(text)));
}

Result<std::string> parse_path(const std::string& text) {
  if (!text.empty() && !text.starts_with('-')) return text;
  return fail(fmt::format("takes a path, not '{}'", printable(text)));
}

Result<std::string> parse_input_path(const std::string& text) {
  if (text == "-") return text;
  return parse_path(text);
}

Result<std::string> parse_node_name(const std::string& text) {
  const auto fits = [](char c) { return c > ' ' && c < '\x7f' && c != '/'; };
  if (!text.empty() && text.size() <= kMaxNodeName && !text.starts_with('-') &&
      std::ranges::all_of(text, fits)) {
    return text;
  }
  return fail(fmt::format("takes a node's name, not '{}'", printable(text)));
}

Result<NameFilter> parse_name_filter(const std::string& regex) {
  const auto compiled = std::make_shared<const re2::RE2>(regex, re2::RE2::Quiet);
  if (!compiled->ok()) {
    return fail(fmt::format("takes a regular expression, not '{}' ({})", printable(regex),
                            printable(compiled->error())));
  }
  return [compiled](const std::string& name) { return re2::RE2::PartialMatch(name, *compiled); };
}

}  // namespace patchbay::cli
