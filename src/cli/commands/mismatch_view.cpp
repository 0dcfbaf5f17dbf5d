#include "cli/commands/mismatch_view.h"

#include <fmt/format.h>

#include "base/text.h"

namespace patchbay::cli {

std::string position_text(const config::Position& at) {
  const std::string file = at.source ? printable(at.source->name, 500) : "";
  return fmt::format("{}:{}:{}", file, at.line, at.column);
}

std::string mismatch_lines(std::span<const rules::Mismatch> mismatches, const std::string& indent) {
  std::string lines;
  for (const rules::Mismatch& mismatch : mismatches) {
    lines += fmt::format("{}{}: {} -- {}\n", indent, position_text(mismatch.at),
                         printable(mismatch.condition, 500), mismatch.actual);
    lines += mismatch_lines(mismatch.nested, indent + "  ");
  }
  return lines;
}

}  // namespace patchbay::cli
