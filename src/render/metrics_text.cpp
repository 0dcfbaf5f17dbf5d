#include "render/metrics_text.h"

#include <array>

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::render {
namespace {

constexpr std::array<std::string_view, 4> kTypes{"counter", "gauge", "histogram", "info"};
constexpr std::string_view kTotal = "_total";
constexpr std::string_view kInfo = "_info";

std::string_view without(std::string_view name, std::string_view suffix) {
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
}

/// Escapes as both formats require. Invalid UTF-8 and misleading characters are shown as numbers.
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
  const bool open = format_ == MetricsFormat::open_metrics;
  std::string_view family = name;
  if (open && type == Type::counter) family = without(name, kTotal);
  if (open && type == Type::info) family = without(name, kInfo);
  // The Prometheus format has no such type.
  const auto shown = !open && type == Type::info ? Type::gauge : type;
  text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", family, help, family,
                       kTypes.at(static_cast<size_t>(shown)));
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

std::string MetricsText::take() {
  if (format_ == MetricsFormat::open_metrics) text_ += "# EOF\n";
  return std::move(text_);
}

std::string_view content_type(MetricsFormat format) {
  return format == MetricsFormat::open_metrics
             ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
             : "text/plain; version=0.0.4; charset=utf-8";
}

}  // namespace patchbay::render
