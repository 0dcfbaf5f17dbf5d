#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/log_line.h"
#include "inventory/snapshot.h"

namespace patchbay::daemon {

/// Logs units or devices of one resource that changed in the same way, with one line for each
/// cause. The line has the number of items with that cause, and the names of the first kMaxNames.
class LogBatches {
 public:
  static constexpr size_t kMaxNames = 3;

  /// The names of two log fields: the names of the items, and their number if there are several.
  struct FieldNames {
    std::string_view names = "unit";
    std::string_view number = "units";
  };
  LogBatches() = default;
  explicit LogBatches(FieldNames fields) : fields_(fields) {}

  /// Adds an item. `details`: further fields of the line, used for the first item of a cause.
  void add(const std::string& cause, const std::string& name, std::vector<log::Field> details);
  /// Writes a line for each cause.
  void write(log::Level level, const log::Message& message, const std::string& resource) const;

 private:
  struct Batch {
    size_t items = 0;
    std::string names;  ///< Separated by commas.
    std::vector<log::Field> details;
  };
  FieldNames fields_;
  std::map<std::string, Batch> batches_;  ///< By cause.
};

/// Returns the reason without its paths, so that reasons which differ only in paths are one cause.
[[nodiscard]] std::string cause_of(std::string_view reason);
/// Returns the cause of an unhealthy unit: the failed probe, or else cause_of(reason of the unit).
[[nodiscard]] std::string cause_of(const inventory::Unit& unit);

}  // namespace patchbay::daemon
