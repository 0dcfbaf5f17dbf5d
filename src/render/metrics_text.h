#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "status/counters.h"

namespace patchbay::render {

/// Writes metrics in Prometheus' text format 0.0.4. A family is all samples of one metric name.
/// Label values may contain any text.
class MetricsText {
 public:
  using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;
  enum class Type { counter, gauge, histogram };

  /// Begins a family. All its samples must follow.
  void family(std::string_view name, Type type, std::string_view help);

  /// Adds a sample to the current family.
  void sample(Labels labels, double value);
  void sample(Labels labels, uint64_t value);
  void sample(Labels labels, const status::Histogram& histogram);

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void line(std::string_view suffix, Labels labels, std::string_view bound, std::string_view value);

  std::string name_;
  std::string text_;
};

inline constexpr const char* kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace patchbay::render
