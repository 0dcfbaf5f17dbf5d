#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "status/histogram.h"

namespace patchbay::render {

/// The format for a scraper: Prometheus text format 0.0.4, or OpenMetrics 1.0.0.
enum class MetricsFormat { prometheus, open_metrics };

/// Writes metrics, family by family. Label values may contain any text.
class MetricsText {
 public:
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;
  enum class Type { counter, gauge, histogram, info };

  explicit MetricsText(MetricsFormat format) : format_(format) {}

  /// Begins a family. The name has the suffix of the documentation: `_total` for a counter, `_info`
  /// for an info, `_seconds` for a time.
  void family(std::string_view name, Type type, std::string_view help);

  /// Adds a sample to the current family.
  void sample(Labels labels, double value);
  void sample(Labels labels, uint64_t value);
  void sample(Labels labels, const status::Histogram& histogram);

  /// The complete text, with its end mark.
  [[nodiscard]] std::string take();

 private:
  void line(std::string_view suffix, Labels labels, std::string_view bound, std::string_view value);

  MetricsFormat format_;
  std::string name_;
  std::string text_;
};

[[nodiscard]] std::string_view content_type(MetricsFormat format);

}  // namespace patchbay::render
