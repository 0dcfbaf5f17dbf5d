#pragma once

#include <string>
#include <string_view>

/// The syntax of a machine's text.
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

}  // namespace patchbay::machine
