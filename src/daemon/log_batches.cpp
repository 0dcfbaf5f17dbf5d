#include "daemon/log_batches.h"

#include <utility>

#include <fmt/format.h>

#include "base/log.h"
#include "base/text.h"
#include "inventory/unit_checks.h"

namespace patchbay::daemon {

void LogBatches::add(const std::string& cause, const std::string& name,
                     std::vector<log::Field> details) {
  Batch& batch = batches_[cause];
  if (batch.items == 0) batch.details = std::move(details);
  if (batch.items < kMaxNames) batch.names += (batch.names.empty() ? "" : ",") + name;
  ++batch.items;
}

void LogBatches::write(log::Level level, const log::Message& message,
                       const std::string& resource) const {
  for (const auto& [cause, batch] : batches_) {
    std::vector<log::Field> fields{{"resource", resource}, {fields_.names, batch.names}};
    if (batch.items > 1) fields.emplace_back(fields_.number, std::to_string(batch.items));
    for (const log::Field& field : batch.details) {
      const bool of_first_only = field.first == "device" || field.first == "unit";
      if (batch.items == 1 || !of_first_only) fields.push_back(field);
    }
    log::write({.level = level, .message = message.text, .fields = fields, .event = message.event});
  }
}

std::string cause_of(std::string_view reason) {
  std::string cause;
  for (const std::string_view word : split(reason, ' ')) {
    if (!word.starts_with('/')) cause.append(word) += ' ';
  }
  return cause;
}

std::string cause_of(const inventory::Unit& unit) {
  if (!unit.failed_probe) return cause_of(unit.reason);
  return fmt::format("probe {} of group {}", unit.checks->probes[*unit.failed_probe].probe,
                     unit.members->group);
}

}  // namespace patchbay::daemon
