#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/options/options.h"

/// Parsers for option values. The name of the option is printed before the text of an Error.
namespace patchbay::cli {

/// Parses a whole number from `least` to `most`.
[[nodiscard]] Result<int> parse_number(const std::string& text, int least, int most);

/// Parses a period from 1 s to 24 h, such as "10m". "0s" means never. The default unit is seconds.
[[nodiscard]] Result<std::chrono::milliseconds> parse_period(const std::string& text);

/// Parses a size from 4 KiB to 1 GiB, such as "64KiB", and returns it in bytes. The unit is KiB,
/// MiB or GiB, or none for bytes.
[[nodiscard]] Result<size_t> parse_size(const std::string& text);

/// Returns the index of the word in `words`.
[[nodiscard]] Result<size_t> parse_choice(const std::string& text,
                                          std::span<const std::string_view> words);

/// Parses the path of a file or directory. A text with a leading '-' is an Error.
[[nodiscard]] Result<std::string> parse_path(const std::string& text);

/// Parses a path, or "-" for standard input.
[[nodiscard]] Result<std::string> parse_input_path(const std::string& text);

/// Parses the name of a node, as Kubernetes or a host accepts it.
[[nodiscard]] Result<std::string> parse_node_name(const std::string& text);

/// Parses a regular expression. The filter selects names in which it matches anywhere.
[[nodiscard]] Result<NameFilter> parse_name_filter(const std::string& regex);

}  // namespace patchbay::cli
