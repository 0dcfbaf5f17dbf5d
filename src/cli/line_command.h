#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

/// The lines that `run --standalone` takes, as text.
namespace patchbay::cli {

/// One line, understood.
struct LineCommand {
  enum class Kind { nothing, allocate, prefer, start, list, help, quit };
  Kind kind = Kind::nothing;
  std::string resource;  ///< As written.
  int32_t count = 0;     ///< Of `prefer`.
  std::vector<std::string> ids;
};

/// The Error is safe to print; unless no command is meant, its last line says how the command that
/// is meant is used.
[[nodiscard]] Result<LineCommand> read_line_command(const std::string& line);

/// What the words after a command's name are.
struct LineArguments {
  bool resource = false;
  bool count = false;  ///< Before the ids.
};
/// Of the commands: their names, and of one of them.
[[nodiscard]] std::vector<std::string> line_command_names();
[[nodiscard]] LineArguments arguments_of(const std::string& name);

/// "usage: allocate RESOURCE ID..."
[[nodiscard]] std::string usage_of(LineCommand::Kind kind);

/// All of them, for people.
[[nodiscard]] std::string line_help();

}  // namespace patchbay::cli
