#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"

/// The text of a machine: its syntax, its reader and its writer.
namespace patchbay::machine {

/// The first line of a snapshot, before the number of its format.
inline constexpr const char* kHeader = "# patchbay snapshot, format ";
inline constexpr unsigned kFormat = 1;
/// The last line of a snapshot.
inline constexpr const char* kEnd = "# end";

/// Whether a text can be a line: it has only characters that can be printed.
[[nodiscard]] bool is_line(std::string_view text);

/// Whether a value is text, possibly of several lines.
[[nodiscard]] bool is_text(std::string_view value);

/// Whether a name or path can be written in a line.
[[nodiscard]] bool is_writable(std::string_view path);

/// A value in one line: a new line, a tab, a NUL and a backslash become \n, \t, \0 and \\.
[[nodiscard]] std::string escaped(std::string_view value);

/// The value that `text` stands for. A backslash before another character stands for itself, as in
/// properties of udev.
[[nodiscard]] std::string unescaped(std::string_view text);

/// Longest text of a machine.
inline constexpr size_t kMostTextBytes = size_t{16} << 20U;

/// Their files would need too much memory.
inline constexpr size_t kMostDevices = 50'000;
inline constexpr size_t kMostLines = 500'000;

/// Reads the text of a machine, or the output of `udevadm info --export-db`. An Error begins with
/// `name` and the line. Any thread.
[[nodiscard]] Result<Machine> read_machine(const std::string& name, std::string_view text);

/// The text of a machine, sorted: what read_machine() reads. `notes` become comments.
[[nodiscard]] std::string write_machine(const Machine& machine,
                                        const std::vector<std::string>& notes);

}  // namespace patchbay::machine
