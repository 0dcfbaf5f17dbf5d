#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

/// Parses the command lines of `run --standalone`.
namespace patchbay::cli {

/// One parsed line.
struct LineCommand {
  enum class Kind { nothing, allocate, prefer, start, list, help, quit };
  Kind kind = Kind::nothing;
  std::string resource;  ///< As written.
  int32_t count = 0;     ///< For `prefer`.
  std::vector<std::string> ids;
};

/// Returns an Error that is safe to print. If the command is known, its last line is the usage.
[[nodiscard]] Result<LineCommand> read_line_command(const std::string& line);

/// "usage: allocate RESOURCE ID..."
[[nodiscard]] std::string usage_of(LineCommand::Kind kind);

/// The help of all commands.
[[nodiscard]] std::string line_help();

}  // namespace patchbay::cli
