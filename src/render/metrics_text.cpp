#include "render/metrics_text.h"

#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::render {
namespace {

constexpr std::array<std::string_view, 3> kTypes{"counter", "gauge", "histogram"};

/// Escapes as the format requires. Invalid UTF-8 and misleading characters are shown as numbers.
std::string escaped(std::string_view value) {
  std::string text;
  for (const char c : printable(value, 1000)) {
    if (c == '\\' || c == '"') text += '\\';
    text += c;
  }
  return text;
}

std::string seconds_text(uint64_t microseconds) {
  return fmt::format("{}", static_cast<double>(microseconds) / 1e6);
}

}  // namespace

void MetricsText::family(std::string_view name, Type type, std::string_view help) {
  name_ = name;
  text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name,
                       kTypes.at(static_cast<size_t>(type)));
}

void MetricsText::line(std::string_view suffix, Labels labels, std::string_view bound,
                       std::string_view value) {
  text_ += name_;
  text_ += suffix;
  char before = '{';
  const auto label = [&](std::string_view name, std::string_view text) {
    text_ += before;
    text_ += name;
    text_ += "=\"";
    text_ += escaped(text);
    text_ += '"';
    before = ',';
  };
  for (const auto& [name, text] : labels) label(name, text);
  if (!bound.empty()) label("le", bound);
  if (before == ',') text_ += '}';
  text_ += ' ';
  text_ += value;
  text_ += '\n';
}

void MetricsText::sample(Labels labels, double value) {
  line({}, labels, {}, fmt::format("{}", value));
}

void MetricsText::sample(Labels labels, uint64_t value) {
  line({}, labels, {}, std::to_string(value));
}

void MetricsText::sample(Labels labels, const status::Histogram& histogram) {
  const status::Histogram::Values values = histogram.values();
  for (size_t i = 0; i < status::Histogram::kBounds.size(); ++i) {
    line("_bucket", labels, seconds_text(status::Histogram::kBounds[i]),
         std::to_string(values.up_to[i]));
  }
  const std::string all = std::to_string(values.up_to.back());
  line("_bucket", labels, "+Inf", all);
  line("_sum", labels, {}, fmt::format("{}", values.seconds));
  line("_count", labels, {}, all);
}

}  // namespace patchbay::render
