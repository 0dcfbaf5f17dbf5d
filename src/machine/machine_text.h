#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"

/// Syntax, reader and writer of the text of a machine file.
namespace patchbay::machine {

/// The first line of a snapshot, before the number of its format.
inline constexpr const char* kHeader = "# patchbay snapshot, format ";
inline constexpr unsigned kFormat = 1;
/// The last line of a snapshot.
inline constexpr const char* kEnd = "# end";

/// Whether the text can be one line: all its characters are printable.
[[nodiscard]] bool is_line(std::string_view text);

/// Whether the value is printable text, possibly of several lines.
[[nodiscard]] bool is_text(std::string_view value);

/// Whether a name or path can be written before "=" in a line.
[[nodiscard]] bool is_writable(std::string_view path);

/// Escapes a value for one line: a new line, a tab, a NUL and a backslash become
/// \n, \t, \0 and \\.
[[nodiscard]] std::string escaped(std::string_view value);

/// Reverses escaped(). A backslash before another character stands for itself, as in udev's data.
[[nodiscard]] std::string unescaped(std::string_view text);

/// Limit of the text of a machine.
inline constexpr size_t kMostTextBytes = size_t{16} << 20U;

/// Limits of a machine. The file system of a larger one would need too much memory.
inline constexpr size_t kMostDevices = 50'000;
inline constexpr size_t kMostLines = 500'000;

/// Reads the text of a machine, or the output of `udevadm info --export-db`. An Error begins with
/// `name` and the line. Any thread.
[[nodiscard]] Result<Machine> read_machine(const std::string& name, std::string_view text);

/// Writes the text of a machine for read_machine(), sorted. `notes` become comments.
[[nodiscard]] std::string write_machine(const Machine& machine,
                                        const std::vector<std::string>& notes);

}  // namespace patchbay::machine
