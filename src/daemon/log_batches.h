#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/log_line.h"
#include "inventory/snapshot.h"

namespace patchbay::daemon {

/// Units or devices of one resource that changed in the same way, in batches of one cause. Each
/// batch is one log line, with the number of its items and the names of the first ones.
class LogBatches {
 public:
  static constexpr size_t kMaxNames = 3;

  /// The field with the names, and the field with the number of several items.
  struct FieldNames {
    std::string_view names = "unit";
    std::string_view number = "units";
  };
  LogBatches() = default;
  explicit LogBatches(FieldNames fields) : fields_(fields) {}

  /// `details`: further fields of the line, used if the item is the first of its batch.
  void add(const std::string& cause, const std::string& name, std::vector<log::Field> details);
  /// Writes a line for each batch.
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

/// The same text for reasons that differ only in paths.
[[nodiscard]] std::string cause_of(std::string_view reason);
/// The same text for all units of a resource that are unhealthy by the same probe, or for reasons
/// of the same cause.
[[nodiscard]] std::string cause_of(const inventory::Unit& unit);

}  // namespace patchbay::daemon
